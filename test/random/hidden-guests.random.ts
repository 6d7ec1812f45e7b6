import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { makeBucketRequest } from './bucket-writes.ts';
import { patchCalendar } from './calendar-writes.ts';
import { findDifferences } from './differences.ts';
import { eventReads } from './event-reads.ts';
import { eventWrites } from './event-writes.ts';
import {
  changeGuestsAsGuest,
  makeHiddenChange,
  listAsObserver,
  sendBackAsGuest,
  isSentByHiddenGuest,
  isSentByObserver,
  toWorldVariant,
} from './hidden-guests.ts';
import { printOperation, type MakeRequest, type Operation } from './operation.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, Random, seeds, type Weighted } from './seed.ts';
import { openMemoryWorld, openPostgresWorld, type World } from './worlds.ts';

const stepCount = chooseLength(60, 300);
const generators: Weighted<MakeRequest> = [
  ...eventWrites,
  ...eventReads,
  ...eventReads,
  [3, patchCalendar],
  [1, makeBucketRequest],
  [5, sendBackAsGuest],
  [5, changeGuestsAsGuest],
  [8, listAsObserver],
];

function suite(openWorld: () => Promise<World>): void {
  let worlds: readonly [World, World];
  beforeEach(async () => {
    worlds = [await openWorld(), await openWorld()];
  });
  afterEach(() => Promise.all(worlds.map((world) => world.close())));

  test.each(seeds)(
    'get the same responses, whatever hidden guests are invited and do (seed %i)',
    async (seed) => {
      // Each world has its own hidden guests, and only the second one gets their changes.
      const [random, operations] = [new Random(seed), new OperationSequence(seed)];
      const guestsCanModify = seed % 2 === 0;
      const generateHiddenChanges = makeHiddenChange(guestsCanModify);
      while (operations.history.step <= stepCount) {
        const operation = operations.next(generators);
        if (isSentByHiddenGuest(operation)) continue;
        await sendAndCompare(worlds, operation, () =>
          toWorldVariant(random, operation, operations.history, guestsCanModify),
        );
        for (const request of generateHiddenChanges(random, operations.history))
          await worlds[1].send({ ...request, step: operation.step + 0.5 });
      }
    },
  );
}

/** Sends each world its variant of an operation, and compares the responses if an observer sends it. */
async function sendAndCompare(
  worlds: readonly [World, World],
  operation: Operation,
  createVariants: () => readonly Operation[],
): Promise<void> {
  const outcomes = await Promise.all(
    worlds.map(async (world) => {
      let lastOutcome;
      for (const variant of createVariants()) lastOutcome = await world.send(variant);
      return lastOutcome;
    }),
  );
  if (!isSentByObserver(operation)) return;
  const differences = findDifferences(...(outcomes.map((sent) => sent?.normalized) as [unknown, unknown]));
  if (differences.length > 0)
    throw new Error(`One world <> the other at ${printOperation(operation)}\n${differences.join('\n')}`);
}

describe('guests who cannot see each other, in memory,', () => suite(openMemoryWorld));
describeWithPostgres('guests who cannot see each other, on PostgreSQL,', () => {
  const { createMigratedUrl } = usePostgres();
  suite(async () => openPostgresWorld(await createMigratedUrl()));
});
