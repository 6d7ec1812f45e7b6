import { eve, fritz, rita, wanda } from '../event/event.harness.ts';
import { originalOf } from './bodies.ts';
import { callers, hosts, newcomers } from './cast.ts';
import { organizerOf, type AskedSeat, type Known, type Made } from './operation.ts';
import type { EventReference, Place, Seat } from './references.ts';
import type { Random, Weighted } from './seed.ts';

type Who = 'organizer' | 'guest' | 'newcomer' | 'wanda' | 'rita' | 'fritz' | 'stranger';
/** Who most often changes an event, and who looks at it. */
export const writers: Weighted<Who> = [
  [50, 'organizer'],
  [32, 'guest'],
  [3, 'newcomer'],
  [10, 'wanda'],
  [2, 'rita'],
  [1, 'fritz'],
  [2, 'stranger'],
];
export const readers: Weighted<Who> = [
  [30, 'organizer'],
  [35, 'guest'],
  [4, 'newcomer'],
  [10, 'wanda'],
  [14, 'rita'],
  [8, 'fritz'],
  [3, 'stranger'],
];

const isHost = (email: string): boolean => (hosts as readonly string[]).includes(email);

/** Who acts on an event, and on which calendar. */
export function seatOn(random: Random, made: Made, who: Weighted<Who>): AskedSeat {
  const { guests, owner, home } = made;
  const hosted = guests.filter(isHost);
  const guest = random.chance(0.1) ? random.pick(hosts) : hosted.length > 0 ? random.pick(hosted) : owner;
  const calendarId: Place = random.chance(0.6) ? (home ?? owner) : guest;
  const seats: Readonly<Record<Who, AskedSeat>> = {
    organizer: organizerOf(made),
    guest: { as: guest, calendarId: random.chance(0.8) ? 'primary' : guest },
    newcomer: { as: random.pick(newcomers), calendarId: 'primary' },
    wanda: { as: wanda, calendarId },
    rita: { as: rita, calendarId },
    fritz: { as: fritz, calendarId },
    stranger: { as: random.pick([eve, guest]), calendarId },
  };
  return seats[random.weighted(who)];
}

/** Anybody on a calendar, most often the own. */
export function anySeat(random: Random): Seat {
  const as = random.pick(callers);
  return { as, calendarId: isHost(as) && random.chance(0.8) ? 'primary' : random.pick(hosts) };
}

/** An event that was made, one of the newest more often; of a series perhaps one instance. */
export function anyEvent(
  random: Random,
  { events }: Known,
): { readonly made: Known['events'][number]; readonly eventId: EventReference } {
  const made = random.pick(random.chance(0.6) ? events.slice(-6) : events);
  const at = made.series && random.chance(0.5) ? { at: originalOf(random, made.series) } : {};
  return { made, eventId: { $event: made.step, ...at } };
}
