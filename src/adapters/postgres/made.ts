import type { Maker } from '../../core/kernel/daily-limit.ts';
import type { Statement } from './database.ts';
import { lookupKey } from './statements.ts';

/** What a caller's makings are counted by. */
export type MadeKind = 'bucket' | 'calendar';

/** A query for what a maker has made, as `count`, for parameters that are the two values of `makerValues`. */
export const madeCount = (kind: MadeKind, identity: string, day: string): string =>
  `SELECT count FROM made WHERE identity = ${identity} AND kind = '${kind}' AND day = ${day}::date`;

/** Without a maker nothing is found. */
export const makerValues = (
  maker: Maker | undefined,
): readonly [identity: string | null, day: string | null] =>
  maker ? [lookupKey(maker.identity), maker.day] : [null, null];

/** Lets those who make something for the same maker take turns. */
export const lockMade = (kind: MadeKind, maker: Maker | undefined): Statement[] =>
  maker
    ? [
        {
          name: `lock made ${kind}`,
          text: `${madeCount(kind, '$1', '$2')} FOR UPDATE`,
          values: makerValues(maker),
        },
      ]
    : [];

/** Counts one more; fails where others have counted since there were `before`. */
export const countMade = (kind: MadeKind, maker: Maker | undefined, before: number): Statement[] =>
  maker
    ? [{ name: `count made ${kind}`, text: countText(kind), values: [...makerValues(maker), before] }]
    : [];

// A division by zero, as in `counting`: an INSERT inside of another statement is not led to one shard.
const countText = (kind: MadeKind): string =>
  `INSERT INTO made AS m (identity, kind, day, count) VALUES ($1, '${kind}', $2::date, 1)
   ON CONFLICT (identity, kind, day) DO UPDATE SET count = (m.count + 1) / (CASE WHEN m.count = $3 THEN 1 ELSE 0 END)`;

const keptDays = 2;

/** Forgets what was made on days that are over everywhere. */
export const trimMade = (now: number): Statement => ({
  name: 'delete old counts',
  text: 'DELETE FROM made WHERE day < $1::date',
  values: [new Date(now - keptDays * 86_400_000).toISOString().slice(0, 10)],
});
