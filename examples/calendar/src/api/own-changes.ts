import { ApolloLink } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { finalize, tap } from 'rxjs';

let pendingMutationCount = 0;
let answeredMutationCount = 0;

/** Counts pending and answered mutations of the page. */
export const countOwnChanges = new ApolloLink((operation, forward) => {
  if (operation.operationType !== OperationTypeNode.MUTATION) return forward(operation);
  pendingMutationCount += 1;
  return forward(operation).pipe(
    tap(() => void (answeredMutationCount += 1)),
    finalize(() => void (pendingMutationCount -= 1)),
  );
});

/** Whether a mutation of this page is pending. */
export const isChanging = (): boolean => pendingMutationCount > 0;

/** Repeats a read during which a mutation was answered, because the older value would overwrite its result. */
export async function readUntilUndisturbed<T>(
  read: () => Promise<T>,
  onValue: (value: T) => void,
): Promise<void> {
  for (;;) {
    const answeredBefore = answeredMutationCount;
    const value = await read();
    if (answeredMutationCount === answeredBefore) return onValue(value);
  }
}
