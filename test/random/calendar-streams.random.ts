import { accessAndZoneChanges } from './calendar-writes.ts';
import { describeInEachWorld } from './each-world.ts';
import { inviteReader, writes } from './event-writes.ts';
import { randomFollower } from './follower.ts';
import { repeatingTimeOfStep } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, Random, seeds } from './seed.ts';
import { NotifiedFollower } from './told-follower.ts';
import type { World } from './worlds.ts';

const rounds = historyLength(4, 16);
/** Changes are sent concurrently, or one by one with syncs in between. */
const maxChangesPerRound = 6;
const followerCount = 6;

function suite(getWorld: () => World): void {
  test.each(seeds)('tells followers when to sync (seed %i)', async (seed) => {
    const world = getWorld();
    const [random, operations, streams] = [new Random(seed), new Operations(seed), await world.listen()];
    const write = (): Promise<unknown> =>
      world.send(operations.next([...writes, ...accessAndZoneChanges, [8, inviteReader]]));
    while (operations.history.step <= 30) await write();
    const followers = await Promise.all(
      Array.from({ length: followerCount }, () =>
        NotifiedFollower.start(randomFollower(world, random), random.pick(streams)),
      ),
    );
    for (let round = 0; round < rounds; round += 1) {
      const changes = 1 + random.below(maxChangesPerRound);
      if (random.chance(0.5)) await Promise.all(Array.from({ length: changes }, write));
      else for (let change = 0; change < changes; change += 1) await write();
      for (const follower of followers) await follower.waitUntilUpToDate();
    }
    for (const follower of followers) follower.disconnect();
  });
}

describeInEachWorld('calendarChanged', suite, { gateways: 2, time: repeatingTimeOfStep });
