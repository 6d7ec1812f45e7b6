import { alice, bob, carol, eve, rita, wanda } from '../event/event.harness.ts';
import { answer } from './bodies.ts';
import { dave } from './cast.ts';
import { requestBy, type Known, type Make, type Operation, type Request } from './operation.ts';
import type { Random } from './seed.ts';
import { anyEvent } from './seats.ts';

/** On Alice's events these are hidden from Bob, and from Rita, who is on each list and reads Alice's calendar. */
const hidden = [carol, dave, eve, 'guest@elsewhere.example'] as const;
type Body = Readonly<Record<string, unknown>>;

/** Whether somebody looks who may not know who else is invited, nor that anything about them changed. */
export const isObserved = ({ as, args: { calendarId } }: Request): boolean =>
  calendarId === bob || (as === bob && calendarId === 'primary') || (as === rita && calendarId === alice);

/** Whether somebody acts who is hidden, or on the calendar of somebody who is. */
export const isHidden = ({ as, args: { calendarId } }: Request): boolean =>
  [carol, dave].some((guest) => guest === as || guest === calendarId);

/** Operations for each of two worlds, which differ in the guests that Alice invites beside those who may be known. */
export function differentlyInvited(random: Random, operation: Operation, { events }: Known, guestsCanModify: boolean): readonly [Operation, Operation] {
  const { as, args } = operation;
  const { event, eventId } = args as { readonly event?: Body; readonly eventId?: { readonly $event: number } };
  const made = events.find(({ step }) => step === (operation.makes ? operation.step : eventId?.$event));
  const isAlices = as === alice || (as === wanda && args.calendarId === alice);
  if (!event || !isAlices || made?.owner !== alice) return [operation, operation];
  const body: Body = { ...event, guestsCanSeeOtherGuests: false, guestsCanModify };
  const inWorld = (): Operation => {
    const list = event.attendees === undefined && !operation.makes ? {} : { attendees: invitedTo(random, event.attendees, operation.step) };
    return { ...operation, args: { ...args, event: { ...body, ...list } } };
  };
  return [inWorld(), inWorld()];
}

/** A guest list with the same guests who may be known, and with others at any place of it. Nobody else has such a list. */
function invitedTo(random: Random, list: unknown, step: number): unknown {
  if (list && !Array.isArray(list)) return list;
  const seen = ((list ?? []) as Body[]).filter(({ email }) => !hidden.includes(String(email).toLowerCase() as 'eve@elsewhere.example'));
  const result: Body[] = [...seen, ...(seen.some(({ email }) => String(email).toLowerCase() === rita) ? [] : [{ email: rita }])];
  for (const email of [`step${step}@elsewhere.example`, ...random.some(hidden)]) result.splice(random.below(result.length + 1), 0, { email, ...(random.chance(0.3) && { displayName: 'Hidden' }) });
  return result;
}

/** A change of which nobody may know but hidden guests and Alice. */
export const hiddenChange = (guestsCanModify: boolean): Make => (random, known) => {
  const events = known.events.filter(({ owner }) => owner === alice);
  if (events.length === 0) return [];
  const { eventId } = anyEvent(random, { ...known, events });
  const as = random.pick([carol, dave]);
  const newcomer = { email: `newcomer${random.below(3)}@elsewhere.example` };
  const own: readonly Body[] = [
    { attendeesOmitted: true, attendees: [answer(random, as)] }, { attendeesOmitted: true, attendees: [answer(random, as)] },
    { colorId: random.pick(['2', '3', null]) }, { reminders: random.pick([null, { useDefault: false, overrides: [{ method: 'popup', minutes: 7 }] }]) },
    { transparency: random.pick(['opaque', 'transparent']) }, { visibility: random.pick(['private', 'default']) }, { extendedProperties: { private: { one: 'a' } } },
    // With a status of its own a guest who may modify the event would restore it with that for all.
    { status: guestsCanModify ? 'cancelled' : random.pick(['cancelled', 'confirmed', 'tentative']) },
    { attendees: { $guestsOf: eventId, as: 'with', entry: newcomer } },
  ];
  const write = (who: string, event: Body): Request[] => [
    requestBy({ as: who, calendarId: 'primary' }, 'event', { eventId }),
    requestBy({ as: who, calendarId: 'primary' }, 'patchEvent', { eventId, event, sendUpdates: random.pick(['all', 'none']) }),
  ];
  if (random.chance(0.15)) return [requestBy({ as, calendarId: 'primary' }, 'deleteEvent', { eventId })];
  if (random.chance(0.75)) return write(as, random.pick(own));
  // Of an instance that would make a list of its own, which is seen by who is invited to the series later.
  return eventId.at === undefined ? write(alice, { attendees: { $guestsOf: eventId, as: random.pick(['with', 'without']), entry: random.pick([newcomer, { email: eve }]) } }) : [];
};

