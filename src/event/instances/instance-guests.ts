import { addressKey } from '../../core/text/email.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import {
  copyStateOn,
  type Answer,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type StoredEvent,
} from '../model/record.ts';

/** Guests with calendars here who were taken off a series, and so off its instances unless invited to one since. */
export const uninvitedGuestsOf = (
  series: EventRecord,
  exception?: EventRecord,
): ReadonlySet<string | undefined> =>
  new Set(
    Object.entries(series.copies).flatMap(([calendarId, { state, guest }]) =>
      state === 'uninvited' && !exception?.copies[calendarId]?.apart ? [guest] : [],
    ),
  );

function applyAnswers(guests: readonly Attendee[], answers: InstancePart['answers']): readonly Attendee[] {
  if (Object.keys(answers).length === 0) return guests;
  return guests.map((entry) => {
    const answer = answers[attendeeKey(entry) ?? ''];
    return answer ? { ...withoutAnswer(entry), ...answer } : entry;
  });
}

/** Guests of an event as others see them, with an instance's own answers, by `addressKey`. `onlyKey` selects one guest. */
export function shownGuests(event: StoredEvent, onlyKey?: string): ReadonlyMap<string, Attendee> {
  const { record, series } = event;
  const guestsByKey = new Map<string, Attendee>();
  const guests = guestsOf(event).filter(
    ({ email }) => email !== undefined && (onlyKey === undefined || addressKey(email) === onlyKey),
  );
  if (guests.length === 0) return guestsByKey;
  const removedKeys = removedGuests(event);
  for (const entry of series ? guestsWithAnswers(guests, series, record) : guests)
    guestsByKey.set(addressKey(entry.email as string), asShown(entry, removedKeys));
  return guestsByKey;
}

/** Adds to an instance's guest list the answers to the instance, or else to its series. */
export const guestsWithAnswers = (
  list: readonly Attendee[],
  series: EventRecord,
  exception: EventRecord,
): readonly Attendee[] =>
  exception.core.attendees
    ? answerOwnList(list, series, exception)
    : applyAnswers(list, exception.instance?.answers ?? {});

/** Guest list of an event; an instance without its own list has that of its series. */
const guestsOf = ({ record: { core }, series }: StoredEvent): readonly Attendee[] =>
  (core.attendees === undefined ? series?.core.attendees : core.attendees) ?? [];

/** Adds answers to an instance's own list. Answers to the series apply to guests who did not answer the instance. */
function answerOwnList(
  list: readonly Attendee[],
  series: EventRecord,
  exception: EventRecord,
): readonly Attendee[] {
  const [uninvited, answers] = [uninvitedGuestsOf(series, exception), exception.instance?.answers ?? {}];
  const seriesGuests = new Map((series.core.attendees ?? []).map((entry) => [attendeeKey(entry), entry]));
  return list.flatMap((entry) => {
    const key = attendeeKey(entry);
    if (uninvited.has(key)) return [];
    const inherited = seriesGuests.get(key);
    const answer = answers[key ?? ''] ?? (isAnswered(entry) || !inherited ? undefined : answerOf(inherited));
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

/** Guests who removed an event, or a composed instance, from their calendars: they count as declined. */
export function removedGuests({ record: { copies }, record, series }: StoredEvent): RemovedGuests {
  let removedKeys: Set<string | undefined> | undefined;
  const addRemoved = (state: EventCopy['state'] | undefined, { guest }: EventCopy): void => {
    if (state === 'removed') (removedKeys ??= new Set()).add(guest);
  };
  for (const id in copies)
    addRemoved(series ? copyStateOn(id, series, record) : copies[id]?.state, copies[id] as EventCopy);
  for (const id in series?.copies)
    if (!copies[id]) addRemoved(copyStateOn(id, series, record), series.copies[id] as EventCopy);
  return removedKeys;
}

export type RemovedGuests = ReadonlySet<string | undefined> | undefined;

/** Entry of a guest as others see it. */
export const asShown = (entry: Attendee, removedKeys: RemovedGuests): Attendee =>
  removedKeys?.has(attendeeKey(entry)) ? { ...entry, responseStatus: 'declined' } : entry;
