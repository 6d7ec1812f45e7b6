import { alice, bob, rita, wanda } from '../../event/event.harness.ts';
import { printOperation, type Args } from '../../random/operation.ts';
import { Operations } from '../../random/operations.ts';
import type { Caller } from '../../random/references.ts';
import { historyLength, Random, seeds } from '../../random/seed.ts';
import { compareAll, compareStored, expectSame, normalizeBody, type Pair } from './sameness/comparison.ts';
import { startGraphqlGateway, startRestGateway, type FaceGateway } from './sameness/gateways.ts';
import { disturb, kinds, type Step } from './sameness/operations.ts';

const steps = historyLength(30, 120);

describe('GraphQL and REST, with the same operations', () => {
  let gateways: Pair;
  beforeEach(async () => {
    gateways = [await startGraphqlGateway(), await startRestGateway()];
  });
  afterEach(() => Promise.all(gateways.map((gateway) => gateway.close())));

  test.each(seeds)('give the same responses and warnings, and store the same (seed %i)', async (seed) => {
    const [operations, random] = [new Operations(seed), new Random(seed)];
    while (operations.history.step <= steps) await send(disturb(random, operations.next(kinds)));
    await compareAll(gateways, 'all steps');
  });

  /** Runs an operation on both gateways, and compares the affected event as several callers see it. */
  async function send(step: Step): Promise<void> {
    const description = `at ${printOperation(step)}`;
    const [graphqlRun, restRun] = [await gateways[0].run(step), await gateways[1].run(step)];
    const [graphqlOutcome, restOutcome] = [graphqlRun, restRun].map((driven, index) => {
      if (!driven) return undefined;
      const { outcome, caller, notices } = driven;
      return {
        ...outcome,
        body: normalizeBody((gateways[index] as FaceGateway).placeholders, caller, outcome.body),
        notices,
      };
    });
    expectSame(gateways, graphqlOutcome, restOutcome, description);
    if (!graphqlRun || !restRun || !/Event/.test(step.name)) return;
    const [graphqlEventId, restEventId] = [graphqlRun, restRun].map(
      ({ outcome, args }) => outcome.body?.id ?? args.eventId,
    );
    if (graphqlEventId === undefined || restEventId === undefined) return;
    for (const as of new Set([step.as, alice, bob, wanda, rita])) {
      const at = (caller: Caller, eventId: unknown): Args => ({
        calendarId: as === wanda || as === rita || as === caller.as ? calendarOf(caller) : 'primary',
        eventId,
      });
      await compareStored(
        gateways,
        'event',
        as,
        [at(graphqlRun.caller, graphqlEventId), at(restRun.caller, restEventId)],
        description,
      );
    }
  }
});

const calendarOf = ({ as, calendarId }: Caller): string => (calendarId === 'primary' ? as : calendarId);
