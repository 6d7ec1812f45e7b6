import { startGateway } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { exported, imported } from '../seed/data.harness.ts';
import { inviteReader, writes } from './event-writes.ts';
import { Operations } from './operations.ts';
import { historyLength, seeds } from './seed.ts';
import { postgresWorld } from './worlds.ts';

// In memory: `data.test.ts`.
const steps = historyLength(80, 250);
const kinds = [...writes, [8, inviteReader] as const];

describeWithPostgres('what random operations leave in a database', () => {
  const { fresh } = usePostgres();

  test.each(seeds)('is the same in another one, and in memory (seed %i)', async (seed) => {
    const [world, operations] = [await postgresWorld(await fresh()), new Operations(seed)];
    while (operations.known.step <= steps) await world.send(operations.next(kinds));
    const text = await exported(world.stores);
    expect((await imported(world.stores, text)).counts.events).toMatchObject({
      added: 0,
      changed: 0,
      refused: 0,
    });
    await world.close();
    for (const env of [{ DATABASE_URL: await fresh() }, {}] as readonly Readonly<Record<string, string>>[]) {
      const other = await startGateway(env, { seed: {} });
      expect((await imported(other.stores, text)).issues).toEqual([]);
      expect(await exported(other.stores)).toBe(text);
      await other.close();
    }
  });
});
