import { attendeeKey } from '../model/attendee-key.ts';
import { noStamp, remainsOf, type EventCopy, type EventRecord, type Stamp } from '../model/record.ts';
import { composeInstance, occurs, uninvitedFrom } from './compose.ts';

/**
 * The exception after a change of its series. An exception without its occurrence loses all it changed, for good; a guest
 * who was taken off the series loses the answer to it; and when guests are hidden from each other, those who saw answers to
 * the exception continue to see that it changed. The very same record when nothing changes.
 */
export function followSeries(old: EventRecord, series: EventRecord, before: EventRecord | undefined): EventRecord {
  const { instance, version } = old;
  if (!instance) return old;
  const isHiding = series.core.guestsCanSeeOtherGuests === false && before?.core.guestsCanSeeOtherGuests !== false;
  const exception = isHiding ? seenGoingOn(old, series) : old;
  if (!instance.emptied && !hasSameStarts(series, before) && !occurs(series, instance.original)) return emptied(exception, series, before);
  const left = before ? leftOf(before, series) : nobody;
  if (left.size === 0 && exception === old) return old;
  const answers = Object.entries(instance.answers).filter(([guest]) => !left.has(guest));
  // Guests with calendars here stay on lists of instances' own, unseen, and are back when they are back on the series.
  const hosted = uninvitedFrom(series);
  const guests = old.core.attendees?.filter((entry) => !left.has(attendeeKey(entry)) || hosted.has(attendeeKey(entry)));
  const isSame = answers.length === Object.keys(instance.answers).length && guests?.length === old.core.attendees?.length;
  if (isSame && exception === old) return old;
  return { ...exception, version: version + 1, core: guests ? { ...exception.core, attendees: guests } : exception.core, instance: { ...instance, answers: Object.fromEntries(answers) } };
}

const nobody: ReadonlySet<string | undefined> = new Set();

/** The guests who were taken off a series. */
function leftOf(before: EventRecord, { core: { attendees = [] } }: EventRecord): ReadonlySet<string | undefined> {
  if (before.core.attendees === attendees) return nobody;
  const guests = new Set(attendees.map(attendeeKey));
  return new Set((before.core.attendees ?? []).map(attendeeKey).filter((guest) => !guests.has(guest)));
}

/** What occurred before does so still: a series may have thousands of exceptions. */
const hasSameStarts = ({ core }: EventRecord, before: EventRecord | undefined): boolean =>
  before !== undefined && before.core.recurrence === core.recurrence && before.core.start === core.start;

/** What was seen of hidden guests' answers before counts as seen by all. */
const seenGoingOn = (exception: EventRecord, { openStamp }: EventRecord): EventRecord =>
  exception.openStamp.tag === noStamp.tag && exception.coreStamp.tag !== noStamp.tag ? { ...exception, openStamp } : exception;

/**
 * An exception that changes nothing any more. Its stamps and copies stay, so that syncs report it to whoever saw it
 * before; copies on calendars without the series become uninvited.
 */
function emptied(exception: EventRecord, series: EventRecord, before = series): EventRecord {
  const { instance, copies, version, coreStamp, openStamp } = exception;
  const renewed = (own: Stamp, now: Stamp): Stamp => (own.tag === noStamp.tag ? noStamp : now);
  const left = Object.entries(copies).map(([calendarId, { id, state, guest, stamp, viewers, remains }]): [string, EventCopy] => {
    const base = { id, stamp: renewed(stamp, series.coreStamp), own: {}, ...(guest !== undefined && { guest }) };
    if (series.copies[calendarId]) return [calendarId, { ...base, state: 'present', ...(viewers && { viewers: renewedFor(viewers, series) }) }];
    const known = state === 'uninvited' ? remains : remainsOf(composeInstance(before, instance?.original ?? '', exception).core);
    return [calendarId, { ...base, state: 'uninvited', ...(state === 'uninvited' && { stamp }), ...(known && { remains: known }) }];
  });
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

/** The users of an instance that is gone lose their settings on it; the stamp makes syncs report that. */
const renewedFor = (viewers: NonNullable<EventCopy['viewers']>, { coreStamp }: EventRecord): NonNullable<EventCopy['viewers']> =>
  Object.fromEntries(Object.keys(viewers).map((identity) => [identity, { stamp: coreStamp, own: {} }]));
