import { bucketWrite } from './bucket-writes.ts';
import { calendarReads, calendarWrites } from './calendar-writes.ts';
import { reads } from './event-reads.ts';
import { insertEvent, writes } from './event-writes.ts';
import { notification } from './notifications.ts';
import type { Known, Make, Operation, Request } from './operation.ts';
import { Random, type Weighted } from './seed.ts';

/** Sends an earlier request that has a requestId once more, as it was or changed. */
const retry: Make = (random, { earlier }) => {
  const retried = earlier.filter(({ args }) => args.requestId !== undefined);
  if (retried.length === 0) return [];
  const { name, as, args } = random.pick(retried);
  return [
    { name, as, args: random.chance(0.8) ? args : { ...args, validateOnly: args.validateOnly !== true } },
  ];
};

const all: Weighted<Make> = [
  ...writes,
  ...reads,
  ...calendarWrites,
  ...calendarReads,
  [1, retry],
  [3, notification],
  [4, bucketWrite],
];

/** So many events are made before anything else happens. */
const few = 6;

/** Makes up operations, one after the other. */
export class Operations {
  readonly #random: Random;
  readonly #events: Known['events'][number][] = [];
  readonly #earlier: Operation[] = [];
  readonly #next: Request[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** What there is to make up more of. */
  get known(): Known {
    return { step: this.#earlier.length + 1, events: this.#events, earlier: this.#earlier };
  }

  /** The next operation: of any kind, or of one of these. */
  next(kinds: Weighted<Make> = all): Operation {
    const { known } = this;
    const { step } = known;
    while (this.#next.length === 0) {
      const make = step <= few ? insertEvent : this.#random.weighted(kinds);
      this.#next.push(...make(this.#random, known));
    }
    const operation = { step, ...(this.#next.shift() as Request) };
    this.#earlier.push(operation);
    if (operation.makes) this.#events.push({ ...operation.makes, step });
    return operation;
  }
}
