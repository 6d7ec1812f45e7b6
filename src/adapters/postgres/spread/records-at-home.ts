import type { Database, Row, Statement } from '../database.ts';
import { grouped } from '../grouped.ts';
import { queryEach } from './by-keys.ts';

/** Records by the calendar that they are kept with and their key, as they were read. */
export interface RecordsAtHome {
  readonly of: (home: string, key: string) => Row | undefined;
}

/** The records that entries are made of: their keys by the calendar that they are kept with. */
export function keysByHome(entries: readonly Row[]): Map<string, string[]> {
  return new Map(
    [...grouped(entries, ({ home_id: home }) => home as string)].map(([home, own]) => [
      home,
      [
        ...new Set(
          own
            .flatMap(({ key, series_key: series }) => [key, series])
            .filter((key): key is string => typeof key === 'string'),
        ),
      ],
    ]),
  );
}

/** A statement for records of one home. */
export type AtHome = (home: string, keys: readonly string[]) => Statement;

/** As texts, which Citus hands on as they are. */
export const bodiesAt: AtHome = (home, keys) => ({
  name: 'bodies at home',
  text: 'SELECT key, version, body::text FROM events WHERE home_id = $1 AND key = ANY ($2::text[])',
  values: [home, keys],
});
/** The same with their marks (`known-records.ts`), and bodies of those alone that are needed. */
export const markedAt =
  (isNeeded: (key: string) => boolean): AtHome =>
  (home, keys) => ({
    name: 'marked bodies at home',
    text: "SELECT home_id, key, version, body ->> 'w' AS mark, CASE WHEN key = ANY ($3::text[]) THEN body::text END AS body FROM events WHERE home_id = $1 AND key = ANY ($2::text[])",
    values: [home, keys, keys.filter(isNeeded)],
  });
export const versionsAt: AtHome = (home, keys) => ({
  name: 'versions at home',
  text: 'SELECT key, version FROM events WHERE home_id = $1 AND key = ANY ($2::text[])',
  values: [home, keys],
});
export const exceptionVersionsAt: AtHome = (home, keys) => ({
  name: 'versions of exceptions',
  text: 'SELECT key, version FROM events WHERE home_id = $1 AND series_key = ANY ($2::text[])',
  values: [home, keys],
});

/** What is asked of each home, one shard at a time, in one round trip, behind statements that come `first`, whose rows are given too. */
export async function readAtHomes(
  database: Database,
  asked: readonly (readonly [home: string, keys: readonly string[], statement: AtHome])[],
  first: readonly Statement[] = [],
): Promise<RecordsAtHome & { readonly first: readonly (readonly Row[])[] }> {
  const answers = await queryEach(database, [
    ...first,
    ...asked.map(([home, keys, statement]) => statement(home, keys)),
  ]);
  const homes = new Map<string, Map<string, Row>>();
  for (const [index, [home]] of asked.entries()) {
    const records = homes.get(home) ?? new Map<string, Row>();
    homes.set(home, records);
    // What was read first has a body, and says less of how far the record has come.
    for (const row of answers[first.length + index] ?? [])
      if (!records.has(row.key as string)) records.set(row.key as string, row);
  }
  return { of: (home, key) => homes.get(home)?.get(key), first: answers.slice(0, first.length) };
}
