import { callers } from './cast.ts';
import { makeRequest, timeOfStep, type Args, type History, type MakeRequest } from './operation.ts';
import { randomEvent, randomCaller, readerWeights, pickCaller } from './roles.ts';
import type { Random, Weighted } from './seed.ts';

/** A time in the first half of December 2026, when most events take place. */
const randomTime = (random: Random): string => {
  const day = String(1 + random.integerBelow(16)).padStart(2, '0');
  return `2026-12-${day}T${random.pick(['00:00:00+01:00', '09:00:00Z', '09:15:00Z', '14:00:00Z', '00:00:00Z', '00:00:00-05:00'])}`;
};

const randomRange = (random: Random): Args => ({
  ...(random.chance(0.6) && { timeMin: randomTime(random) }),
  ...(random.chance(0.7) && { timeMax: randomTime(random) }),
});

export const randomPageSize = (random: Random): Args => ({
  first: random.chance(0.5) ? 1 + random.integerBelow(9) : 60,
});

/** Arguments that affect how events are shown. */
export const randomViewArgs = (random: Random): Args => ({
  ...(random.chance(0.1) && { maxAttendees: random.pick([1, 1, 2, 2, 3, 0]) }),
  ...(random.chance(0.05) && { alwaysIncludeEmail: true }),
});

const propertyFilters = ['one=a', 'two=b', 'one=b', 'two=a'];

/** Filter and order of a list; some combinations are invalid. */
export function randomListFilter(random: Random, { step, events }: History): Args {
  const listsInstances = random.chance(0.5);
  return {
    ...(listsInstances && { singleEvents: true }),
    ...(random.chance(0.4) && { showDeleted: true }),
    ...(random.chance(0.4) && randomRange(random)),
    ...(random.chance(listsInstances ? 0.6 : 0.3) && {
      orderBy: random.pick(listsInstances ? ['startTime', 'updated'] : ['startTime', 'updated', 'updated']),
    }),
    ...(random.chance(0.15) && {
      q: random.pick(['plan', 'LUNCH', 'ärger', 'bob@', 'somebody', 'bob@ plan', 'nothing at all']),
    }),
    ...(random.chance(0.1) && { iCalUID: { $uidOf: random.pick(events).step } }),
    ...(random.chance(0.1) && {
      [random.pick(['privateExtendedProperty', 'sharedExtendedProperty'])]: random.pickSome(
        propertyFilters,
        2,
      ),
    }),
    ...(random.chance(0.15) && { updatedMin: new Date(timeOfStep(random.integerBelow(step))).toISOString() }),
  };
}

const readEvent: MakeRequest = (random, history) => {
  const { created, eventId } = randomEvent(random, history);
  return [
    makeRequest(pickCaller(random, created, readerWeights), 'event', { eventId, ...randomViewArgs(random) }),
  ];
};

const listInstances: MakeRequest = (random, history) => {
  const { created } = randomEvent(random, history);
  const args = {
    eventId: { $event: created.step },
    ...randomRange(random),
    ...(random.chance(0.5) && { showDeleted: true }),
    ...randomViewArgs(random),
    ...randomPageSize(random),
  };
  return [makeRequest(pickCaller(random, created, readerWeights), 'instances', args)];
};

const listEvents: MakeRequest = (random, history) => {
  const caller = randomCaller(random);
  const args = { ...randomListFilter(random, history), ...randomViewArgs(random), ...randomPageSize(random) };
  return [makeRequest(caller, 'events', args)];
};

/** Lists a calendar in one page, to get a sync token. */
const listUnpaged: MakeRequest = (random) => {
  const instanceArgs = random.chance(0.5) ? { singleEvents: true, timeMax: '2027-01-01T00:00:00Z' } : {};
  const caller = randomCaller(random);
  const deletedArgs = random.chance(0.4) ? { showDeleted: true } : {};
  return [makeRequest(caller, 'events', { ...instanceArgs, ...deletedArgs, first: unpagedSize })];
};
/** Page size above the number of events on any calendar. */
const unpagedSize = 400;

/** Reads the page after an earlier one. */
const readNextPage: MakeRequest = (random, { earlier }) => {
  // Lists with small pages mostly have a next one.
  const lists = earlier.filter(({ args }) => Number(args.first) < 4).slice(-4);
  if (lists.length === 0) return [];
  const { name, as, args, step } = random.pick(lists);
  return [{ name, as, args: { ...args, after: { $endCursor: step } } }];
};

/** Syncs with the token of an earlier list. */
const syncList: MakeRequest = (random, { earlier }) => {
  const lists = earlier.filter(({ args }) => args.first === unpagedSize).slice(-8);
  if (lists.length === 0) return [];
  const { as, args, step } = random.pick(lists);
  const syncsInstances = random.chance(0.05) ? random.chance(0.5) : args.singleEvents === true;
  const syncArgs = {
    calendarId: args.calendarId,
    ...(syncsInstances && { singleEvents: true }),
    ...(random.chance(0.4) && { showDeleted: true }),
    first: random.chance(0.5) ? unpagedSize : 1 + random.integerBelow(9),
    syncToken: { $syncToken: step },
  };
  return [{ name: 'events', as, args: syncArgs }];
};

const readCalendars: MakeRequest = (random) => [
  random.chance(0.5)
    ? { name: 'calendars', as: random.pick(callers), args: {} }
    : makeRequest(randomCaller(random), 'calendar', {}),
];

/** Reads of events and calendars, with their weights. */
export const eventReads: Weighted<MakeRequest> = [
  [14, readEvent],
  [16, listEvents],
  [4, listUnpaged],
  [6, readNextPage],
  [10, syncList],
  [6, listInstances],
  [1, readCalendars],
];
