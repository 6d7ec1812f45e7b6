import type { AttendeeChangesInput, EventFieldsFragment } from '../gql/graphql.ts';

/** A row of the guest list. */
export interface Guest {
  /** Identifies the row while its address changes. */
  readonly key: string;
  readonly email: string;
  /** The stored guest; undefined for a new one. */
  readonly attendee?: Pick<
    NonNullable<EventFieldsFragment['attendees']>[number],
    'displayName' | 'responseStatus' | 'self' | 'organizer'
  >;
}

interface GuestChanges {
  readonly add: readonly Guest[];
  readonly remove: readonly Guest[];
}

type Guests = readonly Guest[];

const addressOf = ({ email }: Guest): string => email.trim().toLowerCase();
const addressesIn = (guests: Guests): ReadonlySet<string> => new Set(guests.map(addressOf));

/**
 * Finds the guests that were added and removed between the stored list (`before`) and the list of the form
 * (`now`). Such changes by two people can always be combined.
 */
function compareGuests(before: Guests, now: Guests): GuestChanges {
  const [addressesBefore, addressesNow] = [addressesIn(before), addressesIn(now)];
  return {
    add: now.filter((guest) => !guest.attendee && !addressesBefore.has(addressOf(guest))),
    remove: before.filter((guest) => guest.email !== '' && !addressesNow.has(addressOf(guest))),
  };
}

/** Whether the list of the form has other guests than the stored one. */
export const hasGuestChanges = (before: Guests, now: Guests): boolean => {
  const { add, remove } = compareGuests(before, now);
  return add.length + remove.length > 0;
};

/** Creates the input of changed guests; undefined if there are none. */
export function toAttendeeChanges(before: Guests, now: Guests): AttendeeChangesInput | undefined {
  const { add, remove } = compareGuests(before, now);
  if (add.length + remove.length === 0) return undefined;
  return { add: add.map(({ email }) => ({ email })), remove: remove.map(({ email }) => email) };
}

/** Applies the changes from `before` to `mine` to the other person's list. */
export function rebaseGuests(before: Guests, mine: Guests, theirs: Guests): Guests {
  const { add, remove } = compareGuests(before, mine);
  const [theirAddresses, removedAddresses] = [addressesIn(theirs), addressesIn(remove)];
  return [
    ...theirs.filter((guest) => !removedAddresses.has(addressOf(guest))),
    ...add.filter((guest) => !theirAddresses.has(addressOf(guest))),
  ];
}

/** Maps the path of an issue in `attendeeChanges` to the form, where an added guest has another index. */
export function toFormPath(
  path: readonly (string | number)[],
  before: Guests,
  now: Guests,
): readonly (string | number)[] {
  const [argument, changeKind, index, ...fieldPath] = path;
  if (argument !== 'attendeeChanges') return path;
  const guest =
    changeKind === 'add' && typeof index === 'number' ? compareGuests(before, now).add[index] : undefined;
  return guest ? ['event', 'attendees', now.indexOf(guest), ...fieldPath] : ['event', 'attendees'];
}
