import { calendarsMade, calendarWrites } from './calendar-writes.ts';
import { callers } from './cast.ts';
import { describeInEachWorld } from './each-world.ts';
import { inviteReader, writes } from './event-writes.ts';
import { anyFollower, type Follower } from './follower.ts';
import { haltingTimeOf } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const changes = historyLength(40, 150);
const followersOfEach = 14;
const kinds = [...writes, ...calendarWrites, [8, inviteReader] as const];
/** Behind so many changes somebody more follows a calendar that was made. */
const newFollowerAfter = 15;
/** Changes, and syncs, that are sent together. */
const atOnce = 6;

function suite(here: () => World): void {
  test.each(seeds)(
    'are told of each change once, and know in the end what a fresh list says, of instances at any time (seed %i)',
    async (seed) => {
      const world = here();
      const { random, operations, followers } = begin(world, seed);
      while (operations.known.step <= changes) {
        if (operations.known.step % newFollowerAfter === 0) followMade(world, random, operations, followers);
        const operation = operations.next(kinds);
        await world.send(operation);
        for (const follower of random.some(followers, 3)) {
          const again = await follower.sync();
          if (again.length > 0)
            throw new Error(
              `Step ${operation.step}: told again to ${follower.name}: ${JSON.stringify(again)}`,
            );
          await expectUpToDate(follower, `Step ${operation.step}: `);
        }
      }
      await world.settled();
      for (const follower of followers) await syncToTheEnd(follower);
    },
  );

  test.each(seeds)('know in the end what a fresh list says, while many write too (seed %i)', async (seed) => {
    const world = here();
    const { random, operations, followers } = begin(world, seed);
    while (operations.known.step <= changes) {
      if (random.chance(atOnce / newFollowerAfter)) followMade(world, random, operations, followers);
      const sending = Array.from({ length: atOnce }, () => world.send(operations.next(kinds)));
      await Promise.all([...sending, ...random.some(followers, atOnce).map((follower) => follower.sync())]);
    }
    await world.settled();
    for (const follower of followers) await syncToTheEnd(follower);
  });
}

const begin = (world: World, seed: number) => {
  const random = new Random(seed);
  return {
    random,
    operations: new Operations(seed),
    followers: Array.from({ length: followersOfEach }, () => anyFollower(world, random)),
  };
};

/** Somebody who perhaps may see it follows a calendar that was made. */
function followMade(world: World, random: Random, { known }: Operations, followers: Follower[]): void {
  const made = calendarsMade(known);
  if (made.length === 0) return;
  const { owner, place } = random.pick(made);
  const as = random.chance(0.3) ? owner : random.pick(callers);
  const resolved = world.resolve({ calendarId: place }, { as, calendarId: '' });
  if (resolved) followers.push(anyFollower(world, random, { as, calendarId: String(resolved.calendarId) }));
}

async function syncToTheEnd(follower: Follower): Promise<void> {
  await follower.sync();
  await expectUpToDate(follower);
}

async function expectUpToDate(follower: Follower, when = ''): Promise<void> {
  const errors = await follower.errors();
  if (errors.length > 0)
    throw new Error(`${when}A fresh list <> what is known to ${follower.name}\n${errors.join('\n')}`);
}

describeInEachWorld('followers by sync tokens', suite, { gateways: 2, time: haltingTimeOf });
