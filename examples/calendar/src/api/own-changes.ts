import { ApolloLink } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { finalize, tap } from 'rxjs';

let underWay = 0;
let answered = 0;

/** Counts the changes that the page sends, and those that were answered. */
export const countOwnChanges = new ApolloLink((operation, forward) => {
  if (operation.operationType !== OperationTypeNode.MUTATION) return forward(operation);
  underWay += 1;
  return forward(operation).pipe(
    tap(() => void (answered += 1)),
    finalize(() => void (underWay -= 1)),
  );
});

/** Whether the answer to a change is yet to come. */
export const isChanging = (): boolean => underWay > 0;

/** Repeats a read during which a change of the page was answered: the read may be older than that answer, and would undo it. */
export async function readWhole<T>(read: () => Promise<T>, keep: (value: T) => void): Promise<void> {
  for (;;) {
    const before = answered;
    const value = await read();
    if (answered === before) return keep(value);
  }
}
