import { attendeeKey } from '../model/model.ts';
import { noStamp, type EventCopy, type EventRecord, type Stamp } from '../model/record.ts';
import { occurs } from './compose.ts';

/**
 * What becomes of an exception when its series changes: one whose occurrence is gone loses all it changed, for good, and
 * a guest who was taken off the series loses the answer to it. The very same record when nothing does.
 */
export function followSeries(exception: EventRecord, series: EventRecord): EventRecord {
  const { instance, version } = exception;
  if (!instance) return exception;
  if (!instance.emptied && !occurs(series, instance.original)) return emptied(exception, series);
  const guests = new Set((series.core.attendees ?? []).map(attendeeKey));
  const answers = Object.entries(instance.answers);
  const kept = answers.filter(([guest]) => guests.has(guest));
  return kept.length === answers.length ? exception : { ...exception, version: version + 1, instance: { ...instance, answers: Object.fromEntries(kept) } };
}

/**
 * An exception that changes nothing any more. Whoever saw that it changed something goes on being told of it: stamps and
 * copies stay where they were, the copies beside the series' own as of one who is not invited any more.
 */
function emptied(exception: EventRecord, series: EventRecord): EventRecord {
  const { instance, copies, version, coreStamp, openStamp } = exception;
  const renewed = (own: Stamp, now: Stamp): Stamp => (own.tag === noStamp.tag ? noStamp : now);
  const left = Object.entries(copies).map(([calendarId, { id, guest, stamp, viewers }]): [string, EventCopy] => [calendarId, {
    id,
    state: series.copies[calendarId] ? 'present' : 'uninvited',
    stamp: viewers ? series.coreStamp : renewed(stamp, series.coreStamp),
    own: {},
    ...(guest !== undefined && { guest }),
  }]);
  return {
    ...exception,
    version: version + 1,
    core: {},
    coreStamp: renewed(coreStamp, series.coreStamp),
    openStamp: renewed(openStamp, series.openStamp),
    copies: Object.fromEntries(left),
    ...(instance && { instance: { ...instance, answers: {}, emptied: true } }),
  };
}
