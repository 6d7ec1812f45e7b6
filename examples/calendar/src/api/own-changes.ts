import { ApolloLink } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { finalize, tap } from 'rxjs';

let pendingMutationCount = 0;
let completedMutationCount = 0;

/** Counts the mutations of this page that are pending, and those that got a response. */
export const ownChangesLink = new ApolloLink((operation, forward) => {
  if (operation.operationType !== OperationTypeNode.MUTATION) return forward(operation);
  pendingMutationCount += 1;
  return forward(operation).pipe(
    tap(() => void (completedMutationCount += 1)),
    finalize(() => void (pendingMutationCount -= 1)),
  );
});

/** Whether a mutation of this page is pending. */
export const hasPendingMutation = (): boolean => pendingMutationCount > 0;

/**
 * Repeats a read until no mutation got a response during it, because the older value would overwrite the
 * result of the mutation. `onValue`: called once, with the value of the last read.
 */
export async function readUntilUndisturbed<T>(
  read: () => Promise<T>,
  onValue: (value: T) => void,
): Promise<void> {
  for (;;) {
    const completedCountBefore = completedMutationCount;
    const value = await read();
    if (completedMutationCount === completedCountBefore) return onValue(value);
  }
}
