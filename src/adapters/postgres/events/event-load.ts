import type { ChangeTarget, Found, GuestCalendar } from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import { calendarFrom } from '../calendars/calendar-load.ts';
import type { Row } from '../database.ts';
import { grouped } from '../grouped.ts';
import { indexKey } from '../lookup.ts';
import { earlierFrom } from '../request-records.ts';
import { fromStored } from '../stored-json.ts';

/** What a change is decided on, and what is needed to store it. */
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
}

/** The calendar with which the event is stored, or is to be. */
export const homeOf = ({ event, series, calendar }: Found): string | undefined =>
  (event ?? series)?.homeId ?? calendar?.id;

export function readLoaded(
  rows: readonly Row[],
  { calendar: ref, eventId, seriesId, guests: asked, divides }: ChangeTarget,
): Loaded {
  const of = (kind: string): Row[] => rows.filter((row) => row.kind === kind);
  const events = new Map(
    of('event').map(({ a, n, body }) => [
      a as string,
      { record: recordFrom(body), exceptionRevision: n as number },
    ]),
  );
  const record = (key: unknown): EventRecord | undefined => events.get(key as string)?.record;
  const at = (id = ''): Row | undefined => of('here').find(({ a }) => a === indexKey(id));
  const [calendar] = of('calendar');
  const [request] = of('request');
  const seriesThere = new Map(of('series there').map(({ a, b }) => [a, b as string]));
  const holders = new Map(
    of('guest').map(({ a, b, c }) => [
      a as string,
      { calendarId: b as string, holder: record(c), seriesKey: seriesThere.get(a) },
    ]),
  );
  const here = at(eventId);
  const uidKeys = of('uid').map(({ a }) => a as string);
  const exceptions = new Map(
    [...grouped(of('exception'), ({ a }) => a as string)].map(([key, found]) => [
      key,
      found.map(({ body }) => recordFrom(body)),
    ]),
  );
  const series = record(here?.c ?? at(seriesId)?.b);
  const owners = new Map(of('zone').map(({ a, c }) => [a as string, c as string]));
  // Nothing is written any more on a calendar that was deleted.
  const zones = new Map(
    [...('removedId' in ref ? [] : of('calendar')), ...of('zone')].map(({ a, b }) => [
      a as string,
      b as string,
    ]),
  );
  return {
    found: {
      calendar: calendar && calendarFrom(calendar.body),
      event: record(here?.b),
      series,
      ofSeries:
        exceptions.get((here && !here.c ? here.b : divides && series ? series.key : '') as string) ?? [],
      exceptions: (of('exceptions')[0]?.n ?? 0) as number,
      sameUid: uidKeys.flatMap((key) => record(key) ?? []),
      guests: new Map(
        asked.flatMap((guest): [string, GuestCalendar][] => {
          const holder = holders.get(guest);
          return holder ? [[guest, holder]] : [];
        }),
      ),
      ownerOf: (calendarId) =>
        calendarId === calendar?.a ? calendarFrom(calendar.body).owner : owners.get(calendarId),
      zoneOf: (calendarId) => zones.get(calendarId),
      mailRoom: undefined,
      earlier: request && earlierFrom(request.a, request.body),
    },
    exceptionRevisions: new Map([...events].map(([key, { exceptionRevision }]) => [key, exceptionRevision])),
    exceptions,
    zones,
    uidKeys,
  };
}

export const recordFrom = (body: unknown): EventRecord => fromStored<EventRecord>(body);
