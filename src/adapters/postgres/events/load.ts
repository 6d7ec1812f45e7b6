import type { Read, Row, Statement } from '../database.ts';
import { mailedStatement } from '../mailed.ts';
import {
  type EventIds,
  fetchStatement,
  instanceKeys,
  type Look,
  lookStatement,
  primaryStatement,
  type Wanted,
  zoneStatement,
} from './load-statements.ts';
import { calendarFrom } from '../find-calendars.ts';
import { indexKey, lookupKey } from '../transaction.ts';
import { recordFrom } from '../stored-json.ts';
import { earlierFrom, findRequest } from '../request-records.ts';
import { grouped } from '../../../core/patch.ts';
import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import { changesAnything, type EventRecord, instanceOf } from '../../../event/model/record.ts';

/** Values that a change is decided on, and that are needed to store it. */
export interface Loaded {
  readonly found: ChangeState;
  /** How often the exceptions of a series had changed, by its key. */
  readonly exceptionRevisions: ReadonlyMap<string, number>;
  /** By the key of a series: of the event and of what guests have under its id. */
  readonly exceptions: ReadonlyMap<string, readonly EventRecord[]>;
  /** The time zones of all calendars on which any of it stands, and of the guests'. */
  readonly zones: ReadonlyMap<string, string>;
  /** The keys of the events with the target's iCalUID. */
  readonly uidKeys: readonly string[];
  /** Rows of the caller's mails. */
  readonly mailRows: readonly Row[];
}

const maxTurns = 3;

/** More that is loaded with a target. */
interface LoadOptions {
  readonly now: number;
  /** Calendars that the change may be about, beside those that the target leads to. */
  readonly calendarIds: readonly string[];
}

/**
 * Loads what a target names, shard by shard: what is found on one leads to others. The statements of a step leave together; a change that
 * an organizer makes of an event of their own calendar takes one step.
 */
export async function loadChange(read: Read, target: ChangeTarget, options: LoadOptions): Promise<Loaded> {
  const request = requestFor(target);
  for (let turn = 1; ; turn += 1) {
    const rows = noRows();
    for (let asks = firstAsks(request, options); ; asks = nextAsks(request, rows)) {
      const unsent = asks.filter(
        ({ at, statement, what = statement.name }) => rows.sent.size < rows.sent.add(`${what} ${at}`).size,
      );
      if (unsent.length === 0) break;
      const all = await read(unsent.map(({ statement }) => statement));
      for (const [index, { at }] of unsent.entries()) addRows(rows, at, all[index] as readonly Row[]);
    }
    // Between two steps an event may have been taken to another home.
    if (turn === maxTurns || [...keysIn(request, rows)].every((key) => rows.events.has(key)))
      return loadedFrom(request, rows);
  }
}

function requestFor(target: ChangeTarget): LoadRequest {
  const { calendar: ref, eventId, seriesId, guests } = target;
  const [named, original] = instanceOf(eventId) ? instanceKeys(eventId) : [];
  const ids = {
    event: indexKey(eventId),
    series: seriesId === undefined ? undefined : indexKey(seriesId),
    named,
    original,
  };
  const calendarId =
    'removedId' in ref
      ? lookupKey(ref.removedId)
      : lookupKey('id' in ref ? ref.id : addressKey(ref.primaryOf));
  return { target, ids, guests: guests.map(lookupKey), calendarId };
}

const look = (one: Look): Ask => ({ at: one.calendarId, statement: lookStatement(one), what: 'look' });
const zone = (calendarId: string): Ask => ({ at: calendarId, statement: zoneStatement(calendarId) });

/** A look at the calendar that the target names. */
function lookAtTarget(
  { target: { calendar, divides, iCalUID }, ids }: LoadRequest,
  calendarId: string,
  isOwner = false,
): Ask {
  const record = 'removedId' in calendar ? 'removed_calendars' : 'calendars';
  return look({
    calendarId,
    record,
    isOwner,
    ids,
    divides,
    counts: true,
    iCalUID: iCalUID === undefined ? undefined : indexKey(iCalUID),
  });
}

function firstAsks(request: LoadRequest, { now, calendarIds }: LoadOptions): Ask[] {
  const {
    target: { calendar, request: earlier, mailsBy },
    guests,
    calendarId,
  } = request;
  const forMails = mailsBy === undefined ? [] : [mailedStatement(mailsBy)];
  return [
    lookAtTarget(request, calendarId, 'primaryOf' in calendar),
    ...guests.map((guest) => ({ at: guest, statement: primaryStatement(guest) })),
    ...calendarIds.map(zone),
    ...(earlier ? [{ at: '', statement: findRequest(earlier, now) }] : []),
    ...forMails.map((statement) => ({ at: '', statement })),
  ];
}

/** Statements for what is missing by what was found. */
function nextAsks(request: LoadRequest, rows: LoadedRows): Ask[] {
  const { target, ids, calendarId } = request;
  const found = calendarsIn(request, rows);
  const primary = 'primaryOf' in target.calendar ? rows.primaries.get(calendarId) : undefined;
  const looks = [
    ...(primary !== undefined && primary !== calendarId ? [lookAtTarget(request, primary)] : []),
    ...found.guests
      .map((guest) => look({ calendarId: guest.calendarId, ids }))
      .filter(({ at }) => at !== primary),
  ].filter(({ at }) => !rows.sent.has(`look ${at}`));
  const fetches = fetchesOf(request, rows, found);
  const known = new Set([
    ...rows.zones.keys(),
    found.calendarId,
    ...[...looks, ...fetches].map(({ at }) => at),
  ]);
  const copied = [...keysIn(request, rows)].flatMap((key) =>
    [rows.events.get(key), ...(rows.exceptions.get(key) ?? [])].flatMap((row) =>
      row ? Object.keys(recordFrom(row.body).copies) : [],
    ),
  );
  const wanted = new Set([...copied, ...found.guests.map((guest) => guest.calendarId)]);
  return [...looks, ...fetches, ...[...wanted].filter((id) => !known.has(id)).map(zone)];
}

/** The calendar with which the event is stored, or is to be. */
export const homeOf = ({ event, series, calendar }: ChangeState): string | undefined =>
  (event ?? series)?.homeId ?? calendar?.id;

function loadedFrom(request: LoadRequest, rows: LoadedRows): Loaded {
  const { target, ids } = request;
  const { calendarId, entries, guests } = calendarsIn(request, rows);
  const keys = keysIn(request, rows);
  const records = new Map(
    [...keys].flatMap((key) => {
      const row = rows.events.get(key);
      return row
        ? [[key, { record: recordFrom(row.body), exceptionRevision: row.n as number }] as const]
        : [];
    }),
  );
  const recordOf = (entry: string | null | undefined): EventRecord | undefined =>
    records.get(entry ?? '')?.record;
  const exceptions = new Map(
    [...keys].flatMap((key) => {
      const own = rows.exceptions.get(key);
      return own ? [[key, own.map(({ body }) => recordFrom(body))] as const] : [];
    }),
  );
  const calendar = calendarId === undefined ? undefined : rows.calendars.get(calendarId);
  const holder = holderOn(entries, ids, rows);
  const event = recordOf(holder?.key);
  const ofSeries = ids.series === undefined ? undefined : entries.byId.get(ids.series);
  const series = recordOf(holder?.seriesKey ?? ofSeries?.key);
  const divided = holder && holder.seriesKey === null ? holder.key : target.divides ? series?.key : undefined;
  const earlier = rows.others.find(({ kind }) => kind === 'request');
  const zones = new Map([...rows.zones].map(([id, { b }]) => [id, b as string]));
  // Nothing is written any more on a calendar that was deleted.
  if (calendar && !('removedId' in target.calendar)) zones.set(calendar.a as string, calendar.b as string);
  return {
    found: {
      calendar: calendar && calendarFrom(calendar.body),
      event,
      series,
      ofSeries: exceptions.get(divided ?? '') ?? [],
      exceptions: (ofSeries && !(event && changesAnything(event)) && rows.counts.get(ofSeries.key)) || 0,
      sameUid: entries.uids.flatMap(({ key }) => recordOf(key) ?? []),
      guests: new Map(
        guests.map(({ guest, calendarId: id, entries: there }): [string, GuestCalendar] => [
          guest,
          {
            calendarId: id,
            holder: recordOf(holderOn(there, ids, rows)?.key),
            seriesKey: ids.series === undefined ? undefined : there.byId.get(ids.series)?.key,
          },
        ]),
      ),
      ownerOf: (id) =>
        id === calendar?.a
          ? calendarFrom(calendar.body).owner
          : (rows.zones.get(id)?.c as string | undefined),
      zoneOf: (id) => zones.get(id),
      mailRoom: undefined,
      earlier: earlier && earlierFrom(earlier.a, earlier.body),
    },
    exceptionRevisions: new Map([...records].map(([key, { exceptionRevision }]) => [key, exceptionRevision])),
    exceptions,
    zones,
    uidKeys: entries.uids.map(({ key }) => key),
    mailRows: rows.others,
  };
}

/** Statements for the homes of events whose records the calendars on which they stand did not have themselves. */
function fetchesOf(
  { target, ids }: LoadRequest,
  rows: LoadedRows,
  { calendarId, entries, guests }: LoadedCalendars,
): Ask[] {
  const wanted: Wanted[] = [];
  const add = (home: string, key: string | null, ...kinds: readonly Wanted['kind'][]): void => {
    for (const kind of kinds) {
      const what = `${kind} ${home} ${key}`;
      if (key !== null && rows.sent.size < rows.sent.add(what).size) wanted.push({ kind, home, key });
    }
  };
  const addEvent = ({ home, key, seriesKey }: EntryRef): void => {
    for (const one of [key, seriesKey]) if (!rows.events.has(one ?? '')) add(home, one, 'record');
  };
  /** Also of those that are known: an event and its exceptions are to be of one moment. */
  const addRoot = (on: string, { home, key }: EntryRef): void => {
    if (home !== on && rows.entries.get(home)?.byId.get(ids.event)?.key !== key)
      add(home, key, 'record', 'exceptions');
  };
  const addOriginal = (on: string, { byId }: CalendarEntries): void => {
    const series = ids.named === undefined || byId.has(ids.event) ? undefined : byId.get(ids.named);
    if (!series || series.home === on || rows.originals.has(series.key)) return;
    addEvent(series);
    add(series.home, series.key, 'original');
  };
  const [event, series] = [ids.event, ids.series].map((id) =>
    id === undefined ? undefined : entries.byId.get(id),
  );
  if (calendarId !== undefined) {
    for (const entry of [...entries.byId.values(), ...entries.uids])
      if (entry.home !== calendarId) addEvent(entry);
    for (const root of [event, target.divides ? series : undefined]) if (root) addRoot(calendarId, root);
    addOriginal(calendarId, entries);
    if (series && series.home !== calendarId) add(series.home, series.key, 'count');
  }
  for (const guest of guests) {
    const own = guest.entries.byId.get(ids.event);
    if (own && own.home !== guest.calendarId) addEvent(own);
    if (own) addRoot(guest.calendarId, own);
    addOriginal(guest.calendarId, guest.entries);
  }
  return [...grouped(wanted, ({ home }) => home)].map(([home, own]) => ({
    at: home,
    statement: fetchStatement(home, own, ids.original),
    what: `fetch ${rows.sent.size}`,
  }));
}

/** Keys that a target is looked up by. */
interface LoadRequest {
  readonly target: ChangeTarget;
  readonly ids: EventIds;
  readonly guests: readonly string[];
  /** The calendar's id; of an owner the address, which is that of the primary calendar as a rule. */
  readonly calendarId: string;
}

/** A statement, and the calendar or the owner whose shard it goes to. */
interface Ask {
  readonly at: string;
  readonly statement: Statement;
  /** Tells what is asked for there, where the name of the statement does not. */
  readonly what?: string;
}

/** Event on a calendar: the calendar that keeps it, its key, and that of its series. */
interface EntryRef {
  readonly home: string;
  readonly key: string;
  readonly seriesKey: string | null;
}

/** Entries of one calendar. */
interface CalendarEntries {
  /** By the event's id there. */
  readonly byId: Map<string, EntryRef>;
  readonly uids: EntryRef[];
}

/** Rows of all shards, as far as they are loaded. */
interface LoadedRows {
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

const noRows = (): LoadedRows => ({
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
function addRows(loaded: LoadedRows, at: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const take = takes[row.kind as string];
    if (take) take(loaded, at, row);
    else loaded.others.push(row);
  }
}

/** The calendar of the target, and those of the guests, as far as they were found. */
interface LoadedCalendars {
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

function calendarsIn(
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
function holderOn(
  { byId }: CalendarEntries,
  { event, named }: EventIds,
  { originals }: LoadedRows,
): EntryRef | undefined {
  const series = named === undefined ? undefined : byId.get(named);
  return byId.get(event) ?? (series && originals.get(series.key));
}

/** The keys of all events that the target leads to, and of their series. */
function keysIn(request: LoadRequest, rows: LoadedRows): Set<string> {
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
