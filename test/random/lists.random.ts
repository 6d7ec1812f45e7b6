import { calendarWrites, accessAndZoneChanges } from './calendar-writes.ts';
import { callers, hosts } from './cast.ts';
import { describeInEachWorld } from './each-world.ts';
import { listFilter, pageSize } from './event-reads.ts';
import { moveToNovember, writes } from './event-writes.ts';
import { snapshotEnd, listCallers, survey } from './knowledge.ts';
import { checkList, checkWhileWritten } from './list-check.ts';
import type { Args } from './operation.ts';
import { Operations } from './operations.ts';
import type { Caller } from './references.ts';
import { historyLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const changesBefore = historyLength(50, 150);
const kinds = [...writes, ...calendarWrites];
/** Number of access and zone changes just before the lists are read. */
const finalAccessChanges = 8;
const maxCallers = historyLength(6, 12);
const listsPerCaller = 9;
/** Number of rounds in which lists are read during writes. */
const rounds = historyLength(2, 5);
const concurrentLists = 6;

function suite(getWorld: () => World): void {
  test.each(seeds)('shows what a plain filter over all events selects, in order (seed %i)', async (seed) => {
    const [world, random, operations] = [getWorld(), new Random(seed), new Operations(seed)];
    while (operations.history.step <= changesBefore) await world.send(operations.next(kinds));
    for (let count = 0; count < finalAccessChanges; count += 1)
      await world.send(operations.next(accessAndZoneChanges));
    await world.settled();
    const [readSnapshot, calendarCallers] = [await survey(world), await listCallers(world)];
    await checkAccess(world, calendarCallers);
    for (const caller of shuffle(random, calendarCallers).slice(0, maxCallers)) {
      const snapshot = await readSnapshot(caller);
      for (let count = 0; count < listsPerCaller; count += 1)
        await checkList(world, caller, snapshot, validListArgs(random, operations), random);
    }
  });

  test.each(seeds)('shows unchanged events once and in order during writes (seed %i)', async (seed) => {
    const [world, random, operations] = [getWorld(), new Random(seed), new Operations(seed)];
    while (operations.history.step <= changesBefore) await world.send(operations.next(kinds));
    await world.settled();
    const calendarCallers = await listCallers(world);
    for (let round = 0; round < rounds; round += 1) {
      const lists = Array.from({ length: concurrentLists }, () => ({
        caller: random.pick(calendarCallers),
        args: { ...argsDuringWrites(random, operations), ...pageSize(random) },
      }));
      const nextWrite = () => operations.next([...writes, [50, moveToNovember]]);
      await withFastClock(() => checkWhileWritten(world, lists, nextWrite));
    }
  });
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(random.below(rest.length), 1)[0] as T);
}

/** Checks that callers can list exactly the calendars they see. */
async function checkAccess(world: World, calendarCallers: readonly Caller[]): Promise<void> {
  const calendarIds = new Set([...hosts, ...calendarCallers.map(({ calendarId }) => calendarId)]);
  for (const as of callers) {
    for (const calendarId of calendarIds) {
      const { errors } = await world.ask(as, 'events', { calendarId, first: 1 });
      const isOpen = calendarCallers.some((caller) => caller.as === as && caller.calendarId === calendarId);
      const code = errors?.[0]?.extensions.code;
      expect([as, calendarId, code]).toEqual([as, calendarId, isOpen ? undefined : 'NOT_FOUND']);
    }
  }
}

describeInEachWorld('a list', suite);

/** Advances the clock by 3 ms at each reading, so that long work yields to other requests after a few entries. */
async function withFastClock(work: () => Promise<void>): Promise<void> {
  const { now } = performance;
  let advanceMs = 0;
  performance.now = () => now.call(performance) + (advanceMs += 3);
  try {
    await work();
  } finally {
    performance.now = now;
  }
}

/** Half of the lists are by start time: in that order writes may shift the entries of later pages. */
const argsDuringWrites = (random: Random, operations: Operations): Args =>
  random.chance(0.5)
    ? { singleEvents: true, orderBy: 'startTime' as const, timeMax: snapshotEnd }
    : validListArgs(random, operations);

/** Valid list arguments, within the range in which all occurrences are known. */
function validListArgs(random: Random, operations: Operations): Args {
  const { singleEvents, orderBy, timeMin, ...args } = listFilter(random, operations.history);
  const timeMax = args.timeMax ?? (singleEvents ? snapshotEnd : undefined);
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
