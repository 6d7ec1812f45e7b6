import { alice, bob, carol, eve, rita, wanda } from '../event/event.harness.ts';
import { answer, attendeeChanges } from './bodies.ts';
import { dave } from './cast.ts';
import { requestBy, type Known, type Make, type Operation, type Request } from './operation.ts';
import type { Random } from './seed.ts';
import type { EventReference } from './references.ts';
import { anyEvent } from './seats.ts';

/** On Alice's events these are hidden from Bob, and from Rita, who is on each list and reads Alice's calendar. */
const hidden = [carol, dave, eve, 'guest@elsewhere.example'] as const;
type Body = Readonly<Record<string, unknown>>;

/** Whether somebody looks who may not know who else is invited, nor that anything about them changed. */
export const isObserved = ({ as, args: { calendarId } }: Request): boolean =>
  calendarId === bob || (as === bob && calendarId === 'primary') || (as === rita && calendarId === alice);

/** Whether somebody acts who is hidden, or on the calendar of somebody who is. */
export const isHidden = ({ as, args: { calendarId } }: Request): boolean =>
  [carol, dave].some((guest) => guest === as || guest === calendarId) ||
  ((hidden as readonly string[]).includes(as) && calendarId === 'primary');

/** Whether Alice acts, or somebody for her: she sees all guests. */
const isAlices = ({ as, args: { calendarId } }: Request): boolean =>
  as === alice || (as === wanda && calendarId === alice);

/**
 * The requests that an operation comes to in one of two worlds: these differ in the guests that Alice invites beside those
 * who may be known. What she does depends on no change of those: she does it whatever the etag, and looks before she sends
 * back; an instance that she would insert they may have changed before.
 */
export function inOneWorld(
  random: Random,
  operation: Operation,
  { events }: Known,
  guestsCanModify: boolean,
): readonly Operation[] {
  if (!isAlices(operation)) return [operation];
  const {
    step,
    as,
    args: { ifMatch: _ifMatch, ...args },
    makes,
  } = operation;
  const { event, eventId, calendarId } = args as {
    readonly event?: Body;
    readonly eventId?: EventReference;
    readonly calendarId: string;
  };
  if (event?.recurringEventId !== undefined) return [];
  const owner = makes?.owner ?? events.find((made) => made.step === eventId?.$event)?.owner;
  if (!event || owner !== alice) return [{ ...operation, args }];
  const look = eventId ? [{ step: step - 0.1, name: 'event', as, args: { calendarId, eventId } }] : [];
  const list =
    event.attendees === undefined && !makes ? {} : { attendees: invitedTo(random, event.attendees, step) };
  // Under an id of Alice's choice a hidden guest may have another event, which others see.
  const { id: chosen, ...body } = event;
  const changes = args.attendeeChanges
    ? { attendeeChanges: changedBy(random, args.attendeeChanges, step) }
    : {};
  return [
    ...look,
    {
      ...operation,
      args: {
        ...args,
        ...changes,
        event: {
          ...body,
          ...(!makes && { id: chosen }),
          guestsCanSeeOtherGuests: false,
          guestsCanModify,
          ...list,
        },
      },
    },
  ];
}

/** A guest list with the same guests who may be known, and with others at any place of it. Nobody else has such a list. */
function invitedTo(random: Random, list: unknown, step: number): unknown {
  const [newcomer, isIn] = [
    `step${step}@elsewhere.example`,
    (list: readonly string[], email: unknown): boolean => list.includes(String(email).toLowerCase()),
  ];
  if (list && !Array.isArray(list)) {
    const { entry, ...reference } = list as { readonly as: string; readonly entry: Body };
    return reference.as === 'reversed' || !isIn([rita, ...hidden], entry.email)
      ? list
      : { ...reference, as: 'with', entry: { email: newcomer } };
  }
  const seen = ((list ?? []) as Body[]).filter(({ email }) => !isIn(hidden, email));
  const result: Body[] = [
    ...seen,
    ...(seen.some(({ email }) => isIn([rita], email)) ? [] : [{ email: rita }]),
  ];
  for (const email of [newcomer, ...random.some(hidden)])
    result.splice(random.below(result.length + 1), 0, {
      email,
      ...(random.chance(0.3) && { displayName: 'Hidden' }),
    });
  return result;
}

interface Changes {
  readonly add?: readonly Body[];
  readonly remove?: readonly string[];
}

/** The same change of those who may be known, and another of the others. Who reads the list has to stay on it, or sees it. */
function changedBy(random: Random, { add = [], remove = [] }: Changes, step: number): Changes {
  const isKnown = (email: unknown): boolean =>
    !(hidden as readonly string[]).includes(String(email).toLowerCase());
  const others = random.some(hidden);
  const comes = others.slice(0, random.below(others.length + 1));
  return {
    add: [
      ...add.filter(({ email }) => isKnown(email)),
      ...[`step${step}@elsewhere.example`, ...comes].map((email) => ({
        email,
        ...(random.chance(0.3) && { displayName: 'Hidden' }),
      })),
    ],
    remove: [
      ...remove.filter((email) => isKnown(email) && email.toLowerCase() !== rita),
      ...others.slice(comes.length),
    ],
  };
}

/** Bob sends back what he is shown of an event of Alice's: whether anything is told of that may not depend on who is hidden. */
export const sentBack: Make = (random, known) => {
  const events = known.events.filter(({ owner }) => owner === alice);
  if (events.length === 0) return [];
  const { eventId } = anyEvent(random, { ...known, events });
  const seat = { as: bob, calendarId: 'primary' };
  const event = { $shown: eventId, nulls: true, but: {} };
  return [
    requestBy(seat, 'event', { eventId }),
    requestBy(seat, 'patchEvent', {
      eventId,
      event,
      sendUpdates: 'all',
      supportsAttachments: true,
      conferenceDataVersion: 1,
    }),
  ];
};

/** Bob names guests of an event of Alice's, who may be hidden on it, or strangers. */
export const guestsNamed: Make = (random, known) => {
  const events = known.events.filter(({ owner }) => owner === alice);
  if (events.length === 0) return [];
  const { eventId } = anyEvent(random, { ...known, events });
  return [
    requestBy({ as: bob, calendarId: 'primary' }, 'patchEvent', {
      eventId,
      attendeeChanges: attendeeChanges(random, bob),
      event: {},
      sendUpdates: 'all',
    }),
  ];
};

/** All that a calendar shows to somebody from whom guests are hidden there. */
export const observedList: Make = (random) => {
  const seat = random.pick([
    { as: bob, calendarId: bob },
    { as: rita, calendarId: alice },
  ]);
  return [
    requestBy(seat, 'events', {
      ...(random.chance(0.5) && { showDeleted: true }),
      ...(random.chance(0.3) && { orderBy: 'updated' }),
      first: 400,
    }),
  ];
};

/** A change of which nobody may know but hidden guests and Alice. */
export const hiddenChange =
  (guestsCanModify: boolean): Make =>
  (random, known) => {
    const events = known.events.filter(({ owner }) => owner === alice);
    if (events.length === 0) return [];
    const { eventId } = anyEvent(random, { ...known, events });
    const as = random.pick([carol, dave]);
    // Of an instance that would make a list of its own: whoever is invited to the series later sees that.
    const newcomer = { email: `newcomer${random.below(3)}@elsewhere.example` };
    const own: readonly Body[] = [
      { attendeesOmitted: true, attendees: [answer(random, as)] },
      { attendeesOmitted: true, attendees: [answer(random, as)] },
      { colorId: random.pick(['2', '3', null]) },
      { reminders: random.pick([null, { useDefault: false, overrides: [{ method: 'popup', minutes: 7 }] }]) },
      { transparency: random.pick(['opaque', 'transparent']) },
      { visibility: random.pick(['private', 'default']) },
      { extendedProperties: { private: { one: 'a' } } },
      // With a status of its own a guest who may modify the event would restore it with that for all.
      { status: guestsCanModify ? 'cancelled' : random.pick(['cancelled', 'confirmed', 'tentative']) },
      ...(eventId.at === undefined
        ? [{ attendees: { $guestsOf: eventId, as: 'with', entry: newcomer } }]
        : []),
    ];
    const write = (who: string, event: Body, more: Body = {}): Request[] => [
      requestBy({ as: who, calendarId: 'primary' }, 'event', { eventId }),
      requestBy({ as: who, calendarId: 'primary' }, 'patchEvent', {
        eventId,
        ...more,
        event,
        sendUpdates: random.pick(['all', 'none']),
      }),
    ];
    if (random.chance(0.15)) return [requestBy({ as, calendarId: 'primary' }, 'deleteEvent', { eventId })];
    if (random.chance(0.2))
      return write(
        as,
        {},
        {
          attendeeChanges: {
            add: [answer(random, as), ...(eventId.at === undefined && random.chance(0.5) ? [newcomer] : [])],
          },
        },
      );
    if (random.chance(0.7)) return write(as, random.pick(own));
    if (eventId.at === undefined && random.chance(0.4))
      return write(
        alice,
        {},
        {
          attendeeChanges: random.pick<Changes>([
            { add: [newcomer] },
            { remove: [newcomer.email, eve] },
            { add: [{ email: eve, displayName: 'E' }], remove: [carol] },
          ]),
        },
      );
    return eventId.at === undefined
      ? write(alice, {
          attendees: {
            $guestsOf: eventId,
            as: random.pick(['with', 'without']),
            entry: random.pick([newcomer, { email: eve }]),
          },
        })
      : [];
  };
