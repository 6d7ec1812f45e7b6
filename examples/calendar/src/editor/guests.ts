import type { AttendeeChangesInput, EventFieldsFragment } from '../gql/graphql.ts';

export interface Guest {
  readonly key: string;
  readonly email: string;
  /** The guest as stored; undefined for a new one. */
  readonly known?: Pick<
    NonNullable<EventFieldsFragment['attendees']>[number],
    'displayName' | 'responseStatus' | 'self' | 'organizer'
  >;
}

export interface GuestChanges {
  readonly add: readonly Guest[];
  readonly remove: readonly Guest[];
}

type Guests = readonly Guest[];

const addressOf = ({ email }: Guest): string => email.trim().toLowerCase();
const addressesIn = (guests: Guests): ReadonlySet<string> => new Set(guests.map(addressOf));

/** Finds added and removed guests. Such changes by two people can always be combined. */
function guestChanges(before: Guests, now: Guests): GuestChanges {
  const [were, are] = [addressesIn(before), addressesIn(now)];
  return {
    add: now.filter((guest) => !guest.known && !were.has(addressOf(guest))),
    remove: before.filter((guest) => guest.email !== '' && !are.has(addressOf(guest))),
  };
}

export const changesGuests = (before: Guests, now: Guests): boolean => {
  const { add, remove } = guestChanges(before, now);
  return add.length + remove.length > 0;
};

export function attendeeChangesOf(before: Guests, now: Guests): AttendeeChangesInput | undefined {
  const { add, remove } = guestChanges(before, now);
  if (add.length + remove.length === 0) return undefined;
  return { add: add.map(({ email }) => ({ email })), remove: remove.map(({ email }) => email) };
}

/** Applies the user's changes of the common list to the other person's list. */
export function rebasedGuests(before: Guests, mine: Guests, theirs: Guests): Guests {
  const { add, remove } = guestChanges(before, mine);
  const [there, gone] = [addressesIn(theirs), addressesIn(remove)];
  return [
    ...theirs.filter((guest) => !gone.has(addressOf(guest))),
    ...add.filter((guest) => !there.has(addressOf(guest))),
  ];
}

/** Maps the path of an issue in a change of the list to the form, where an added guest has another index. */
export function pathInForm(
  path: readonly (string | number)[],
  before: Guests,
  now: Guests,
): readonly (string | number)[] {
  const [argument, kind, index, ...rest] = path;
  if (argument !== 'attendeeChanges') return path;
  const guest =
    kind === 'add' && typeof index === 'number' ? guestChanges(before, now).add[index] : undefined;
  return guest ? ['event', 'attendees', now.indexOf(guest), ...rest] : ['event', 'attendees'];
}
