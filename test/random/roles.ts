import { eve, fritz, rita, wanda } from '../event/event.harness.ts';
import { randomOriginalStart } from './bodies.ts';
import { callers, calendarOwners, newcomers } from './cast.ts';
import { organizerOf, type CallerRef, type History, type CreatedEvent } from './operation.ts';
import type { EventReference, CalendarTarget, Caller } from './references.ts';
import type { Random, Weighted } from './seed.ts';

/** The relation of a caller to an event. Wanda, Rita and Fritz have a role on all calendars. */
type CallerKind = 'organizer' | 'guest' | 'newcomer' | 'wanda' | 'rita' | 'fritz' | 'stranger';
/** Frequencies of callers who write events, and of those who read them. */
export const writerWeights: Weighted<CallerKind> = [
  [50, 'organizer'],
  [32, 'guest'],
  [3, 'newcomer'],
  [10, 'wanda'],
  [2, 'rita'],
  [1, 'fritz'],
  [2, 'stranger'],
];
export const readerWeights: Weighted<CallerKind> = [
  [30, 'organizer'],
  [35, 'guest'],
  [4, 'newcomer'],
  [10, 'wanda'],
  [14, 'rita'],
  [8, 'fritz'],
  [3, 'stranger'],
];

const isCalendarOwner = (email: string): boolean => (calendarOwners as readonly string[]).includes(email);

/** Picks a caller of an event's operation, and the calendar. */
export function pickCaller(
  random: Random,
  createdEvent: CreatedEvent,
  weights: Weighted<CallerKind>,
): CallerRef {
  const { guests, owner, home } = createdEvent;
  const guestsWithCalendar = guests.filter(isCalendarOwner);
  const guest = random.chance(0.1)
    ? random.pick(calendarOwners)
    : guestsWithCalendar.length > 0
      ? random.pick(guestsWithCalendar)
      : owner;
  const calendarId: CalendarTarget = random.chance(0.6) ? (home ?? owner) : guest;
  const callerByKind: Readonly<Record<CallerKind, CallerRef>> = {
    organizer: organizerOf(createdEvent),
    guest: { as: guest, calendarId: random.chance(0.8) ? 'primary' : guest },
    newcomer: { as: random.pick(newcomers), calendarId: 'primary' },
    wanda: { as: wanda, calendarId },
    rita: { as: rita, calendarId },
    fritz: { as: fritz, calendarId },
    stranger: { as: random.pick([eve, guest]), calendarId },
  };
  return callerByKind[random.pickWeighted(weights)];
}

/** Picks any caller on a calendar, mostly their own. */
export function randomCaller(random: Random): Caller {
  const as = random.pick(callers);
  return {
    as,
    calendarId: isCalendarOwner(as) && random.chance(0.8) ? 'primary' : random.pick(calendarOwners),
  };
}

/** Picks a created event, mostly a recent one, or an instance of a series. */
export function randomEvent(
  random: Random,
  { events }: History,
): { readonly created: History['events'][number]; readonly eventId: EventReference } {
  const created = random.pick(random.chance(0.6) ? events.slice(-6) : events);
  const at = created.series && random.chance(0.5) ? { at: randomOriginalStart(random, created.series) } : {};
  return { created, eventId: { $event: created.step, ...at } };
}
