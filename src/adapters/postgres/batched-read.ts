import { inBatches, type BatchLimits } from './batches.ts';

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
