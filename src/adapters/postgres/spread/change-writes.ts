import { idsByCalendar, type EventRecord } from '../../../event/model/record.ts';
import type { Statement } from '../database.ts';
import { replaceRecord, type EntriesOfCalendar, type StoredReplacement } from '../events/entry-statements.ts';
import { refreshEntry, refreshWithRecord } from '../events/entry-refresh.ts';
import { indexKey } from '../lookup.ts';
import { putEntries, updateEntries, updateWithEntries } from './entry-writes.ts';

const named = (calendarId: string, eventId: string): string => JSON.stringify([calendarId, eventId]);

/** The entries that a record and its exceptions had before they changed. */
export function stoodBefore(
  before: EventRecord | undefined,
  series: EventRecord | undefined,
  exceptions: readonly EventRecord[],
): Set<string> {
  const ids = before
    ? [idsByCalendar(before, series), ...exceptions.map((exception) => idsByCalendar(exception, before))]
    : [];
  return new Set(
    ids.flatMap((own) => [...own].map(([calendarId, eventId]) => named(calendarId, indexKey(eventId)))),
  );
}

interface Known {
  /** A record that stays on its home. */
  readonly replacement: StoredReplacement | undefined;
  /** Entries that were stored before. */
  readonly stood: ReadonlySet<string>;
}

/** What is written of a change: the record, where that is not done together with the entries on its home, and entries on each calendar. */
export function writesOnShards(
  all: readonly EntriesOfCalendar[],
  { replacement, stood }: Known,
): { readonly record: Statement | undefined; readonly entries: readonly Statement[] } {
  const stand = ({ calendarId, rows }: EntriesOfCalendar): boolean =>
    rows.every((row) => stood.has(named(calendarId, row.event_id)));
  const write = (entries: EntriesOfCalendar): Statement[] =>
    stand(entries) ? [(replacement && refreshEntry(entries)) ?? updateEntries(entries)] : putEntries(entries);
  const [first, ...others] = all;
  // Counters are locked in the order of the calendars.
  if (replacement && first && first.calendarId === replacement[0] && stand(first)) {
    return {
      record: refreshWithRecord(replacement, first) ?? updateWithEntries(replacement, first),
      entries: others.flatMap(write),
    };
  }
  return { record: replacement && replaceRecord(replacement), entries: all.flatMap(write) };
}
