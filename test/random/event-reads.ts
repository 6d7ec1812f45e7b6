import { callers } from './cast.ts';
import { requestBy, timeOf, type Args, type Known, type Make } from './operation.ts';
import { anyEvent, anySeat, readers, seatOn } from './seats.ts';
import type { Random, Weighted } from './seed.ts';

/** A moment in or around the first two weeks of December 2026, when most events take place. */
const moment = (random: Random): string => {
  const day = String(1 + random.below(16)).padStart(2, '0');
  return `2026-12-${day}T${random.pick(['00:00:00+01:00', '09:00:00Z', '09:15:00Z', '14:00:00Z', '00:00:00Z', '00:00:00-05:00'])}`;
};

const range = (random: Random): Args => ({
  ...(random.chance(0.6) && { timeMin: moment(random) }),
  ...(random.chance(0.7) && { timeMax: moment(random) }),
});

const pageSize = (random: Random): Args => ({ first: random.chance(0.5) ? 1 + random.below(9) : 60 });

/** How an answer shows events. */
export const presentation = (random: Random): Args => ({
  ...(random.chance(0.1) && { maxAttendees: random.pick([1, 1, 2, 2, 3, 0]) }),
  ...(random.chance(0.05) && { alwaysIncludeEmail: true }),
});

/** Which events of a calendar are listed, and in which order; some arguments do not go together. */
export function selection(random: Random, { step, events }: Known): Args {
  const isSingle = random.chance(0.5);
  return {
    ...(isSingle && { singleEvents: true }),
    ...(random.chance(0.4) && { showDeleted: true }),
    ...(random.chance(0.4) && range(random)),
    ...(random.chance(isSingle ? 0.6 : 0.3) && {
      orderBy: random.pick(isSingle ? ['startTime', 'updated'] : ['startTime', 'updated', 'updated']),
    }),
    ...(random.chance(0.15) && {
      q: random.pick(['plan', 'LUNCH', 'ärger', 'bob@', 'somebody', 'bob@ plan', 'nothing at all']),
    }),
    ...(random.chance(0.1) && { iCalUID: { $uidOf: random.pick(events).step } }),
    ...(random.chance(0.1) && {
      [random.pick(['privateExtendedProperty', 'sharedExtendedProperty'])]: random.some(
        ['one=a', 'two=b', 'one=b', 'two=a'],
        2,
      ),
    }),
    ...(random.chance(0.15) && { updatedMin: new Date(timeOf(random.below(step))).toISOString() }),
  };
}

const event: Make = (random, known) => {
  const { made, eventId } = anyEvent(random, known);
  return [requestBy(seatOn(random, made, readers), 'event', { eventId, ...presentation(random) })];
};

const instances: Make = (random, known) => {
  const { made } = anyEvent(random, known);
  const args = {
    eventId: { $event: made.step },
    ...range(random),
    ...(random.chance(0.5) && { showDeleted: true }),
    ...presentation(random),
    ...pageSize(random),
  };
  return [requestBy(seatOn(random, made, readers), 'instances', args)];
};

const list: Make = (random, known) => [
  requestBy(anySeat(random), 'events', {
    ...selection(random, known),
    ...presentation(random),
    ...pageSize(random),
  }),
];

/** All that a calendar has, with a sync token behind it. */
const wholeList: Make = (random) => {
  const instances = random.chance(0.5) ? { singleEvents: true, timeMax: '2027-01-01T00:00:00Z' } : {};
  return [
    requestBy(anySeat(random), 'events', {
      ...instances,
      ...(random.chance(0.4) && { showDeleted: true }),
      first: whole,
    }),
  ];
};
/** So many events no calendar has. */
const whole = 400;

/** Goes on behind a page that was read. */
const nextPage: Make = (random, { earlier }) => {
  const lists = earlier.filter(({ args }) => Number(args.first) < 4).slice(-4);
  if (lists.length === 0) return [];
  const { name, as, args, step } = random.pick(lists);
  return [{ name, as, args: { ...args, after: { $endCursor: step } } }];
};

/** Goes on with the sync token of a list. */
const sync: Make = (random, { earlier }) => {
  const lists = earlier.filter(({ args }) => args.first === whole).slice(-8);
  if (lists.length === 0) return [];
  const { as, args, step } = random.pick(lists);
  const isSingle = random.chance(0.05) ? random.chance(0.5) : args.singleEvents === true;
  return [
    {
      name: 'events',
      as,
      args: {
        calendarId: args.calendarId,
        ...(isSingle && { singleEvents: true }),
        ...(random.chance(0.4) && { showDeleted: true }),
        first: random.chance(0.5) ? whole : 1 + random.below(9),
        syncToken: { $syncToken: step },
      },
    },
  ];
};

const calendars: Make = (random) => [
  random.chance(0.5)
    ? { name: 'calendars', as: random.pick(callers), args: {} }
    : requestBy(anySeat(random), 'calendar', {}),
];

export const reads: Weighted<Make> = [
  [14, event],
  [16, list],
  [4, wholeList],
  [6, nextPage],
  [10, sync],
  [6, instances],
  [1, calendars],
];
