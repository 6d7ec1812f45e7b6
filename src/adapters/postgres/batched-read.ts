/** How many statements share a connection at most: the server answers them one after the other. */
const mostOnOne = 5;

interface Waiting<Statement, Rows> {
  readonly statement: Statement;
  readonly resolve: (rows: Promise<Rows>) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends statements on one connection; each is answered, or fails, for itself. */
type RunEach<Statement, Rows> = (statements: readonly Statement[]) => readonly Promise<Rows>[];

/**
 * Statements that are asked for in one iteration of the event loop go to the database in batches, each a round trip on one connection.
 * With many callers that leaves connections to those who wait for the disk, and takes fewer system calls on both sides.
 */
export function createBatchedRead<Statement, Rows>(use: (work: (connection: { readonly runEach: RunEach<Statement, Rows> }) => Promise<void>) => Promise<void>): (statement: Statement) => Promise<Rows> {
  let waiting: Waiting<Statement, Rows>[] = [];

  function send(batch: readonly Waiting<Statement, Rows>[]): void {
    const work = async ({ runEach }: { readonly runEach: RunEach<Statement, Rows> }): Promise<void> => {
      const answers = runEach(batch.map(({ statement }) => statement));
      for (const [index, rows] of answers.entries()) batch[index]?.resolve(rows);
      await Promise.allSettled(answers);
    };
    // Without a connection all of them fail.
    use(work).catch((error: unknown) => {
      for (const { reject } of batch) reject(error);
    });
  }

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += mostOnOne) send(all.slice(from, from + mostOnOne));
  }

  return (statement) => new Promise((resolve, reject) => {
    if (waiting.push({ statement, resolve, reject }) === 1) setImmediate(sendAll);
  });
}
