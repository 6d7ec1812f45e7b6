import { alice, bob, rita, wanda } from '../../event/event.harness.ts';
import { printOperation, type Args } from '../../random/operation.ts';
import { Operations } from '../../random/operations.ts';
import type { Seat } from '../../random/references.ts';
import { Random, seeds } from '../../random/seed.ts';
import { compareAll, compareStored, expectSame, settledBody, type Two } from './sameness/comparison.ts';
import { drivenThroughGraphql, drivenThroughRest, type Driven } from './sameness/gateways.ts';
import { disturbed, kinds, type Step } from './sameness/operations.ts';

const steps = 120;

describe('the same operations through GraphQL and through REST', () => {
  let two: Two;
  beforeEach(async () => {
    two = [await drivenThroughGraphql(), await drivenThroughRest()];
  });
  afterEach(() => Promise.all(two.map((gateway) => gateway.close())));

  test.each(seeds)(
    'have the same answers, refusals and warnings, and leave the same, which both faces show alike (seed %i)',
    async (seed) => {
      const [operations, random] = [new Operations(seed), new Random(seed)];
      while (operations.known.step <= steps) await send(disturbed(random, operations.next(kinds)));
      await compareAll(two, 'all steps');
    },
  );

  /** Sends an operation to both, and compares the event that it is about, as some see it. */
  async function send(step: Step): Promise<void> {
    const [one, other] = [await two[0].drive(step), await two[1].drive(step)];
    const answers = [one, other].map(
      (driven, index) =>
        driven && {
          ...driven.outcome,
          body: settledBody((two[index] as Driven).names, driven.seat, driven.outcome.body),
          notices: driven.notices,
        },
    );
    expectSame(two, answers[0], answers[1], `at ${printOperation(step)}`);
    if (!one || !other || !/Event/.test(step.name)) return;
    const [mine, theirs] = [one, other].map(({ outcome, args }) => outcome.body?.id ?? args.eventId) as [
      string?,
      string?,
    ];
    if (mine === undefined || theirs === undefined) return;
    for (const as of new Set([step.as, alice, bob, wanda, rita])) {
      const at = (seat: Seat, eventId: string): Args => ({
        calendarId: as === wanda || as === rita || as === seat.as ? placeOf(seat) : 'primary',
        eventId,
      });
      await compareStored(
        two,
        'event',
        as,
        [at(one.seat, mine), at(other.seat, theirs)],
        printOperation(step),
      );
    }
  }
});

const placeOf = ({ as, calendarId }: Seat): string => (calendarId === 'primary' ? as : calendarId);
