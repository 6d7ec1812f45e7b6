import { describeWithPostgres } from '../postgres-server.ts';
import { differences } from './differences.ts';
import { reads } from './event-reads.ts';
import { writes } from './event-writes.ts';
import { differentlyInvited, hiddenChange, isHidden, isObserved } from './hidden-guests.ts';
import { printOperation, type Operation } from './operation.ts';
import { Operations } from './operations.ts';
import { Random, seeds } from './seed.ts';
import { memoryWorld, postgresWorld, usePostgres, type World } from './worlds.ts';

const steps = 300;

function suite(open: () => Promise<World>): void {
  let worlds: readonly [World, World];
  beforeEach(async () => {
    worlds = [await open(), await open()];
  }, 60_000);
  afterEach(() => Promise.all(worlds.map((world) => world.close())));

  test.each(seeds)('are answered alike, whoever else is invited, and whatever those do (seed %i)', async (seed) => {
    const [random, operations] = [new Random(seed), new Operations(seed)];
    const guestsCanModify = seed % 2 === 0;
    const hidden = hiddenChange(guestsCanModify);
    while (operations.known.step <= steps) {
      const operation = operations.next([...writes, ...reads, ...reads]);
      if (isHidden(operation)) continue;
      const pair = differentlyInvited(random, operation, operations.known, guestsCanModify);
      await sendPair(worlds, pair);
      for (const request of hidden(random, operations.known)) await worlds[1].send({ ...request, step: operation.step + 0.5 });
    }
  }, 60_000);
}

async function sendPair(worlds: readonly [World, World], pair: readonly [Operation, Operation]): Promise<void> {
  const [one, other] = await Promise.all(worlds.map((world, index) => world.send(pair[index] as Operation)));
  if (!isObserved(pair[0])) return;
  const found = differences(one?.named, other?.named);
  if (found.length > 0) throw new Error(`One world <> the other at ${printOperation(pair[0])}\n${found.join('\n')}`);
}

describe('guests who cannot see each other, in memory,', () => suite(memoryWorld));
describeWithPostgres('guests who cannot see each other, on PostgreSQL,', () => {
  const { fresh } = usePostgres();
  suite(async () => postgresWorld(await fresh()));
});
