import { startGateway, type TestGateway } from '../harness.ts';
import { exportText, importText, listEvents, type ListedEvent } from '../seed/data.harness.ts';
import { callers, calendarOwners, castSeed as cast } from './cast.ts';
import { inviteReader, eventWrites } from './event-writes.ts';
import { timeOfStep } from './operation.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, seeds } from './seed.ts';
import { openMemoryWorld, type World } from './worlds.ts';

const stepCount = chooseLength(80, 250);
const weightedWrites = [...eventWrites, [8, inviteReader] as const];

describe('the data of random operations in a store', () => {
  let world: World;
  let otherGateway: TestGateway;
  let operations: OperationSequence;
  const sendUntilStep = async (lastStep: number): Promise<void> => {
    while (operations.history.step <= lastStep) await world.send(operations.next(weightedWrites));
  };
  const startBothStores = async (seed: number, seedData: object): Promise<void> => {
    operations = new OperationSequence(seed);
    world = await openMemoryWorld();
    otherGateway = await startGateway({}, { seed: seedData, clock: () => timeOfStep(stepCount) });
    await sendUntilStep(stepCount);
  };
  afterEach(async () => {
    await otherGateway.close();
    await world.close();
  });
  const askOtherGateway = (as: string, document: string, variables: object) =>
    otherGateway.ask(document, variables, { as });
  const listOnOtherGateway = (calendarId: string, as: string) => listEvents(askOtherGateway, calendarId, as);

  test.each(seeds)('is the same for every caller after export and import (seed %i)', async (seed) => {
    await startBothStores(seed, {});
    const exportedText = await exportText(world.stores);
    const report = await importText(otherGateway.stores, exportedText);
    expect(report.issues).toEqual([]);
    expect(await exportText(otherGateway.stores)).toBe(exportedText);
    for (const calendarId of calendarOwners) {
      for (const as of callers)
        expect(await listOnOtherGateway(calendarId, as)).toEqual(
          await listEvents(world.sendDocument, calendarId, as),
        );
    }
    const secondImport = await importText(otherGateway.stores, exportedText);
    const { added: unchangedCount } = report.counts.events;
    expect(secondImport.issues).toEqual([]);
    expect(secondImport.counts.events).toEqual({
      added: 0,
      changed: 0,
      unchanged: unchangedCount,
      refused: 0,
    });
  });

  test.each(seeds)('is the same for its owner, one calendar at a time (seed %i)', async (seed) => {
    await startBothStores(seed, {});
    for (const calendarId of calendarOwners) {
      await otherGateway.close();
      otherGateway = await startGateway({}, { seed: {}, clock: () => timeOfStep(stepCount) });
      const exportedText = await exportText(world.stores, calendarId);
      const repeatedCounts = (await importText(world.stores, exportedText)).counts.events;
      expect(repeatedCounts).toMatchObject({ added: 0, changed: 0, refused: 0 });
      expect((await importText(otherGateway.stores, exportedText)).issues).toEqual([]);
      expect(await exportText(otherGateway.stores, calendarId)).toBe(exportedText);
      expect(selectUncancelled(await listOnOtherGateway(calendarId, calendarId))).toEqual(
        selectUncancelled(await listEvents(world.sendDocument, calendarId, calendarId)),
      );
    }
  });

  test.each(seeds)('is reset by an import; a second import changes nothing (seed %i)', async (seed) => {
    await startBothStores(seed, cast);
    const exportedText = await exportText(world.stores);
    await sendUntilStep(2 * stepCount);
    const firstImport = await importText(world.stores, exportedText, () => timeOfStep(3 * stepCount));
    expect(firstImport.issues).toEqual([]);
    expect(firstImport.counts.events).toMatchObject({ added: 0, refused: 0 });
    expect(firstImport.counts.events.changed).toBeGreaterThan(0);
    const secondImport = await importText(world.stores, exportedText, () => timeOfStep(4 * stepCount));
    expect(secondImport.counts.events).toMatchObject({ added: 0, changed: 0, refused: 0 });
  });
});

/** Selects events that are not cancelled, with their texts and times. */
const selectUncancelled = (events: readonly ListedEvent[]): object[] =>
  events.flatMap(({ id, status, summary, description, location, start, end, recurrence }) =>
    status === 'cancelled' ? [] : [{ id, summary, description, location, start, end, recurrence }],
  );
