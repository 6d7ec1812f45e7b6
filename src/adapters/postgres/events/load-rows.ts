import type { Row } from '../database.ts';
import { parseCalendar } from '../find-calendars.ts';
import { parseMailCounts } from '../mail-counts.ts';
import { toEarlierRequest } from '../request-records.ts';
import { parseEvent } from '../stored-json.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type { HourCounts } from '../../../core/quota.ts';
import type { EarlierRequest } from '../../../core/request-record.ts';
import type { ChangeTarget } from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import type { EventIds } from './load-statements.ts';

/** Target of a change, with the lookup keys of its ids. */
export interface LoadRequest {
  readonly target: ChangeTarget;
  readonly ids: EventIds;
  /** Lookup keys of the guests who may get a copy. */
  readonly guests: readonly string[];
  /** Lookup key of the calendar; for `primaryOf` the owner's address, which is usually the primary calendar's id. */
  readonly calendarId: string;
}

/** An entry of the table `places`: where its record is stored, and under which keys. */
export interface EntryRef {
  readonly home: string;
  readonly key: string;
  readonly seriesKey: string | null;
}

/** Entries found on one calendar: those with the target's ids, and those with its iCalUID. */
export interface CalendarEntries {
  readonly byId: Map<string, EntryRef>;
  readonly entriesWithUid: EntryRef[];
}

/** Calendar known by owner and zone alone. */
export type OtherCalendar = Pick<CalendarRecord, 'owner' | 'timeZone'>;

/** Rows loaded so far for a request. */
export type LoadedRows = ReturnType<typeof createEmptyRows>;

export const createEmptyRows = (request: LoadRequest) => ({
  request,
  /** Ids of sent queries, as none is sent twice. */
  sentQueries: new Set<string>(),
  /** Entries by calendar. */
  entries: new Map<string, CalendarEntries>(),
  /** Records of the target's calendar and of its destination. */
  calendars: new Map<string, CalendarRecord>(),
  /** Calendars of guests and homes, without their access lists, which may be long. */
  otherCalendars: new Map<string, OtherCalendar>(),
  removedCalendars: new Map<string, CalendarRecord>(),
  /** Ids of primary calendars by their owners' lookup keys. */
  primaries: new Map<string, string>(),
  /** Records by key. */
  events: new Map<string, EventRecord>(),
  /** Numbers of changes of a series' exceptions, by its key. */
  exceptionRevisions: new Map<string, number>(),
  /** Exceptions by the key of their series. */
  exceptions: new Map<string, EventRecord[]>(),
  /** Exception at the target's original start, by the key of the series. */
  originals: new Map<string, EntryRef>(),
  /** Numbers of exceptions with own changes, by the key of the series. */
  exceptionCounts: new Map<string, number>(),
  /** Keys of imported events that an invitation may replace, by calendar. */
  importedKeys: new Map<string, string[]>(),
  earlierRequest: undefined as EarlierRequest | undefined,
  mailCounts: undefined as HourCounts | undefined,
});

const toEntryRef = (row: Row): EntryRef => ({
  home: row.home_id as string,
  key: row.key as string,
  seriesKey: row.series_key as string | null,
});

function addEvent({ events, exceptionRevisions }: LoadedRows, { key, body, family }: Row): void {
  events.set(key as string, parseEvent(body));
  exceptionRevisions.set(key as string, family as number);
}

/** Handlers of rows by kind. `shard`: the calendar or owner whose shard returned the row. */
const rowHandlers: Readonly<Record<string, (rows: LoadedRows, row: Row, shard: string) => void>> = {
  calendar: ({ calendars }, { body }, shard) => calendars.set(shard, parseCalendar(body)),
  otherCalendar: ({ otherCalendars }, { body }, shard) => otherCalendars.set(shard, parseCalendar(body)),
  removed: ({ removedCalendars }, { body }, shard) => removedCalendars.set(shard, parseCalendar(body)),
  primary: ({ primaries }, { calendar_id: id }, shard) => primaries.set(shard, id as string),
  place: (rows, row, shard) =>
    getOrCreateEntries(rows, shard).byId.set(row.event_id as string, toEntryRef(row)),
  uid: (rows, row, shard) => getOrCreateEntries(rows, shard).entriesWithUid.push(toEntryRef(row)),
  event: addEvent,
  exception({ exceptions }, { key, series_key, body }) {
    const seriesKey = series_key as string;
    const otherExceptions = (exceptions.get(seriesKey) ?? []).filter((exception) => exception.key !== key);
    exceptions.set(seriesKey, [...otherExceptions, parseEvent(body)]);
  },
  original(rows, row, shard) {
    rows.originals.set(row.series_key as string, { ...toEntryRef(row), home: shard });
    addEvent(rows, row);
  },
  imported({ importedKeys }, { key }, shard) {
    importedKeys.set(shard, [...(importedKeys.get(shard) ?? []), key as string]);
  },
  exceptionCount: ({ exceptionCounts }, row) =>
    exceptionCounts.set(row.series_key as string, row.exception_count as number),
  request: (rows, row) => (rows.earlierRequest = toEarlierRequest(row)),
  mailed: (rows, row) => (rows.mailCounts = parseMailCounts(row)),
};

function getOrCreateEntries({ entries }: LoadedRows, calendarId: string): CalendarEntries {
  const entriesOfCalendar = entries.get(calendarId) ?? { byId: new Map(), entriesWithUid: [] };
  entries.set(calendarId, entriesOfCalendar);
  return entriesOfCalendar;
}

/** Adds the rows of a statement for a calendar or an owner (`shard`). */
export function addRows(loadedRows: LoadedRows, shard: string, rows: readonly Row[]): void {
  for (const row of rows) rowHandlers[row.kind as string]?.(loadedRows, row, shard);
}

export type LoadedCalendars = ReturnType<typeof findLoadedCalendars>;
export type LoadedGuest = LoadedCalendars['guests'][number];

/** Entries of a calendar without the target's event. */
export const noEntries: CalendarEntries = { byId: new Map(), entriesWithUid: [] };

/** Finds the target's calendar and its guests' ones among the loaded rows. */
export function findLoadedCalendars({
  request: { target, calendarId, guests },
  entries,
  primaries,
  calendars,
  removedCalendars,
}: LoadedRows) {
  const id = 'primaryOf' in target.calendar ? primaries.get(calendarId) : calendarId;
  const calendar = ('removedId' in target.calendar ? removedCalendars : calendars).get(id ?? '');
  return {
    calendar,
    entries: (calendar && entries.get(calendar.id)) ?? noEntries,
    guests: guests.flatMap((guest) => {
      const primaryId = primaries.get(guest);
      return primaryId === undefined
        ? []
        : [{ guest, calendarId: primaryId, entries: entries.get(primaryId) ?? noEntries }];
    }),
  };
}

/** Finds the entry of the target's id on a calendar, which may be an exception found by its series. */
export function findEventEntry(
  { byId }: CalendarEntries,
  { request: { ids }, originals }: LoadedRows,
): EntryRef | undefined {
  const series = ids.parent === undefined ? undefined : byId.get(ids.parent);
  return byId.get(ids.event) ?? (series && originals.get(series.key));
}

/** Keys of all records to load, and of their series. */
export function findRecordKeys(rows: LoadedRows): Set<string> {
  const { entries, guests } = findLoadedCalendars(rows);
  const eventEntries = [entries, ...guests.map((guest) => guest.entries)]
    .map((calendarEntries) => findEventEntry(calendarEntries, rows))
    .filter((entry) => entry !== undefined);
  return new Set([
    ...[...entries.byId.values(), ...entries.entriesWithUid, ...eventEntries].flatMap(({ key, seriesKey }) =>
      seriesKey === null ? [key] : [key, seriesKey],
    ),
    ...[...rows.importedKeys.values()].flat(),
  ]);
}
