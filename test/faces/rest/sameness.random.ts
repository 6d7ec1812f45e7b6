import { alice, bob, rita, wanda } from '../../event/event.harness.ts';
import { printOperation, type Args } from '../../random/operation.ts';
import { OperationSequence } from '../../random/operation-sequence.ts';
import type { Caller } from '../../random/references.ts';
import { chooseLength, Random, seeds } from '../../random/seed.ts';
import {
  compareAll,
  compareStored,
  expectSame,
  normalizeBody,
  type GatewayPair,
} from './sameness/comparison.ts';
import { startGraphqlGateway, startRestGateway, type FaceGateway } from './sameness/gateways.ts';
import { addFault, requestKinds, type Step } from './sameness/random-requests.ts';

/** Number of operations in one history. */
const stepCount = chooseLength(30, 120);

describe('GraphQL and REST, with the same operations', () => {
  let gateways: GatewayPair;
  beforeEach(async () => {
    gateways = [await startGraphqlGateway(), await startRestGateway()];
  });
  afterEach(() => Promise.all(gateways.map((gateway) => gateway.close())));

  test.each(seeds)('give the same responses and warnings, and store the same (seed %i)', async (seed) => {
    const [operations, random] = [new OperationSequence(seed), new Random(seed)];
    while (operations.history.step <= stepCount)
      await sendAndCompare(addFault(random, operations.next(requestKinds)));
    await compareAll(gateways, 'all steps');
  });

  /** Runs an operation on both gateways, and compares the affected event as several callers see it. */
  async function sendAndCompare(step: Step): Promise<void> {
    const description = `at ${printOperation(step)}`;
    const [graphqlRun, restRun] = [await gateways[0].run(step), await gateways[1].run(step)];
    const [graphqlOutcome, restOutcome] = [graphqlRun, restRun].map((operationRun, index) => {
      if (!operationRun) return undefined;
      const { outcome, caller, notices } = operationRun;
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
      const eventArgs = (caller: Caller, eventId: unknown): Args => ({
        calendarId: as === wanda || as === rita || as === caller.as ? calendarOf(caller) : 'primary',
        eventId,
      });
      await compareStored(
        gateways,
        'event',
        as,
        [eventArgs(graphqlRun.caller, graphqlEventId), eventArgs(restRun.caller, restEventId)],
        description,
      );
    }
  }
});

const calendarOf = ({ as, calendarId }: Caller): string => (calendarId === 'primary' ? as : calendarId);
