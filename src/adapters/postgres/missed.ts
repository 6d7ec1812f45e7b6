import { unlessAway } from './failures.ts';
import type { Row } from './database.ts';
import {
  lookEverywhere,
  type AskedEverywhere,
  type Everywhere,
  type EverywhereStatement,
} from './everywhere.ts';

/** A look for rows that were written since a moment and up to now, by the database's time. */
export interface Look {
  readonly tables: readonly [string, ...string[]];
  readonly statement: (since: string, until: string) => EverywhereStatement;
}

const literal = (time: Date): string => `'${time.toISOString()}'::timestamptz`;

/** A calendar's change has a second to be announced. */
export const changedCalendars: Look = {
  tables: ['calendars', 'removed_calendars'],
  statement: (since, until) => (table) => {
    const within = (column: string): string =>
      `${column} >= ${since} AND ${column} <= ${until} - interval '1 second'`;
    return {
      title: 'changed calendars',
      text: `SELECT id, changes FROM ${table('calendars')} c WHERE ${within('changed_at')} UNION ALL SELECT id, -1 FROM ${table('removed_calendars')} r WHERE ${within('removed_at')}`,
    };
  },
};

export const publishedTopics: Look = {
  tables: ['published'],
  statement: (since) => (table) => ({
    title: 'published topics',
    text: `SELECT DISTINCT topic FROM ${table('published')} p WHERE published_at >= extract(epoch FROM ${since}) * 1000`,
  }),
};

/** How much older than the moment in which its rows are seen a transaction may be (ms). */
const latenessMs = 10_000;
/** How long it takes until those run again who bring to their end what a lost node had not confirmed (ms). */
const restartMs = 5000;
const recoveryTime =
  "SELECT max(setting::integer) AS ms FROM pg_settings WHERE name = 'citus.recover_2pc_interval'";

/** On a cluster what a node has not confirmed is seen when it was brought to its end. */
export async function latenessOn(database: AskedEverywhere): Promise<number> {
  const [row] = await database.query({ title: 'time of recovery', text: recoveryTime });
  const recoveryMs = (row?.ms ?? null) as number | null;
  return recoveryMs === null ? latenessMs : latenessMs + restartMs + Math.max(0, recoveryMs);
}

/** Looks, and goes on looking for what stands on a node that was away. */
export interface Search {
  /** What was written since a moment, and rather more. */
  find(asked: AskedEverywhere, since: Date, now: Date): Promise<readonly Row[]>;
  /** A node was away, and not all that it has was seen yet. */
  isBehind(): boolean;
}

const nothing: Everywhere = { rows: [], complete: false };

export function createSearch({ tables, statement }: Look, lateness: number): Search {
  /** The last look that all nodes answered, where a later one had not all. */
  let missing: Date | undefined;
  /** Since then all nodes answer. */
  let whole: Date | undefined;
  const earlier = (time: Date): Date => new Date(time.getTime() - lateness);

  return {
    isBehind: () => missing !== undefined,
    async find(asked, since, now) {
      const begin = literal(earlier((whole && missing) ?? since));
      // While the database is away a look is incomplete, and is repeated.
      const { rows, complete } = await unlessAway(
        lookEverywhere(asked, tables, statement(begin, literal(now))),
        nothing,
      );
      if (!complete) {
        missing ??= since;
        whole = undefined;
      } else if (missing) {
        whole ??= now;
        // All that was on its way when the node went is seen by now.
        if (whole < earlier(now)) missing = whole = undefined;
      }
      return rows;
    },
  };
}
