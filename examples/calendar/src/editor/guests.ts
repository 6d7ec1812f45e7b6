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
 * Finds the guests that were added and removed between the stored list and the list of the form. Such changes
 * by two people can always be combined.
 */
function compareGuests(storedGuests: Guests, formGuests: Guests): GuestChanges {
  const [storedAddresses, formAddresses] = [addressesIn(storedGuests), addressesIn(formGuests)];
  return {
    add: formGuests.filter((guest) => !guest.attendee && !storedAddresses.has(addressOf(guest))),
    remove: storedGuests.filter((guest) => guest.email !== '' && !formAddresses.has(addressOf(guest))),
  };
}

/** Creates the input of changed guests; undefined if there are none. */
export function toAttendeeChanges(
  storedGuests: Guests,
  formGuests: Guests,
): AttendeeChangesInput | undefined {
  const { add, remove } = compareGuests(storedGuests, formGuests);
  if (add.length + remove.length === 0) return undefined;
  return { add: add.map(({ email }) => ({ email })), remove: remove.map(({ email }) => email) };
}

/** Whether the list of the form has other guests than the stored one. */
export const hasGuestChanges = (storedGuests: Guests, formGuests: Guests): boolean =>
  toAttendeeChanges(storedGuests, formGuests) !== undefined;

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
  storedGuests: Guests,
  formGuests: Guests,
): readonly (string | number)[] {
  const [argument, changeKind, index, ...fieldPath] = path;
  if (argument !== 'attendeeChanges') return path;
  const guest =
    changeKind === 'add' && typeof index === 'number'
      ? compareGuests(storedGuests, formGuests).add[index]
      : undefined;
  return guest ? ['event', 'attendees', formGuests.indexOf(guest), ...fieldPath] : ['event', 'attendees'];
}
