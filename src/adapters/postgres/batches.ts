/** One of those that are sent together. */
export interface Asked<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer | PromiseLike<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchLimits {
  /** Items in a batch. */
  readonly size: number;
  /** Batches that are under way; what comes meanwhile is collected for the next one. */
  readonly atOnce: number;
}

/**
 * Collects what is asked for in one iteration of the event loop, and sends it in batches. `send` answers each of a batch; where it throws,
 * all of the batch that have no answer fail by that.
 */
export function inBatches<Item, Answer>(
  { size, atOnce }: BatchLimits,
  send: (batch: readonly Asked<Item, Answer>[]) => Promise<void>,
): (item: Item) => Promise<Answer> {
  const waiting: Asked<Item, Answer>[] = [];
  let underWay = 0;
  let isScheduled = false;

  async function sendNext(): Promise<void> {
    const batch = waiting.splice(0, size);
    underWay += 1;
    try {
      await send(batch);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay -= 1;
    sendWaiting();
  }

  function sendWaiting(): void {
    isScheduled = false;
    while (waiting.length > 0 && underWay < atOnce) void sendNext();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isScheduled || underWay >= atOnce) return;
      isScheduled = true;
      setImmediate(sendWaiting);
    });
}

/** Few share a connection: the server answers them one after the other. */
const limits: BatchLimits = { size: 5, atOnce: Infinity };

/** Sends statements on one connection; each is answered, or fails, for itself. */
type RunEach<Statement, Rows> = (statements: readonly Statement[]) => readonly Promise<Rows>[];

/**
 * Statements that are asked for together go to the database in batches, each a round trip on one connection. With many callers that leaves
 * connections to those who wait for the disk, and takes fewer system calls on both sides.
 */
export const createBatchedRead = <Statement, Rows>(
  use: (work: (connection: { readonly runEach: RunEach<Statement, Rows> }) => Promise<void>) => Promise<void>,
): ((statement: Statement) => Promise<Rows>) =>
  inBatches(limits, (batch) =>
    use(async ({ runEach }) => {
      const answers = runEach(batch.map(({ item }) => item));
      for (const [index, rows] of answers.entries()) batch[index]?.resolve(rows);
      await Promise.allSettled(answers);
    }),
  );
