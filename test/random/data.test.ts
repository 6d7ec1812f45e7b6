import { startGateway, type TestGateway } from '../harness.ts';
import { exported, imported, shownOn, type Shown } from '../seed/data.harness.ts';
import { callers, hosts, seed as cast } from './cast.ts';
import { inviteReader, writes } from './event-writes.ts';
import { timeOf } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, seeds } from './seed.ts';
import { memoryWorld, type World } from './worlds.ts';

const steps = historyLength(80, 250);
const kinds = [...writes, [8, inviteReader] as const];

describe('what random operations leave in a store', () => {
  let world: World;
  let other: TestGateway;
  let operations: Operations;
  const run = async (until: number): Promise<void> => {
    while (operations.known.step <= until) await world.send(operations.next(kinds));
  };
  const start = async (seed: number, given: object): Promise<void> => {
    operations = new Operations(seed);
    world = await memoryWorld();
    other = await startGateway({}, { seed: given, clock: () => timeOf(steps) });
    await run(steps);
  };
  afterEach(async () => {
    await other.close();
    await world.close();
  });
  const shownThere = (calendarId: string, as: string): Promise<Shown[]> =>
    shownOn((who, document, variables) => other.ask(document, variables, { as: who }), calendarId, as);

  test.each(seeds)('is the same behind an export and an import, for everybody (seed %i)', async (seed) => {
    await start(seed, {});
    const text = await exported(world.stores);
    const report = await imported(other.stores, text);
    expect(report.issues).toEqual([]);
    expect(await exported(other.stores)).toBe(text);
    for (const calendarId of hosts) {
      for (const as of callers)
        expect(await shownThere(calendarId, as)).toEqual(await shownOn(world.query, calendarId, as));
    }
    const again = await imported(other.stores, text);
    expect([again.issues, again.counts.events]).toEqual([
      [],
      { added: 0, changed: 0, unchanged: report.counts.events.added, refused: 0 },
    ]);
  });

  test.each(seeds)('comes back, calendar by calendar, as its owner was shown it (seed %i)', async (seed) => {
    await start(seed, {});
    for (const calendarId of hosts) {
      await other.close();
      other = await startGateway({}, { seed: {}, clock: () => timeOf(steps) });
      const text = await exported(world.stores, calendarId);
      expect((await imported(world.stores, text)).counts.events).toMatchObject({
        added: 0,
        changed: 0,
        refused: 0,
      });
      expect((await imported(other.stores, text)).issues).toEqual([]);
      expect(await exported(other.stores, calendarId)).toBe(text);
      expect(planned(await shownThere(calendarId, calendarId))).toEqual(
        planned(await shownOn(world.query, calendarId, calendarId)),
      );
    }
  });

  test.each(seeds)('goes back to what a file has, and twice is no more than once (seed %i)', async (seed) => {
    await start(seed, cast);
    const text = await exported(world.stores);
    await run(2 * steps);
    const first = await imported(world.stores, text, () => timeOf(3 * steps));
    expect(first.issues).toEqual([]);
    expect(first.counts.events).toMatchObject({ added: 0, refused: 0 });
    expect(first.counts.events.changed).toBeGreaterThan(0);
    const again = await imported(world.stores, text, () => timeOf(4 * steps));
    expect(again.counts.events).toMatchObject({ added: 0, changed: 0, refused: 0 });
  });
});

/** Events that take place, with their times. */
const planned = (events: readonly Shown[]): object[] =>
  events.flatMap(({ id, status, summary, description, location, start, end, recurrence }) =>
    status === 'cancelled' ? [] : [{ id, summary, description, location, start, end, recurrence }],
  );
