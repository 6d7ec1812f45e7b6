import type { Fields } from '../../../core/json-values.ts';
import type { Issue } from '../../../core/errors.ts';
import { computeListEtag } from '../response.ts';
import type { MethodResult, MethodCall } from '../method.ts';

/** Page of a list as operations return it. */
export interface OperationPage {
  readonly edges: readonly { readonly cursor: string; readonly node: object }[];
  readonly hasNextPage: boolean;
}

/** Creates the token of the next page; empty on the last page. */
export function createNextPageToken(
  { edges, hasNextPage }: OperationPage,
  call: MethodCall,
): { readonly nextPageToken?: string } {
  const lastEdge = edges.at(-1);
  return hasNextPage && lastEdge ? { nextPageToken: call.createPageToken(lastEdge.cursor) } : {};
}

/** Cuts a page out of a list that the operation returns as a whole. `cursorOf` returns the cursor of an entry. */
export function paginate<T>(
  list: readonly T[],
  { parameters, after, createPageToken }: MethodCall,
  cursorOf: (entry: T) => string,
  defaultLength: number,
): { readonly entries: readonly T[]; readonly nextPageToken?: string } {
  // If the entry of the cursor is gone, the list starts again from the beginning.
  const start = after === undefined ? 0 : list.findIndex((entry) => cursorOf(entry) === after) + 1;
  const end = start + ((parameters.maxResults as number | undefined) ?? defaultLength);
  const lastEntry = list[end - 1];
  return {
    entries: list.slice(start, end),
    ...(end < list.length &&
      lastEntry !== undefined && { nextPageToken: createPageToken(cursorOf(lastEntry)) }),
  };
}

/** Refuses sync tokens for lists that do not issue any. */
export const findSyncTokenIssues = ({ parameters }: MethodCall): readonly Issue[] =>
  parameters.syncToken === undefined
    ? []
    : [
        {
          path: ['syncToken'],
          reason: 'invalid',
          message: 'This list has no syncToken. List everything again.',
        },
      ];

/** Adds the entity tag of a list. `tagOf` returns the value that represents an entry in the tag. */
export function withEtag(
  { kind, items, ...json }: Fields & { readonly items: readonly Fields[] },
  tagOf = (entry: Fields): unknown => entry.etag ?? entry,
): MethodResult {
  return { json: { kind, etag: computeListEtag(json, items.map(tagOf)), ...json, items } };
}
