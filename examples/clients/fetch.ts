import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { errorsIn, type GatewayError } from './errors.ts';

export interface Answer<T> {
  readonly data: T | null;
  readonly errors?: readonly GatewayError[];
  /** Values that were accepted and not applied: show them. */
  readonly warnings: readonly {
    readonly field: string;
    readonly path: readonly (string | number)[];
    readonly message: string;
  }[];
}

/** Sends operations with `fetch` alone. Every response is returned as an answer; a lost connection throws. */
export function createClient(url: string, token: string) {
  return async <T, V>(document: TypedDocumentNode<T, V>, variables: V): Promise<Answer<T>> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: print(document), variables }),
    });
    const text = await response.text();
    if (!response.ok) return { data: null, errors: errorsIn(text, response.status), warnings: [] };
    const { data, errors, extensions } = JSON.parse(text) as Answer<T> & { extensions?: Partial<Answer<T>> };
    return { data, errors, warnings: extensions?.warnings ?? [] };
  };
}
