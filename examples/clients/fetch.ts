import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { errorsIn, type GatewayError } from './errors.ts';

/** Result of an operation. */
export interface OperationResult<T> {
  readonly data: T | null;
  readonly errors?: readonly GatewayError[];
  /** Parts of the input that were accepted but not applied. Show them to the user. */
  readonly warnings: readonly {
    readonly field: string;
    readonly path: readonly (string | number)[];
    readonly message: string;
  }[];
}

/** Sends operations with `fetch` alone. Error responses give a result with errors; a lost connection throws. */
export function createClient(url: string, token: string) {
  return async <T, V>(document: TypedDocumentNode<T, V>, variables: V): Promise<OperationResult<T>> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: print(document), variables }),
    });
    const responseText = await response.text();
    if (!response.ok) return { data: null, errors: errorsIn(responseText, response.status), warnings: [] };
    const { data, errors, extensions } = JSON.parse(responseText) as OperationResult<T> & {
      extensions?: Partial<OperationResult<T>>;
    };
    return { data, errors, warnings: extensions?.warnings ?? [] };
  };
}
