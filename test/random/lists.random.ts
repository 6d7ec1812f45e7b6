import { calendarWrites, accessAndZoneChanges } from './calendar-writes.ts';
import { callers, calendarOwners } from './cast.ts';
import { describeInEachWorld } from './each-world.ts';
import { randomListFilter, randomPageSize } from './event-reads.ts';
import { moveToNovember, eventWrites } from './event-writes.ts';
import { snapshotEnd, listCalendarCallers, surveyWorld } from './snapshots.ts';
import { checkList, checkListsDuringWrites } from './list-check.ts';
import type { Args } from './operation.ts';
import { OperationSequence } from './operation-sequence.ts';
import type { Caller } from './references.ts';
import { chooseLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const changeCount = chooseLength(50, 150);
const weightedWrites = [...eventWrites, ...calendarWrites];
/** Number of access and zone changes just before the lists are read. */
const finalAccessChangeCount = 8;
const callerCount = chooseLength(6, 12);
const listCountPerCaller = 9;
/** Number of rounds in which lists are read during writes. */
const roundCount = chooseLength(2, 5);
const concurrentListCount = 6;

function suite(getWorld: () => World): void {
  test.each(seeds)('shows what a plain filter over all events selects, in order (seed %i)', async (seed) => {
    const [world, random, operations] = [getWorld(), new Random(seed), new OperationSequence(seed)];
    while (operations.history.step <= changeCount) await world.send(operations.next(weightedWrites));
    for (let count = 0; count < finalAccessChangeCount; count += 1)
      await world.send(operations.next(accessAndZoneChanges));
    await world.waitUntilSettled();
    const [readSnapshot, calendarCallers] = [await surveyWorld(world), await listCalendarCallers(world)];
    await checkAccess(world, calendarCallers);
    for (const caller of shuffle(random, calendarCallers).slice(0, callerCount)) {
      const snapshot = await readSnapshot(caller);
      for (let count = 0; count < listCountPerCaller; count += 1)
        await checkList(world, caller, snapshot, validListArgs(random, operations), random);
    }
  });

  test.each(seeds)('shows unchanged events once and in order during writes (seed %i)', async (seed) => {
    const [world, random, operations] = [getWorld(), new Random(seed), new OperationSequence(seed)];
    while (operations.history.step <= changeCount) await world.send(operations.next(weightedWrites));
    await world.waitUntilSettled();
    const calendarCallers = await listCalendarCallers(world);
    for (let round = 0; round < roundCount; round += 1) {
      const lists = Array.from({ length: concurrentListCount }, () => ({
        caller: random.pick(calendarCallers),
        args: { ...argsDuringWrites(random, operations), ...randomPageSize(random) },
      }));
      const nextWrite = () => operations.next([...eventWrites, [50, moveToNovember]]);
      await withFastClock(() => checkListsDuringWrites(world, lists, nextWrite));
    }
  });
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const remaining = [...list];
  return list.map(() => remaining.splice(random.integerBelow(remaining.length), 1)[0] as T);
}

/** Checks that callers can list exactly the calendars they see. */
async function checkAccess(world: World, calendarCallers: readonly Caller[]): Promise<void> {
  const calendarIds = new Set([...calendarOwners, ...calendarCallers.map(({ calendarId }) => calendarId)]);
  for (const as of callers) {
    for (const calendarId of calendarIds) {
      const { errors } = await world.ask(as, 'events', { calendarId, first: 1 });
      const canList = calendarCallers.some((caller) => caller.as === as && caller.calendarId === calendarId);
      const code = errors?.[0]?.extensions.code;
      expect([as, calendarId, code]).toEqual([as, calendarId, canList ? undefined : 'NOT_FOUND']);
    }
  }
}

describeInEachWorld('a list', suite);

/** Advances the clock by 3 ms at each reading, so that long work yields to other requests after a few entries. */
async function withFastClock(runWork: () => Promise<void>): Promise<void> {
  const { now } = performance;
  let advanceMs = 0;
  performance.now = () => now.call(performance) + (advanceMs += 3);
  try {
    await runWork();
  } finally {
    performance.now = now;
  }
}

/** Half of the lists are by start time: in that order writes may shift the entries of later pages. */
const argsDuringWrites = (random: Random, operations: OperationSequence): Args =>
  random.chance(0.5)
    ? { singleEvents: true, orderBy: 'startTime' as const, timeMax: snapshotEnd }
    : validListArgs(random, operations);

/** Valid list arguments, within the range in which all occurrences are known. */
function validListArgs(random: Random, operations: OperationSequence): Args {
  const { singleEvents, orderBy, timeMin, ...args } = randomListFilter(random, operations.history);
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
