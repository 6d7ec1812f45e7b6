import { startGateway } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { exportText, importText } from '../seed/data.harness.ts';
import { inviteReader, writes } from './event-writes.ts';
import { Operations } from './operations.ts';
import { historyLength, seeds } from './seed.ts';
import { openPostgresWorld } from './worlds.ts';

// `data.test.ts` runs this test in memory.
const stepCount = historyLength(80, 250);
const weightedWrites = [...writes, [8, inviteReader] as const];

describeWithPostgres('the data of random operations in a database', () => {
  const { createMigratedUrl } = usePostgres();

  test.each(seeds)('is the same after import elsewhere (seed %i)', async (seed) => {
    const [world, operations] = [await openPostgresWorld(await createMigratedUrl()), new Operations(seed)];
    while (operations.history.step <= stepCount) await world.send(operations.next(weightedWrites));
    const file = await exportText(world.stores);
    const repeated = (await importText(world.stores, file)).counts.events;
    expect(repeated).toMatchObject({ added: 0, changed: 0, refused: 0 });
    await world.close();
    for (const env of [{ DATABASE_URL: await createMigratedUrl() }, {}] as readonly Readonly<
      Record<string, string>
    >[]) {
      const other = await startGateway(env, { seed: {} });
      expect((await importText(other.stores, file)).issues).toEqual([]);
      expect(await exportText(other.stores)).toBe(file);
      await other.close();
    }
  });
});
