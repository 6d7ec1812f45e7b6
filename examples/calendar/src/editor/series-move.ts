import { Temporal } from 'temporal-polyfill';
import { RefusalError } from '../api/refusal.ts';
import { toZonedTime, formatWithOffset, parseZonedTime, type Times } from '../calendar/event-times.ts';
import type { EventFieldsFragment, EventInput } from '../gql/graphql.ts';

/** A change of times. `zone` is that of the page, for times without a zone of their own. */
export interface TimesChange {
  readonly before: Times;
  readonly after: Times;
  readonly zone: string;
  /** Time zones to store; undefined if the stored ones stay. */
  readonly newZones?: { readonly start: string; readonly end: string };
}

type TimesInput = Required<Pick<EventInput, 'start' | 'end'>>;

/**
 * Creates the input of times. A `dateTime` has its offset and no zone, so the stored zone stays. `wasAllDay`:
 * whether the stored event is all-day; the fields of the other kind are then cleared.
 */
export function toTimesInput({ allDay, start, end }: Times, zone: string, wasAllDay = allDay): TimesInput {
  const changesKind = wasAllDay !== allDay;
  const toInput = (local: Times['start']) =>
    allDay
      ? { date: local.toPlainDate().toString(), ...(changesKind && { dateTime: null }) }
      : { dateTime: formatWithOffset(local, zone), ...(changesKind && { date: null, timeZone: zone }) };
  return { start: toInput(start), end: toInput(end) };
}

/**
 * Creates the patch that moves a series as one of its instances was moved: by the same difference of local
 * times in the zone of the series, so that the hour stays the same all year. The gateway moves the rules and
 * changed instances. Throws if no such patch exists.
 */
export function createSeriesMove(series: EventFieldsFragment, move: TimesChange): TimesInput {
  const { before, after, zone, newZones } = move;
  if (before.allDay !== after.allDay) {
    throw new RefusalError(
      'cannot',
      'A series cannot be changed between whole days and hours here. Change this event alone, or make a new series.',
    );
  }
  const moveSide = (side: 'start' | 'end') => {
    const oldZone = before.allDay ? zone : (series[side]?.timeZone ?? series.start?.timeZone ?? zone);
    const newZone = newZones?.[side] ?? oldZone;
    const shift = toLocalTime(before[side], zone, oldZone).until(toLocalTime(after[side], zone, newZone), {
      largestUnit: 'day',
    });
    const local = readStoredLocalTime(series[side], oldZone).add(shift);
    if (after.allDay) return { date: local.toPlainDate().toString() };
    return { dateTime: formatWithOffset(local, newZone), ...(newZones && { timeZone: newZone }) };
  };
  return { start: moveSide('start'), end: moveSide('end') };
}

/** Whether an instance starts at another time than its series gives it. Its id ends in that time, in UTC. */
export function isMovedInstance({ id, recurringEventId, start }: EventFieldsFragment): boolean {
  const originalStart = /_(\d{8}(?:T\d{6}Z)?)$/.exec(id)?.[1];
  if (!recurringEventId || !originalStart || !(start?.date ?? start?.dateTime)) return false;
  const currentStart =
    start.date ?? Temporal.Instant.from(start.dateTime ?? '').toString({ smallestUnit: 'second' });
  return currentStart.replaceAll(/[-:]/g, '') !== originalStart;
}

/** Converts a time (in the page's `zone`, if it has none of its own) to a local time in another zone. */
const toLocalTime = (time: Times['start'], zone: string, otherZone: string): Temporal.PlainDateTime =>
  toZonedTime(time, zone).withTimeZone(otherZone).toPlainDateTime();

const readStoredLocalTime = (time: EventFieldsFragment['start'], zone: string): Temporal.PlainDateTime =>
  time?.dateTime
    ? parseZonedTime(time.dateTime, zone).toPlainDateTime()
    : Temporal.PlainDate.from(time?.date ?? '').toPlainDateTime();
