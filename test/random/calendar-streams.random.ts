import { turns } from './calendar-writes.ts';
import { describeInEachWorld } from './each-world.ts';
import { inviteReader, writes } from './event-writes.ts';
import { anyFollower } from './follower.ts';
import { haltingTimeOf } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, Random, seeds } from './seed.ts';
import { ToldFollower } from './told-follower.ts';
import type { World } from './worlds.ts';

const rounds = historyLength(4, 16);
/** Of each round, together or one by one: then followers ask in between. */
const mostChanges = 6;
const followersOfEach = 6;

function suite(here: () => World): void {
  test.each(seeds)('tells whoever follows by sync tokens when to ask (seed %i)', async (seed) => {
    const world = here();
    const [random, operations, streams] = [new Random(seed), new Operations(seed), await world.listen()];
    const write = (): Promise<unknown> =>
      world.send(operations.next([...writes, ...turns, [8, inviteReader]]));
    while (operations.known.step <= 30) await write();
    const followers = await Promise.all(
      Array.from({ length: followersOfEach }, () =>
        ToldFollower.begin(anyFollower(world, random), random.pick(streams)),
      ),
    );
    for (let round = 0; round < rounds; round += 1) {
      const changes = 1 + random.below(mostChanges);
      if (random.chance(0.5)) await Promise.all(Array.from({ length: changes }, write));
      else for (let change = 0; change < changes; change += 1) await write();
      for (const follower of followers) await follower.expectToldAll();
    }
    for (const follower of followers) follower.leave();
  });
}

describeInEachWorld('calendarChanged', suite, { gateways: 2, time: haltingTimeOf });
