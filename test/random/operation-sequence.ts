import { makeBucketRequest } from './bucket-writes.ts';
import { calendarReads, calendarWrites } from './calendar-writes.ts';
import { eventReads } from './event-reads.ts';
import { insertEvent, eventWrites } from './event-writes.ts';
import { makeNotificationRequest } from './notifications.ts';
import type { History, MakeRequest, Operation, Request } from './operation.ts';
import { Random, type Weighted } from './seed.ts';

/** Repeats an earlier request with a requestId, unchanged or as a dry run. */
const retryRequest: MakeRequest = (random, { earlier }) => {
  const requestsWithId = earlier.filter(({ args }) => args.requestId !== undefined);
  if (requestsWithId.length === 0) return [];
  const { name, as, args } = random.pick(requestsWithId);
  const validateOnly = args.validateOnly !== true;
  return [{ name, as, args: random.chance(0.8) ? args : { ...args, validateOnly } }];
};

const allGenerators: Weighted<MakeRequest> = [
  ...eventWrites,
  ...eventReads,
  ...calendarWrites,
  ...calendarReads,
  [1, retryRequest],
  [3, makeNotificationRequest],
  [4, makeBucketRequest],
];

/** Number of events that are created before other operations. */
const initialEventCount = 6;

/** Generates a sequence of operations. */
export class OperationSequence {
  readonly #random: Random;
  readonly #events: History['events'][number][] = [];
  readonly #earlier: Operation[] = [];
  readonly #pending: Request[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** History for the generators. */
  get history(): History {
    return { step: this.#earlier.length + 1, events: this.#events, earlier: this.#earlier };
  }

  /** Generates the next operation with one of the generators. */
  next(weightedGenerators: Weighted<MakeRequest> = allGenerators): Operation {
    const { history } = this;
    const { step } = history;
    while (this.#pending.length === 0) {
      const generate =
        step <= initialEventCount ? insertEvent : this.#random.pickWeighted(weightedGenerators);
      this.#pending.push(...generate(this.#random, history));
    }
    const operation = { step, ...(this.#pending.shift() as Request) };
    this.#earlier.push(operation);
    if (operation.creates) this.#events.push({ ...operation.creates, step });
    return operation;
  }
}
