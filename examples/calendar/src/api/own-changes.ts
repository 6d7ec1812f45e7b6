import { ApolloLink } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { finalize, tap } from 'rxjs';

let pendingMutations = 0;
let answeredMutations = 0;

/** Counts the page's mutations that are pending, and those that were answered. */
export const countOwnChanges = new ApolloLink((operation, forward) => {
  if (operation.operationType !== OperationTypeNode.MUTATION) return forward(operation);
  pendingMutations += 1;
  return forward(operation).pipe(
    tap(() => void (answeredMutations += 1)),
    finalize(() => void (pendingMutations -= 1)),
  );
});

/** Whether a mutation of this page is pending. */
export const isChanging = (): boolean => pendingMutations > 0;

/** Reads again if a mutation of this page was answered meanwhile, because the older value would overwrite its result. */
export async function readUntilUndisturbed<T>(
  read: () => Promise<T>,
  onValue: (value: T) => void,
): Promise<void> {
  for (;;) {
    const before = answeredMutations;
    const value = await read();
    if (answeredMutations === before) return onValue(value);
  }
}
