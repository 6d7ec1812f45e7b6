import { alice, bob, rita, wanda } from '../../event/event.harness.ts';
import { printOperation, type Args } from '../../random/operation.ts';
import { Operations } from '../../random/operations.ts';
import type { Seat } from '../../random/references.ts';
import { historyLength, Random, seeds } from '../../random/seed.ts';
import { compareAll, compareStored, expectSame, settledBody, type Two } from './sameness/comparison.ts';
import { drivenThroughGraphql, drivenThroughRest, type Driven } from './sameness/gateways.ts';
import { disturbed, kinds, type Step } from './sameness/operations.ts';

const steps = historyLength(30, 120);

describe('the same operations through GraphQL and through REST', () => {
  let two: Two;
  beforeEach(async () => {
    two = [await drivenThroughGraphql(), await drivenThroughRest()];
  });
  afterEach(() => Promise.all(two.map((gateway) => gateway.close())));

  test.each(seeds)('have the same responses and warnings, and store the same (seed %i)', async (seed) => {
    const [operations, random] = [new Operations(seed), new Random(seed)];
    while (operations.known.step <= steps) await send(disturbed(random, operations.next(kinds)));
    await compareAll(two, 'all steps');
  });

  /** Sends an operation to both, and compares the event that it is about, as some callers see it. */
  async function send(step: Step): Promise<void> {
    const where = `at ${printOperation(step)}`;
    const [one, other] = [await two[0].drive(step), await two[1].drive(step)];
    const [shown, expected] = [one, other].map((driven, index) => {
      if (!driven) return undefined;
      const { outcome, seat, notices } = driven;
      return { ...outcome, body: settledBody((two[index] as Driven).names, seat, outcome.body), notices };
    });
    expectSame(two, shown, expected, where);
    if (!one || !other || !/Event/.test(step.name)) return;
    const [here, there] = [one, other].map(({ outcome, args }) => outcome.body?.id ?? args.eventId);
    if (here === undefined || there === undefined) return;
    for (const as of new Set([step.as, alice, bob, wanda, rita])) {
      const at = (seat: Seat, eventId: unknown): Args => ({
        calendarId: as === wanda || as === rita || as === seat.as ? placeOf(seat) : 'primary',
        eventId,
      });
      await compareStored(two, 'event', as, [at(one.seat, here), at(other.seat, there)], where);
    }
  }
});

const placeOf = ({ as, calendarId }: Seat): string => (calendarId === 'primary' ? as : calendarId);
