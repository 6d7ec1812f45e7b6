import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { findDifferences } from './differences.ts';
import { printOperation, type Operation } from './operation.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, seeds } from './seed.ts';
import { openMemoryWorld, openPostgresWorld, type World } from './worlds.ts';

const stepCount = chooseLength(60, 250);

describeWithPostgres('a sequence of operations', () => {
  const { createMigratedUrl } = usePostgres();

  test.each(seeds)(
    'has the same results in memory, on PostgreSQL and with two gateways (seed %i)',
    async (seed) => {
      const worlds = [
        await openMemoryWorld(),
        await openPostgresWorld(await createMigratedUrl()),
        await openPostgresWorld(await createMigratedUrl(), 2),
      ];
      const operations = new OperationSequence(seed);
      try {
        for (let step = 1; step <= stepCount; step += 1)
          await sendAndCompareWorlds(operations.next(), worlds);
      } finally {
        for (const world of worlds) await world.close();
      }
    },
  );
});

async function sendAndCompareWorlds(operation: Operation, worlds: readonly World[]): Promise<void> {
  const outcomes = await Promise.all(
    worlds.map(async (world) => {
      const { normalized, notices } = (await world.send(operation)) ?? {};
      return { normalized, notices };
    }),
  );
  for (const [index, { name }] of worlds.entries()) {
    const differences = findDifferences(outcomes[0], outcomes[index]);
    if (differences.length > 0)
      throw new Error(`Memory <> ${name} at ${printOperation(operation)}\n${differences.join('\n')}`);
  }
}
