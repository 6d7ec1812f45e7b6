import { startGateway } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { exportText, importText } from '../seed/data.harness.ts';
import { inviteReader, eventWrites } from './event-writes.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, seeds } from './seed.ts';
import { openPostgresWorld } from './worlds.ts';

// `data.test.ts` runs this test in memory.
const stepCount = chooseLength(80, 250);
const weightedWrites = [...eventWrites, [8, inviteReader] as const];

describeWithPostgres('the data of random operations in a database', () => {
  const { createMigratedUrl } = usePostgres();

  test.each(seeds)('is the same after import elsewhere (seed %i)', async (seed) => {
    const [world, operations] = [
      await openPostgresWorld(await createMigratedUrl()),
      new OperationSequence(seed),
    ];
    while (operations.history.step <= stepCount) await world.send(operations.next(weightedWrites));
    const exportedText = await exportText(world.stores);
    const repeatedCounts = (await importText(world.stores, exportedText)).counts.events;
    expect(repeatedCounts).toMatchObject({ added: 0, changed: 0, refused: 0 });
    await world.close();
    for (const env of [{ DATABASE_URL: await createMigratedUrl() }, {}] as readonly Readonly<
      Record<string, string>
    >[]) {
      const otherGateway = await startGateway(env, { seed: {} });
      expect((await importText(otherGateway.stores, exportedText)).issues).toEqual([]);
      expect(await exportText(otherGateway.stores)).toBe(exportedText);
      await otherGateway.close();
    }
  });
});
