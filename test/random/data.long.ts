import { startGateway } from '../harness.ts';
import { exported, imported } from '../seed/data.harness.ts';
import { insertEvent, writes } from './event-writes.ts';
import { Operations } from './operations.ts';
import { randomRuns, randomSeed } from './seed.ts';
import { memoryWorld } from './worlds.ts';

/** Four runs are 10,000. */
const events = 2500 * randomRuns;

test(`what random operations leave in a store is the same behind an export and an import of ${events} events`, async () => {
  const [operations, world, other] = [
    new Operations(randomSeed),
    await memoryWorld(),
    await startGateway({}, { seed: {} }),
  ];
  // Half of all that happens is a new event.
  while (operations.known.events.length < 1.26 * events)
    await world.send(operations.next([[70, insertEvent], ...writes]));
  const text = await exported(world.stores);
  const { issues, counts } = await imported(other.stores, text);
  const changedInstances = text.split('"original":').length - 1;
  expect(issues).toEqual([]);
  expect(counts.events.added + changedInstances).toBeGreaterThan(events);
  expect(changedInstances).toBeGreaterThan(events / 20);
  expect(await exported(other.stores)).toBe(text);
  await other.close();
  await world.close();
});
