import { calendarWrites, turns } from './calendar-writes.ts';
import { callers, hosts } from './cast.ts';
import { describeInEachWorld } from './each-world.ts';
import { selection } from './event-reads.ts';
import { moveAhead, writes } from './event-writes.ts';
import { endOfKnowledge, openSeats, surveyOf } from './knowledge.ts';
import { checkList, checkWhileWritten } from './list-check.ts';
import type { Args } from './operation.ts';
import { Operations } from './operations.ts';
import type { Seat } from './references.ts';
import { historyLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const changesBefore = historyLength(50, 150);
const kinds = [...writes, ...calendarWrites];
/** Of roles and zones, just before the lists are read. */
const lastTurns = 8;
const mostSeats = historyLength(6, 12);
const listsOfEach = 9;
/** How often lists are read while others write, and how many at once. */
const rounds = historyLength(2, 5);
const atOnce = 6;

function suite(here: () => World): void {
  test.each(seeds)('shows what one filter over all events lets through, in order (seed %i)', async (seed) => {
    const [world, random, operations] = [here(), new Random(seed), new Operations(seed)];
    while (operations.known.step <= changesBefore) await world.send(operations.next(kinds));
    for (let count = 0; count < lastTurns; count += 1) await world.send(operations.next(turns));
    await world.settled();
    const [knowledgeOf, open] = [await surveyOf(world), await openSeats(world)];
    await checkClosed(world, open);
    for (const seat of shuffled(random, open).slice(0, mostSeats)) {
      const known = await knowledgeOf(seat);
      for (let count = 0; count < listsOfEach; count += 1)
        await checkList(world, seat, known, argsOf(random, operations), random);
    }
  });

  test.each(seeds)('shows once and in order what nobody changes while it is read (seed %i)', async (seed) => {
    const [world, random, operations] = [here(), new Random(seed), new Operations(seed)];
    while (operations.known.step <= changesBefore) await world.send(operations.next(kinds));
    await world.settled();
    const seats = await openSeats(world);
    for (let round = 0; round < rounds; round += 1) {
      const lists = Array.from({ length: atOnce }, () => ({
        seat: random.pick(seats),
        args: { ...writtenArgsOf(random, operations), first: random.chance(0.5) ? 1 + random.below(9) : 60 },
      }));
      await inManyTurns(() =>
        checkWhileWritten(world, lists, () => operations.next([...writes, [50, moveAhead]])),
      );
    }
  });
}

/** Each of a list once, in any order. */
function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(random.below(rest.length), 1)[0] as T);
}

/** Nobody lists a calendar that is not shown, and everybody one that is. */
async function checkClosed(world: World, open: readonly Seat[]): Promise<void> {
  const calendarIds = new Set([...hosts, ...open.map(({ calendarId }) => calendarId)]);
  for (const as of callers) {
    for (const calendarId of calendarIds) {
      const { errors } = await world.ask(as, 'events', { calendarId, first: 1 });
      const isOpen = open.some((seat) => seat.as === as && seat.calendarId === calendarId);
      expect({ as, calendarId, code: errors?.[0]?.extensions.code }).toEqual({
        as,
        calendarId,
        code: isOpen ? undefined : 'NOT_FOUND',
      });
    }
  }
}

describeInEachWorld('a list', suite);

/** Lets time pass with each look at the clock, so that long work gives way to others after every few entries. */
async function inManyTurns(work: () => Promise<void>): Promise<void> {
  const { now } = performance;
  let ahead = 0;
  performance.now = () => now.call(performance) + (ahead += 3);
  try {
    await work();
  } finally {
    performance.now = now;
  }
}

/** Often by start time: that order is not the one in which events come, and so others' changes may move what is read. */
const writtenArgsOf = (random: Random, operations: Operations): Args =>
  random.chance(0.5)
    ? { singleEvents: true, orderBy: 'startTime' as const, timeMax: endOfKnowledge }
    : argsOf(random, operations);

/** A selection whose arguments go together, and that is within what is known of series. */
function argsOf(random: Random, operations: Operations): Args {
  const {
    singleEvents,
    orderBy,
    timeMin,
    timeMax = singleEvents ? endOfKnowledge : undefined,
    ...args
  } = selection(random, operations.known);
  const isRange =
    typeof timeMin === 'string' && (typeof timeMax !== 'string' || Date.parse(timeMin) < Date.parse(timeMax));
  return {
    ...args,
    singleEvents,
    ...((orderBy === 'updated' || singleEvents === true) && { orderBy }),
    ...(isRange && { timeMin }),
    timeMax,
  };
}
