import { accessAndZoneChanges } from './calendar-writes.ts';
import { describeInEachWorld } from './each-world.ts';
import { inviteReader, eventWrites } from './event-writes.ts';
import { randomFollower } from './follower.ts';
import { repeatingTimeOfStep, type MakeRequest } from './operation.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, Random, seeds, type Weighted } from './seed.ts';
import { NotifiedFollower } from './notified-follower.ts';
import type { World } from './worlds.ts';

/** Rounds of changes, each followed by a comparison of all followers with fresh lists. */
const roundCount = chooseLength(4, 16);
const maxChangesPerRound = 6;
/** Writes before the followers start, so that they begin with filled calendars. */
const initialWriteCount = 30;
const followerCount = 6;
/** Invitations of a reader are frequent: they change her view of events that she could read before. */
const weightedWrites: Weighted<MakeRequest> = [...eventWrites, ...accessAndZoneChanges, [8, inviteReader]];

function suite(getWorld: () => World): void {
  test.each(seeds)('notifies followers of every change of their calendar (seed %i)', async (seed) => {
    const world = getWorld();
    const [random, operations, streams] = [
      new Random(seed),
      new OperationSequence(seed),
      await world.listen(),
    ];
    const write = (): Promise<unknown> => world.send(operations.next(weightedWrites));
    while (operations.history.step <= initialWriteCount) await write();
    const followers = await Promise.all(
      Array.from({ length: followerCount }, () =>
        NotifiedFollower.start(randomFollower(world, random), random.pick(streams)),
      ),
    );
    for (let round = 0; round < roundCount; round += 1) {
      const changeCount = 1 + random.integerBelow(maxChangesPerRound);
      if (random.chance(0.5)) await Promise.all(Array.from({ length: changeCount }, write));
      else for (let change = 0; change < changeCount; change += 1) await write();
      for (const follower of followers) await follower.waitUntilUpToDate();
    }
    for (const follower of followers) follower.disconnect();
  });
}

describeInEachWorld('calendarChanged', suite, { gatewayCount: 2, time: repeatingTimeOfStep });
