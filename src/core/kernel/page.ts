import type { Issue } from './errors.ts';

/** A page of a list. The page after an entry's cursor begins with the next entry. */
export interface Page<N> {
  readonly edges: readonly { readonly cursor: string; readonly node: N }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Refuses a page of none, or of more entries than one may have. */
export const sizeIssues = (first: number | null | undefined, max: number): Issue[] =>
  typeof first === 'number' && (first < 1 || first > max)
    ? [
        {
          path: ['first'],
          reason: 'invalid',
          message: `first must be from 1 to ${max}.`,
          params: { min: 1, max, actual: first },
        },
      ]
    : [];

/** A page in the form of Relay's connections. A cursor is read, and so made, where it is asked for. */
export function connectionOf<N>({ edges, hasNextPage, hasPreviousPage }: Page<N>) {
  return {
    edges: [...edges],
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      get startCursor(): string | null {
        return edges.at(0)?.cursor ?? null;
      },
      get endCursor(): string | null {
        return edges.at(-1)?.cursor ?? null;
      },
    },
  };
}
