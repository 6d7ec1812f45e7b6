import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget, Found, GuestCalendar } from '../../../event/event.store.ts';
import { changesAnything, instanceOf, type EventRecord } from '../../../event/model/record.ts';
import { calendarFrom } from '../find-calendars.ts';
import type { Row } from '../database.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { earlierFrom, findRequest } from '../request-records.ts';
import { fromStored } from '../stored-json.ts';
import type { Read } from '../transaction.ts';
import { mailedStatement } from './event-mails.ts';
import { fetchesOf } from './home-fetches.ts';
import {
  addRows,
  calendarsIn,
  holderOn,
  keysIn,
  noRows,
  type Ask,
  type LoadedRows,
  type LoadRequest,
} from './load-rows.ts';
import {
  instanceKeys,
  lookStatement,
  primaryStatement,
  zoneStatement,
  type Look,
} from './load-statements.ts';

/** Values that a change is decided on, and that are needed to store it. */
export interface Loaded {
  readonly found: Found;
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
export interface LoadOptions {
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
export const homeOf = ({ event, series, calendar }: Found): string | undefined =>
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

export const recordFrom = (body: unknown): EventRecord => fromStored<EventRecord>(body);
