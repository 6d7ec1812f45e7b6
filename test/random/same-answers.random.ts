import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { differences } from './differences.ts';
import { printOperation, type Operation } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, seeds } from './seed.ts';
import { memoryWorld, postgresWorld, type World } from './worlds.ts';

const steps = historyLength(60, 250);

describeWithPostgres('one sequence of operations', () => {
  const { fresh } = usePostgres();

  test.each(seeds)('has the same answers in memory, PostgreSQL, and two gateways (seed %i)', async (seed) => {
    const worlds = [
      await memoryWorld(),
      await postgresWorld(await fresh()),
      await postgresWorld(await fresh(), 2),
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
      const { named, notices } = (await world.send(operation)) ?? {};
      return { named, notices };
    }),
  );
  for (const [index, { name }] of worlds.entries()) {
    const found = differences(answers[0], answers[index]);
    if (found.length > 0)
      throw new Error(`Memory <> ${name} at ${printOperation(operation)}\n${found.join('\n')}`);
  }
}
