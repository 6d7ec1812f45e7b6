import { addressKey } from '../../core/text/email.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import {
  copyStateOn,
  type GuestResponse,
  type EventCopy,
  type EventRecord,
  type StoredEvent,
} from '../model/record.ts';

/** Guests with a calendar here who were removed from a series, and so from its instances to which they were not invited since. */
export const uninvitedGuestsOf = (
  series: EventRecord,
  exception?: EventRecord,
): ReadonlySet<string | undefined> =>
  new Set(
    Object.entries(series.copies).flatMap(([calendarId, { state, guest }]) =>
      state === 'uninvited' && !exception?.copies[calendarId]?.apart ? [guest] : [],
    ),
  );

/** Guests of an event as others see them, by `addressKey`, with an instance's own responses. `onlyKey` selects one guest. */
export function shownGuests(event: StoredEvent, onlyKey?: string): ReadonlyMap<string, Attendee> {
  const { record, series } = event;
  const guestsByKey = new Map<string, Attendee>();
  const guests = guestsOf(event).filter(
    ({ email }) => email !== undefined && (onlyKey === undefined || addressKey(email) === onlyKey),
  );
  if (guests.length === 0) return guestsByKey;
  const withdrawnKeys = withdrawnGuestsOf(event);
  for (const entry of series ? guestsWithResponses(guests, series, record) : guests)
    guestsByKey.set(addressKey(entry.email as string), entryAsShown(entry, withdrawnKeys));
  return guestsByKey;
}

/**
 * Adds to an instance's guest list the responses to the instance, or else to its series. In an own list, those to
 * the series apply to guests who did not respond to the instance.
 */
export function guestsWithResponses(
  list: readonly Attendee[],
  series: EventRecord,
  exception: EventRecord,
): readonly Attendee[] {
  const instanceResponses = exception.instance?.answers ?? {};
  const hasOwnList = Boolean(exception.core.attendees);
  if (!hasOwnList && Object.keys(instanceResponses).length === 0) return list;
  const uninvitedKeys = uninvitedGuestsOf(series, exception);
  const seriesGuests = hasOwnList ? (series.core.attendees ?? []) : [];
  const seriesGuestByKey = new Map(seriesGuests.map((entry) => [attendeeKey(entry), entry]));
  return list.flatMap((entry) => {
    const key = attendeeKey(entry);
    if (hasOwnList && uninvitedKeys.has(key)) return [];
    const seriesEntry = seriesGuestByKey.get(key);
    const response =
      instanceResponses[key ?? ''] ??
      (hasResponse(entry) || !seriesEntry ? undefined : responseOf(seriesEntry));
    return [response ? { ...withoutResponse(entry), ...response } : entry];
  });
}

/** Guest list of an event; an instance without its own list has that of its series. */
const guestsOf = ({ record: { core }, series }: StoredEvent): readonly Attendee[] =>
  (core.attendees === undefined ? series?.core.attendees : core.attendees) ?? [];

export const hasResponse = (entry: Attendee): boolean => Object.keys(responseOf(entry)).length > 0;

/** Drops the response from a guest's entry. */
export const withoutResponse = ({
  responseStatus: _status,
  comment: _comment,
  additionalGuests: _guests,
  ...entry
}: Attendee): Attendee => entry;

/** Fields of the response in a guest's entry, as far as they are set. */
export const responseOf = ({ responseStatus, comment, additionalGuests }: Attendee): GuestResponse => ({
  ...(responseStatus !== undefined && { responseStatus }),
  ...(comment !== undefined && { comment }),
  ...(additionalGuests !== undefined && { additionalGuests }),
});

/** Keys of the guests who removed an event, or a composed instance, and count as declined. Undefined if there are none. */
export function withdrawnGuestsOf({ record: { copies }, record, series }: StoredEvent): WithdrawnGuests {
  let withdrawnKeys: Set<string | undefined> | undefined;
  const addIfWithdrawn = (state: EventCopy['state'] | undefined, { guest }: EventCopy): void => {
    if (state === 'removed') (withdrawnKeys ??= new Set()).add(guest);
  };
  for (const id in copies)
    addIfWithdrawn(series ? copyStateOn(id, series, record) : copies[id]?.state, copies[id] as EventCopy);
  for (const id in series?.copies)
    if (!copies[id]) addIfWithdrawn(copyStateOn(id, series, record), series.copies[id] as EventCopy);
  return withdrawnKeys;
}

/** Keys of withdrawn guests; undefined if there are none. */
export type WithdrawnGuests = ReadonlySet<string | undefined> | undefined;

/** Entry of a guest as others see it. */
export const entryAsShown = (entry: Attendee, withdrawnKeys: WithdrawnGuests): Attendee =>
  withdrawnKeys?.has(attendeeKey(entry)) ? { ...entry, responseStatus: 'declined' } : entry;
