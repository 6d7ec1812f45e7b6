import type { Row } from '../database.ts';

/** What tells of the records that an entry was last made of: `home_id, key, series_key, change, version, series_version` of `places`. */
export const settlingColumns = [
  'home_id',
  'key',
  'series_key',
  'change',
  'version',
  'series_version',
] as const;

/** The version of a record as it was read after the entry; undefined where there was none. */
export type VersionRead = (home: string, key: string) => number | undefined;

/**
 * The number of the oldest change among entries whose records were read older than the entries know them. A change of an event is
 * stored on several shards, and is to be seen on one of them a little earlier than on another; for a minute, where a node fails
 * just then. What an entry knows of its records is null where a gateway of an earlier release wrote it.
 */
export function oldestUnsettled(entries: readonly Row[], versionRead: VersionRead): number | undefined {
  const isOld = (home: unknown, key: unknown, known: unknown): boolean => {
    const read = versionRead(home as string, key as string);
    return read === undefined || read < ((known as number | null) ?? 0);
  };
  const unsettled = entries.filter(
    ({ home_id: home, key, series_key: series, version, series_version: seriesVersion }) =>
      isOld(home, key, version) || (series !== null && isOld(home, series, seriesVersion)),
  );
  return unsettled.map(({ change }) => change as number).reduce<number | undefined>(earlier, undefined);
}

/** The lower of two numbers of changes, where there are any. */
export const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
