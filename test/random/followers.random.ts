import { listCreatedCalendars, calendarWrites } from './calendar-writes.ts';
import { callers } from './cast.ts';
import { describeInEachWorld } from './each-world.ts';
import { inviteReader, eventWrites } from './event-writes.ts';
import { randomFollower, type Follower } from './follower.ts';
import { repeatingTimeOfStep } from './operation.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const changeCount = chooseLength(40, 150);
const followerCount = 14;
const weightedWrites = [...eventWrites, ...calendarWrites, [8, inviteReader] as const];
/** Number of changes after which a new follower of a created calendar starts. */
const stepsPerNewFollower = 15;
/** Number of changes and of syncs that are sent concurrently. */
const batchSize = 6;

function suite(getWorld: () => World): void {
  test.each(seeds)('get each change once, and match a fresh list after each sync (seed %i)', async (seed) => {
    const world = getWorld();
    const { random, operations, followers } = startFollowers(world, seed);
    while (operations.history.step <= changeCount) {
      if (operations.history.step % stepsPerNewFollower === 0)
        followCreatedCalendar(world, random, operations, followers);
      const operation = operations.next(weightedWrites);
      await world.send(operation);
      for (const follower of random.pickSome(followers, 3)) {
        const repeatedEvents = await follower.sync();
        const step = `Step ${operation.step}: `;
        if (repeatedEvents.length > 0)
          throw new Error(`${step}reported again to ${follower.name}: ${JSON.stringify(repeatedEvents)}`);
        await expectUpToDate(follower, step);
      }
    }
    await world.waitUntilSettled();
    for (const follower of followers) await expectUpToDateAfterSync(follower);
  });

  test.each(seeds)('match a fresh list in the end, after concurrent writes (seed %i)', async (seed) => {
    const world = getWorld();
    const { random, operations, followers } = startFollowers(world, seed);
    while (operations.history.step <= changeCount) {
      if (random.chance(batchSize / stepsPerNewFollower))
        followCreatedCalendar(world, random, operations, followers);
      const sends = Array.from({ length: batchSize }, () => world.send(operations.next(weightedWrites)));
      const syncs = random.pickSome(followers, batchSize).map((follower) => follower.sync());
      await Promise.all([...sends, ...syncs]);
    }
    await world.waitUntilSettled();
    for (const follower of followers) await expectUpToDateAfterSync(follower);
  });
}

const startFollowers = (world: World, seed: number) => {
  const random = new Random(seed);
  return {
    random,
    operations: new OperationSequence(seed),
    followers: Array.from({ length: followerCount }, () => randomFollower(world, random)),
  };
};

/** Adds a follower of a created calendar, who may have no access. */
function followCreatedCalendar(
  world: World,
  random: Random,
  { history }: OperationSequence,
  followers: Follower[],
): void {
  const created = listCreatedCalendars(history);
  if (created.length === 0) return;
  const { owner, target } = random.pick(created);
  const as = random.chance(0.3) ? owner : random.pick(callers);
  const resolved = world.resolve({ calendarId: target }, { as, calendarId: '' });
  if (resolved)
    followers.push(randomFollower(world, random, { as, calendarId: String(resolved.calendarId) }));
}

async function expectUpToDateAfterSync(follower: Follower): Promise<void> {
  await follower.sync();
  await expectUpToDate(follower);
}

async function expectUpToDate(follower: Follower, stepLabel = ''): Promise<void> {
  const errors = await follower.findErrors();
  if (errors.length > 0)
    throw new Error(`${stepLabel}A fresh list <> what is known to ${follower.name}\n${errors.join('\n')}`);
}

describeInEachWorld('followers by sync tokens', suite, { gatewayCount: 2, time: repeatingTimeOfStep });
