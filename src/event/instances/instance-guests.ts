import { addressKey } from '../../core/text/email.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import {
  stateOn,
  type Answer,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type StoredEvent,
} from '../model/record.ts';

/** Guests with calendars here who were taken off a series, and so off each instance, unless invited to it since. */
export const uninvitedFrom = (
  series: EventRecord,
  exception?: EventRecord,
): ReadonlySet<string | undefined> =>
  new Set(
    Object.entries(series.copies).flatMap(([calendarId, { state, guest }]) =>
      state === 'uninvited' && !exception?.copies[calendarId]?.apart ? [guest] : [],
    ),
  );

/** The guests of the series with what they said to this occurrence alone. */
function withAnswers(guests: readonly Attendee[], answers: InstancePart['answers']): readonly Attendee[] {
  if (Object.keys(answers).length === 0) return guests;
  return guests.map((entry) => {
    const answer = answers[attendeeKey(entry) ?? ''];
    return answer ? { ...withoutAnswer(entry), ...answer } : entry;
  });
}

/** The guests of an event as others see them, with the answers that hold on an instance, by `addressKey`; one alone where `only` names that one. */
export function shownGuests(event: StoredEvent, only?: string): ReadonlyMap<string, Attendee> {
  const { record, series } = event;
  const shown = new Map<string, Attendee>();
  const list = guestsOf(event).filter(
    ({ email }) => email !== undefined && (only === undefined || addressKey(email) === only),
  );
  if (list.length === 0) return shown;
  const removed = removedGuests(event);
  for (const entry of series ? answered(list, series, record) : list)
    shown.set(addressKey(entry.email as string), asShown(entry, removed));
  return shown;
}

/** A list of an instance's, with the answers that hold there: to it, or else to its series. */
export const answered = (
  list: readonly Attendee[],
  series: EventRecord,
  exception: EventRecord,
): readonly Attendee[] =>
  exception.core.attendees
    ? ownGuests(list, series, exception)
    : withAnswers(list, exception.instance?.answers ?? {});

/** Of an instance without a list of its own those of its series. */
const guestsOf = ({ record: { core }, series }: StoredEvent): readonly Attendee[] =>
  (core.attendees === undefined ? series?.core.attendees : core.attendees) ?? [];

/** The guest list of an instance's own: who said nothing to the instance has said what there was said to the series. */
function ownGuests(
  list: readonly Attendee[],
  series: EventRecord,
  exception: EventRecord,
): readonly Attendee[] {
  const [left, answers] = [uninvitedFrom(series, exception), exception.instance?.answers ?? {}];
  const ofSeries = new Map((series.core.attendees ?? []).map((entry) => [attendeeKey(entry), entry]));
  return list.flatMap((entry) => {
    const key = attendeeKey(entry);
    if (left.has(key)) return [];
    const general = ofSeries.get(key);
    const answer = answers[key ?? ''] ?? (isAnswered(entry) || !general ? undefined : answerOf(general));
    return [answer ? { ...withoutAnswer(entry), ...answer } : entry];
  });
}

export const isAnswered = (entry: Attendee): boolean => Object.keys(answerOf(entry)).length > 0;

export const withoutAnswer = ({
  responseStatus: _status,
  comment: _comment,
  additionalGuests: _guests,
  ...entry
}: Attendee): Attendee => entry;

export const answerOf = ({ responseStatus, comment, additionalGuests }: Attendee): Answer => ({
  ...(responseStatus !== undefined && { responseStatus }),
  ...(comment !== undefined && { comment }),
  ...(additionalGuests !== undefined && { additionalGuests }),
});

/** Guests who took an event, or an instance put together with its series, off their calendars: they count as declined. */
export function removedGuests({ record: { copies }, record, series }: StoredEvent): Removed {
  let removed: Set<string | undefined> | undefined;
  const note = (state: EventCopy['state'] | undefined, { guest }: EventCopy): void => {
    if (state === 'removed') (removed ??= new Set()).add(guest);
  };
  for (const id in copies)
    note(series ? stateOn(id, series, record) : copies[id]?.state, copies[id] as EventCopy);
  for (const id in series?.copies)
    if (!copies[id]) note(stateOn(id, series, record), series.copies[id] as EventCopy);
  return removed;
}

export type Removed = ReadonlySet<string | undefined> | undefined;

/** A guest's entry as others see it. */
export const asShown = (entry: Attendee, removed: Removed): Attendee =>
  removed?.has(attendeeKey(entry)) ? { ...entry, responseStatus: 'declined' } : entry;
