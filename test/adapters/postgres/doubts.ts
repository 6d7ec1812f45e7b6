import type { EventRecord } from '../../../src/event/model/record.ts';
import type { Database, Row } from '../../../src/adapters/postgres/database.ts';

/** Records as they are stored, to be taken back and brought forward: what a reader meets while their shard lags behind others. */
export interface Lag {
  /** Takes records to what they were when this was begun; those that were not there are missing. */
  back(): Promise<void>;
  forward(): Promise<void>;
}

/** Remembers records, makes a change, and has them lag behind it. */
export async function lagging(
  database: Database,
  records: readonly Pick<EventRecord, 'homeId' | 'key'>[],
  makeChange: () => Promise<unknown>,
): Promise<Lag> {
  const stored = async (): Promise<(Row | undefined)[]> => {
    const all: (Row | undefined)[] = [];
    for (const { homeId, key } of records)
      all.push(
        (
          await database.query({
            text: 'SELECT version, family, series_key, body FROM events WHERE home_id = $1 AND key = $2',
            values: [homeId, key],
          })
        )[0],
      );
    return all;
  };
  const restore = async (rows: readonly (Row | undefined)[]): Promise<void> => {
    for (const [index, row] of rows.entries()) {
      const { homeId, key } = records[index] as EventRecord;
      await database.query({
        text: 'DELETE FROM events WHERE home_id = $1 AND key = $2',
        values: [homeId, key],
      });
      if (row)
        await database.query({
          text: 'INSERT INTO events (home_id, key, version, family, series_key, body) VALUES ($1, $2, $3, $4, $5, $6)',
          values: [homeId, key, row.version, row.family, row.series_key, row.body],
        });
    }
  };
  const before = await stored();
  await makeChange();
  const after = await stored();
  const lag = { back: () => restore(before), forward: () => restore(after) };
  await lag.back();
  return lag;
}
