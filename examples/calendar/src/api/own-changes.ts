import { ApolloLink } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { finalize, tap } from 'rxjs';

let pendingMutations = 0;
let answeredMutations = 0;

/** Counts pending and answered mutations of the page. */
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

/** Repeats a read during which a mutation was answered, because the older value would overwrite its result. */
export async function readUntilUndisturbed<T>(
  read: () => Promise<T>,
  onValue: (value: T) => void,
): Promise<void> {
  for (;;) {
    const answeredBefore = answeredMutations;
    const value = await read();
    if (answeredMutations === answeredBefore) return onValue(value);
  }
}
