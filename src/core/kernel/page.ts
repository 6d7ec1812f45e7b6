/** A page of a list. The page after an entry's cursor begins with the next entry. */
export interface Page<N> {
  readonly edges: readonly { readonly cursor: string; readonly node: N }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** A page in the form of Relay's connections. */
export function connectionOf<N>({ edges, hasNextPage, hasPreviousPage }: Page<N>) {
  const [startCursor, endCursor] = [edges.at(0)?.cursor ?? null, edges.at(-1)?.cursor ?? null];
  return {
    edges: [...edges],
    nodes: edges.map(({ node }) => node),
    pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor },
  };
}
