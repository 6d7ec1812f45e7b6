import type { Database } from '../database.ts';
import type { Revisions } from '../events/revisions.ts';
import { keysByHome, readAtHomes, versionsAt } from './records-at-home.ts';
import { oldestUnsettled, settlingColumns } from './settled.ts';

/** Changes of one calendar among which those are that do not show everywhere yet: more than are made while that may last. */
const mostUnsettled = 10_000;

export interface Seen {
  readonly calendarId: string;
  /** The calendar's revision when it was seen. */
  readonly revision: string;
  readonly since: string | undefined;
}

/** The revision up to which all changes of a calendar show in full, those until `since` aside. */
export async function settledRevision(
  database: Database,
  { changeOf, revisionOf }: Revisions,
  { calendarId, revision, since }: Seen,
): Promise<string> {
  if (!database.isSpread) return revision;
  const last = changeOf(revision) ?? 0;
  const start = Math.max(last - mostUnsettled, (since === undefined ? undefined : changeOf(since)) ?? 0);
  const entries = await database.query({
    name: 'entries since',
    text: `SELECT ${settlingColumns.join(', ')} FROM places WHERE calendar_id = $1 AND change > $2 AND home_id <> $1`,
    values: [calendarId, start],
  });
  if (entries.length === 0) return revision;
  const read = await readAtHomes(
    database,
    [...keysByHome(entries)].map(([home, keys]) => [home, keys, versionsAt]),
  );
  const unsettled = oldestUnsettled(
    entries,
    (home, key) => read.of(home, key)?.version as number | undefined,
  );
  return unsettled === undefined || unsettled > last ? revision : revisionOf(Math.max(0, unsettled - 1));
}
