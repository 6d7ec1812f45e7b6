import type { Maker } from '../../core/kernel/daily-limit.ts';
import type { Statement } from './database.ts';
import { counting } from './transaction.ts';

/** Counts one more that a caller has made; fails where the caller has made others since `known` was read. */
export const countMade = (kind: 'bucket' | 'calendar', { identity, day }: Maker, known: number): Statement => ({
  name: 'count made',
  text: counting('INSERT INTO made AS m (identity, kind, day, count) VALUES ($1, $2, $3, 1) ON CONFLICT (identity, kind, day) DO UPDATE SET count = m.count + 1 WHERE m.count = $4 RETURNING 1', '1'),
  values: [identity, kind, day, known],
});
