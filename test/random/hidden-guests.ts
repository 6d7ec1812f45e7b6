import { alice, bob, carol, eve, rita, wanda } from '../event/event.harness.ts';
import { randomResponse, randomAttendeeChanges } from './bodies.ts';
import { dave } from './cast.ts';
import {
  makeRequest,
  type CreatedEvent,
  type History,
  type MakeRequest,
  type Operation,
  type Request,
} from './operation.ts';
import type { Random } from './seed.ts';
import type { EventReference } from './references.ts';
import { randomEvent } from './roles.ts';

/** Guests of Alice's events who are hidden from Bob, and from Rita, a guest of each event and reader of Alice's calendar. */
const hiddenEmails = [carol, dave, eve, 'guest@elsewhere.example'] as const;
type Body = Readonly<Record<string, unknown>>;

/** Whether the caller is an observer: one who may not notice hidden guests or their changes. */
export const isSentByObserver = ({ as, args: { calendarId } }: Request): boolean =>
  calendarId === bob || (as === bob && calendarId === 'primary') || (as === rita && calendarId === alice);

/** Whether the caller is a hidden guest, or writes to the calendar of one. */
export const isSentByHiddenGuest = ({ as, args: { calendarId } }: Request): boolean =>
  [carol, dave].some((guest) => guest === as || guest === calendarId) ||
  ((hiddenEmails as readonly string[]).includes(as) && calendarId === 'primary');

/** Whether Alice acts, or a writer of her calendar. Both see all guests. */
const isSentByAliceOrWriter = ({ as, args: { calendarId } }: Request): boolean =>
  as === alice || (as === wanda && calendarId === alice);

/** Whether a move concerns an event or the calendar of Alice. The new organizer of an event may see all its guests. */
const concernsAlice = ({ args }: Operation, events: History['events']): boolean =>
  args.destination === alice ||
  args.calendarId === alice ||
  events.find(({ step }) => step === (args.eventId as EventReference).$event)?.owner === alice;

/** Whether Alice organizes an event, so that she sees its guests. */
const isOrganizedByAlice = ({ owner, isForeign }: CreatedEvent): boolean => owner === alice && !isForeign;

/** Arguments of an operation on one event. */
type EventArgs = Readonly<{ event?: Body; eventId?: EventReference; calendarId: string }>;

/**
 * Converts an operation to its variant in one of two worlds, which differ in Alice's hidden guests. Alice's requests must
 * not depend on them: they have no `ifMatch`, an event is read before it is sent back, and no instances are inserted,
 * since a hidden guest may have changed them.
 */
export function toWorldVariant(
  random: Random,
  operation: Operation,
  { events }: History,
  guestsCanModify: boolean,
): readonly Operation[] {
  if (operation.name === 'moveEvent' && concernsAlice(operation, events)) return [];
  if (!isSentByAliceOrWriter(operation)) return [operation];
  const { step, as, creates } = operation;
  const { ifMatch: _ifMatch, ...args } = operation.args;
  const { event, eventId, calendarId } = args as EventArgs;
  if (event?.recurringEventId !== undefined) return [];
  const changedEvent = creates ?? events.find((created) => created.step === eventId?.$event);
  if (!event || !changedEvent || !isOrganizedByAlice(changedEvent)) return [{ ...operation, args }];
  const readRequests = eventId
    ? [{ step: step - 0.1, name: 'event', as, args: { calendarId, eventId } }]
    : [];
  const attendeeArgs =
    event.attendees === undefined && !creates ? {} : { attendees: varyGuests(random, event.attendees, step) };
  // A hidden guest may already use a chosen ID for another event, which would be visible.
  const { id: chosenId, ...body } = event;
  const changes = args.attendeeChanges
    ? { attendeeChanges: varyChanges(random, args.attendeeChanges, step) }
    : {};
  const idArgs = creates ? {} : { id: chosenId };
  const variant = { ...body, ...idArgs, guestsCanSeeOtherGuests: false, guestsCanModify, ...attendeeArgs };
  return [...readRequests, { ...operation, args: { ...args, ...changes, event: variant } }];
}

const withRandomName = (random: Random, email: string): Body => ({
  email,
  ...(random.chance(0.3) && { displayName: 'Hidden' }),
});

/** Keeps the visible guests of a list, and inserts different hidden guests at random positions. */
function varyGuests(random: Random, list: unknown, step: number): unknown {
  const newGuest = `step${step}@elsewhere.example`;
  const includesEmail = (emails: readonly string[], email: unknown): boolean =>
    emails.includes(String(email).toLowerCase());
  if (list && !Array.isArray(list)) {
    const { entry, ...reference } = list as { readonly as: string; readonly entry: Body };
    return reference.as === 'reversed' || !includesEmail([rita, ...hiddenEmails], entry.email)
      ? list
      : { ...reference, as: 'with', entry: { email: newGuest } };
  }
  const visibleGuests = ((list ?? []) as Body[]).filter(({ email }) => !includesEmail(hiddenEmails, email));
  const result: Body[] = [
    ...visibleGuests,
    ...(visibleGuests.some(({ email }) => includesEmail([rita], email)) ? [] : [{ email: rita }]),
  ];
  for (const email of [newGuest, ...random.pickSome(hiddenEmails)])
    result.splice(random.integerBelow(result.length + 1), 0, withRandomName(random, email));
  return result;
}

interface AttendeeChanges {
  readonly add?: readonly Body[];
  readonly remove?: readonly string[];
}

/** Keeps the changes of visible guests, and varies those of hidden guests. Rita stays, or she would see the list. */
function varyChanges(
  random: Random,
  { add = [], remove = [] }: AttendeeChanges,
  step: number,
): AttendeeChanges {
  const isVisible = (email: unknown): boolean =>
    !(hiddenEmails as readonly string[]).includes(String(email).toLowerCase());
  const hiddenToChange = random.pickSome(hiddenEmails);
  const hiddenToAdd = hiddenToChange.slice(0, random.integerBelow(hiddenToChange.length + 1));
  return {
    add: [
      ...add.filter(({ email }) => isVisible(email)),
      ...[`step${step}@elsewhere.example`, ...hiddenToAdd].map((email) => withRandomName(random, email)),
    ],
    remove: [
      ...remove.filter((email) => isVisible(email) && email.toLowerCase() !== rita),
      ...hiddenToChange.slice(hiddenToAdd.length),
    ],
  };
}

/** Bob sends back an event of Alice as shown. Whether notices are sent must not depend on hidden guests. */
export const sendBackAsGuest: MakeRequest = (random, history) => {
  const events = history.events.filter(isOrganizedByAlice);
  if (events.length === 0) return [];
  const { eventId } = randomEvent(random, { ...history, events });
  const caller = { as: bob, calendarId: 'primary' };
  const event = { $shown: eventId, nulls: true, but: {} };
  const controls = { sendUpdates: 'all', supportsAttachments: true, conferenceDataVersion: 1 };
  const patch = makeRequest(caller, 'patchEvent', { eventId, event, ...controls });
  return [makeRequest(caller, 'event', { eventId }), patch];
};

/** Bob changes guests of an event of Alice, who may be hidden guests or strangers. */
export const changeGuestsAsGuest: MakeRequest = (random, history) => {
  const events = history.events.filter(isOrganizedByAlice);
  if (events.length === 0) return [];
  const { eventId } = randomEvent(random, { ...history, events });
  const attendeeChanges = randomAttendeeChanges(random, bob);
  const args = { eventId, attendeeChanges, event: {}, sendUpdates: 'all' };
  return [makeRequest({ as: bob, calendarId: 'primary' }, 'patchEvent', args)];
};

/** Lists a calendar as a caller who may not see hidden guests. */
export const listAsObserver: MakeRequest = (random) => {
  const caller = random.pick([
    { as: bob, calendarId: bob },
    { as: rita, calendarId: alice },
  ]);
  const deletedArgs = random.chance(0.5) ? { showDeleted: true } : {};
  const orderArgs = random.chance(0.3) ? { orderBy: 'updated' } : {};
  return [makeRequest(caller, 'events', { ...deletedArgs, ...orderArgs, first: 400 })];
};

/** A change that only Alice and hidden guests may notice. */
export const makeHiddenChange =
  (guestsCanModify: boolean): MakeRequest =>
  (random, history) => {
    const events = history.events.filter(isOrganizedByAlice);
    if (events.length === 0) return [];
    const { eventId } = randomEvent(random, { ...history, events });
    const as = random.pick([carol, dave]);
    // Not on an instance: it would get its own guest list, which guests invited to the series later would notice.
    const newGuest = { email: `newcomer${random.integerBelow(3)}@elsewhere.example` };
    const guestChanges: readonly Body[] = [
      { attendeesOmitted: true, attendees: [randomResponse(random, as)] },
      { attendeesOmitted: true, attendees: [randomResponse(random, as)] },
      { colorId: random.pick(['2', '3', null]) },
      { reminders: random.pick([null, { useDefault: false, overrides: [{ method: 'popup', minutes: 7 }] }]) },
      { transparency: random.pick(['opaque', 'transparent']) },
      { visibility: random.pick(['private', 'default']) },
      { extendedProperties: { private: { one: 'a' } } },
      // A guest who may modify the event could otherwise set its status for everybody.
      { status: guestsCanModify ? 'cancelled' : random.pick(['cancelled', 'confirmed', 'tentative']) },
      ...(eventId.at === undefined
        ? [{ attendees: { $guestsOf: eventId, as: 'with', entry: newGuest } }]
        : []),
    ];
    const alicesChanges: readonly AttendeeChanges[] = [
      { add: [newGuest] },
      { remove: [newGuest.email, eve] },
      { add: [{ email: eve, displayName: 'E' }], remove: [carol] },
    ];
    const patchEventAs = (email: string, event: Body, attendeeChanges?: AttendeeChanges): Request[] => {
      const caller = { as: email, calendarId: 'primary' };
      const changes = attendeeChanges ? { attendeeChanges } : {};
      const args = { eventId, ...changes, event, sendUpdates: random.pick(['all', 'none']) };
      return [makeRequest(caller, 'event', { eventId }), makeRequest(caller, 'patchEvent', args)];
    };
    if (random.chance(0.15)) return [makeRequest({ as, calendarId: 'primary' }, 'deleteEvent', { eventId })];
    if (random.chance(0.2)) {
      const ownEntry = randomResponse(random, as);
      const addedStrangers = eventId.at === undefined && random.chance(0.5) ? [newGuest] : [];
      return patchEventAs(as, {}, { add: [ownEntry, ...addedStrangers] });
    }
    if (random.chance(0.7)) return patchEventAs(as, random.pick(guestChanges));
    if (eventId.at === undefined && random.chance(0.4))
      return patchEventAs(alice, {}, random.pick(alicesChanges));
    if (eventId.at !== undefined) return [];
    const guestListChange = random.pick(['with', 'without']);
    const entry = random.pick([newGuest, { email: eve }]);
    return patchEventAs(alice, { attendees: { $guestsOf: eventId, as: guestListChange, entry } });
  };
