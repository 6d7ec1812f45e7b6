import { ApolloLink } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { OperationTypeNode } from 'graphql';
import { catchError, throwError } from 'rxjs';
import { RefusalError } from './refusal.ts';

/** Turns the failure of a request that began without a network, so was not sent, into a `RefusalError`. */
export const offlineLink = new ApolloLink((operation, forward) => {
  const wasOffline = !navigator.onLine;
  const remedy =
    operation.operationType === OperationTypeNode.MUTATION
      ? ' Nothing was saved; try again when you are online.'
      : '';
  return forward(operation).pipe(
    catchError((error: unknown) =>
      throwError(() =>
        wasOffline && !ServerError.is(error) ? new RefusalError('lost', `You are offline.${remedy}`) : error,
      ),
    ),
  );
});
