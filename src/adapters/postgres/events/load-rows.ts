import type { ChangeTarget } from '../../../event/event.store.ts';
import type { Row, Statement } from '../database.ts';
import type { EventIds } from './load-statements.ts';

/** Keys that a target is looked up by. */
export interface LoadRequest {
  readonly target: ChangeTarget;
  readonly ids: EventIds;
  readonly guests: readonly string[];
  /** The calendar's id; of an owner the address, which is that of the primary calendar as a rule. */
  readonly calendarId: string;
}

/** A statement, and the calendar or the owner whose shard it goes to. */
export interface Ask {
  readonly at: string;
  readonly statement: Statement;
  /** What it asks for there, where the name of the statement does not tell. */
  readonly what?: string;
}

/** One event on a calendar: the calendar that keeps it, its key, and that of its series. */
export interface EntryRef {
  readonly home: string;
  readonly key: string;
  readonly seriesKey: string | null;
}

/** Entries of one calendar. */
export interface CalendarEntries {
  /** By the event's id there. */
  readonly byId: Map<string, EntryRef>;
  readonly uids: EntryRef[];
}

/** Rows of all shards, as far as they are loaded. */
export interface LoadedRows {
  /** Names of the statements that were sent: none is sent twice. */
  readonly sent: Set<string>;
  readonly entries: Map<string, CalendarEntries>;
  readonly calendars: Map<string, Row>;
  readonly zones: Map<string, Row>;
  /** Primary calendars by owner. */
  readonly primaries: Map<string, string>;
  /** By key, as all that follows. */
  readonly events: Map<string, Row>;
  /** By the key of the series. */
  readonly exceptions: Map<string, Row[]>;
  /** By the key of the series: its exception at the original start that is asked for. */
  readonly originals: Map<string, EntryRef>;
  readonly counts: Map<string, number>;
  /** Rows of the request and of mails. */
  readonly others: Row[];
}

export const noRows = (): LoadedRows => ({
  sent: new Set(),
  entries: new Map(),
  calendars: new Map(),
  zones: new Map(),
  primaries: new Map(),
  events: new Map(),
  exceptions: new Map(),
  originals: new Map(),
  counts: new Map(),
  others: [],
});

const refOf = ({ b, c, d }: Row): EntryRef => ({
  home: b as string,
  key: c as string,
  seriesKey: (d ?? null) as string | null,
});

const takes: Readonly<Record<string, (rows: LoadedRows, at: string, row: Row) => void>> = {
  calendar: ({ calendars }, at, row) => calendars.set(at, row),
  zone: ({ zones }, _at, row) => zones.set(row.a as string, row),
  primary: ({ primaries }, at, { a }) => primaries.set(at, a as string),
  place: (rows, at, row) => entriesAt(rows, at).byId.set(row.a as string, refOf(row)),
  uid: (rows, at, row) => entriesAt(rows, at).uids.push(refOf(row)),
  event: ({ events }, _at, row) => events.set(row.a as string, row),
  exception({ exceptions }, _at, row) {
    const series = row.a as string;
    const known = exceptions.get(series) ?? [];
    exceptions.set(series, [...known.filter(({ b }) => b !== row.b), row]);
  },
  original({ events, originals }, at, row) {
    originals.set(row.b as string, { home: at, key: row.a as string, seriesKey: row.b as string });
    events.set(row.a as string, row);
  },
  exceptions: ({ counts }, _at, { a, n }) => counts.set(a as string, n as number),
};

function entriesAt({ entries }: LoadedRows, calendarId: string): CalendarEntries {
  const known = entries.get(calendarId) ?? { byId: new Map(), uids: [] };
  entries.set(calendarId, known);
  return known;
}

/** Adds the rows of a statement that went to the shard of a calendar, or of an owner. */
export function addRows(loaded: LoadedRows, at: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const take = takes[row.kind as string];
    if (take) take(loaded, at, row);
    else loaded.others.push(row);
  }
}

/** The calendar of the target, and those of the guests, as far as they were found. */
export interface LoadedCalendars {
  /** Undefined where there is no such calendar. */
  readonly calendarId: string | undefined;
  readonly entries: CalendarEntries;
  readonly guests: readonly LoadedGuest[];
}

interface LoadedGuest {
  readonly guest: string;
  readonly calendarId: string;
  readonly entries: CalendarEntries;
}

const nothing: CalendarEntries = { byId: new Map(), uids: [] };

export function calendarsIn(
  { target, calendarId, guests }: LoadRequest,
  { entries, primaries, calendars }: LoadedRows,
): LoadedCalendars {
  const id = 'primaryOf' in target.calendar ? primaries.get(calendarId) : calendarId;
  const found = id !== undefined && calendars.has(id) ? id : undefined;
  return {
    calendarId: found,
    entries: (found !== undefined && entries.get(found)) || nothing,
    guests: guests.flatMap((guest) => {
      const own = primaries.get(guest);
      return own === undefined ? [] : [{ guest, calendarId: own, entries: entries.get(own) ?? nothing }];
    }),
  };
}

/** The event with the target's id on a calendar: what stands there, or the exception that its series has at the original start. */
export function holderOn(
  { byId }: CalendarEntries,
  { event, named }: EventIds,
  { originals }: LoadedRows,
): EntryRef | undefined {
  const series = named === undefined ? undefined : byId.get(named);
  return byId.get(event) ?? (series && originals.get(series.key));
}

/** The keys of all events that the target leads to, and of their series. */
export function keysIn(request: LoadRequest, rows: LoadedRows): Set<string> {
  const { entries, guests } = calendarsIn(request, rows);
  const holders = [entries, ...guests.map((guest) => guest.entries)]
    .map((one) => holderOn(one, request.ids, rows))
    .filter((one) => one !== undefined);
  return new Set(
    [...entries.byId.values(), ...entries.uids, ...holders].flatMap(({ key, seriesKey }) =>
      seriesKey === null ? [key] : [key, seriesKey],
    ),
  );
}
