import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { bucketWrite } from './bucket-writes.ts';
import { patchCalendar } from './calendar-writes.ts';
import { differences } from './differences.ts';
import { reads } from './event-reads.ts';
import { writes } from './event-writes.ts';
import {
  guestsNamed,
  hiddenChange,
  inOneWorld,
  isHidden,
  isObserved,
  observedList,
  sentBack,
} from './hidden-guests.ts';
import { printOperation, type Operation } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, Random, seeds } from './seed.ts';
import { memoryWorld, postgresWorld, type World } from './worlds.ts';

const steps = historyLength(60, 300);

function suite(open: () => Promise<World>): void {
  let worlds: readonly [World, World];
  beforeEach(async () => {
    worlds = [await open(), await open()];
  });
  afterEach(() => Promise.all(worlds.map((world) => world.close())));

  test.each(seeds)('are answered alike, whoever is invited and whatever those do (seed %i)', async (seed) => {
    const [random, operations] = [new Random(seed), new Operations(seed)];
    const guestsCanModify = seed % 2 === 0;
    const hidden = hiddenChange(guestsCanModify);
    while (operations.known.step <= steps) {
      const operation = operations.next([
        ...writes,
        ...reads,
        ...reads,
        [3, patchCalendar],
        [1, bucketWrite],
        [5, sentBack],
        [5, guestsNamed],
        [8, observedList],
      ]);
      if (isHidden(operation)) continue;
      await compare(worlds, operation, () =>
        inOneWorld(random, operation, operations.known, guestsCanModify),
      );
      for (const request of hidden(random, operations.known))
        await worlds[1].send({ ...request, step: operation.step + 0.5 });
    }
  });
}

/** Sends an operation to both worlds, as it is in each. Whoever may not know of a difference is to be answered without one. */
async function compare(
  worlds: readonly [World, World],
  operation: Operation,
  inOne: () => readonly Operation[],
): Promise<void> {
  const answers = await Promise.all(
    worlds.map(async (world) => {
      let last;
      for (const one of inOne()) last = await world.send(one);
      return last;
    }),
  );
  if (!isObserved(operation)) return;
  const found = differences(...(answers.map((sent) => sent?.named) as [unknown, unknown]));
  if (found.length > 0)
    throw new Error(`One world <> the other at ${printOperation(operation)}\n${found.join('\n')}`);
}

describe('guests who cannot see each other, in memory,', () => suite(memoryWorld));
describeWithPostgres('guests who cannot see each other, on PostgreSQL,', () => {
  const { fresh } = usePostgres();
  suite(async () => postgresWorld(await fresh()));
});
