import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { findDifferences } from './differences.ts';
import { printOperation, type Operation } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, seeds } from './seed.ts';
import { openMemoryWorld, openPostgresWorld, type World } from './worlds.ts';

const steps = historyLength(60, 250);

describeWithPostgres('a sequence of operations', () => {
  const { fresh } = usePostgres();

  test.each(seeds)('is the same in memory, on PostgreSQL, and of two gateways (seed %i)', async (seed) => {
    const worlds = [
      await openMemoryWorld(),
      await openPostgresWorld(await fresh()),
      await openPostgresWorld(await fresh(), 2),
    ];
    const operations = new Operations(seed);
    try {
      for (let step = 1; step <= steps; step += 1) await sendToAll(operations.next(), worlds);
    } finally {
      for (const world of worlds) await world.close();
    }
  });
});

async function sendToAll(operation: Operation, worlds: readonly World[]): Promise<void> {
  const answers = await Promise.all(
    worlds.map(async (world) => {
      const { normalized, notices } = (await world.send(operation)) ?? {};
      return { normalized, notices };
    }),
  );
  for (const [index, { name }] of worlds.entries()) {
    const diff = findDifferences(answers[0], answers[index]);
    if (diff.length > 0)
      throw new Error(`Memory <> ${name} at ${printOperation(operation)}\n${diff.join('\n')}`);
  }
}
