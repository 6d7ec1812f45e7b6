import { attendeeKey } from '../model/model.ts';
import { noStamp, type EventCopy, type EventRecord } from '../model/record.ts';
import { occurs } from './compose.ts';

/**
 * What becomes of an exception when its series changes: one whose occurrence is gone loses all it changed, for good, and
 * a guest who was taken off the series loses the answer to it. The very same record when nothing does.
 */
export function followSeries(exception: EventRecord, series: EventRecord): EventRecord {
  const { instance, version } = exception;
  if (!instance || isBlank(exception)) return exception;
  if (!occurs(series, instance.original)) return blank(exception, series);
  const guests = new Set((series.core.attendees ?? []).map(attendeeKey));
  const answers = Object.entries(instance.answers);
  const kept = answers.filter(([guest]) => guests.has(guest));
  return kept.length === answers.length ? exception : { ...exception, version: version + 1, instance: { ...instance, answers: Object.fromEntries(kept) } };
}

/** An exception that changes nothing: its occurrence was gone, and came back as it is by the rules, or not at all. */
export function isBlank({ core, instance, copies }: EventRecord): boolean {
  if (!instance || Object.keys(core).length > 0 || Object.keys(instance.answers).length > 0) return false;
  return Object.values(copies).every(({ state, own, viewers }) => state === 'uninvited' && Object.keys(own).length === 0 && !viewers);
}

/** Copies are never taken away: those beside the series' own are left as of one who is not invited any more. */
function blank(exception: EventRecord, series: EventRecord): EventRecord {
  const { instance, copies, version } = exception;
  const left = Object.entries(copies).flatMap(([calendarId, { id, guest }]): [string, EventCopy][] =>
    series.copies[calendarId] ? [] : [[calendarId, { id, state: 'uninvited', stamp: series.coreStamp, own: {}, ...(guest !== undefined && { guest }) }]]);
  return {
    ...exception,
    version: version + 1,
    core: {},
    coreStamp: noStamp,
    openStamp: noStamp,
    copies: Object.fromEntries(left),
    ...(instance && { instance: { ...instance, answers: {} } }),
  };
}
