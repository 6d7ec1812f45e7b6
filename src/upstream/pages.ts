import { serviceUnavailableError } from '../core/errors.ts';
import type { Page } from '../core/page.ts';
import type { Fields } from '../core/json.ts';

/** Parses a page token or sync token; undefined if there is none. */
export const parseToken = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Parses a page of an official API. Entries for which `readItem` returns undefined are skipped. */
export const parsePage = <N>(
  { items, nextPageToken }: Fields,
  readItem: (item: unknown) => N | undefined,
): ServicePage<N> => ({
  items: (Array.isArray(items) ? items : []).flatMap((item) => readItem(item) ?? []),
  nextToken: parseToken(nextPageToken),
});

/** A page as the official API returned it. */
interface ServicePage<N> {
  readonly items: readonly N[];
  /** Token of the next page; undefined on the last one. */
  readonly nextToken: string | undefined;
}

/** A position in a list: behind `skip` entries of an upstream page. */
export interface PagePosition {
  /** Token of the upstream page; absent for the first one. */
  readonly token?: string | undefined;
  /** Number of entries that was requested for the upstream page. */
  readonly size: number;
  readonly skip: number;
}

/** Maximum number of upstream pages for one page, since services may return less than requested. */
const maxPages = 20;

/** Reads one page of a list from a position, from as many upstream pages as needed. */
export async function readListPage<Node, P>(
  limit: number,
  position: PagePosition | undefined,
  readUpstreamPage: (token: string | undefined, size: number) => Promise<P & ServicePage<Node>>,
  sealPosition: (position: PagePosition) => string,
): Promise<Page<Node> & { readonly firstPage: P; readonly lastPage: P }> {
  let { token, size, skip } = position ?? { token: undefined, size: limit, skip: 0 };
  // A position inside a page is only valid with the original size of that page.
  if (skip === 0) size = limit;
  const edges: Page<Node>['edges'][number][] = [];
  let firstPage: P | undefined;
  for (let pageCount = 1; ; pageCount += 1) {
    const page = await readUpstreamPage(token, size);
    firstPage ??= page;
    const { items, nextToken } = page;
    for (const [index, node] of items.entries()) {
      const isLastOfUpstreamPage = index === items.length - 1 && nextToken !== undefined;
      const nextPosition = isLastOfUpstreamPage
        ? { token: nextToken, size, skip: 0 }
        : { token, size, skip: index + 1 };
      if (index >= skip) edges.push(createEdge(node, () => sealPosition(nextPosition)));
    }
    if (nextToken === undefined || edges.length >= limit || pageCount === maxPages) {
      if (edges.length === 0 && nextToken !== undefined)
        throw serviceUnavailableError(
          'The service returned only empty pages. Try again later, or ask for less.',
        );
      return {
        edges: edges.slice(0, limit),
        hasNextPage: nextToken !== undefined || edges.length > limit,
        hasPreviousPage: position !== undefined,
        firstPage,
        lastPage: page,
      };
    }
    [token, size, skip] = [nextToken, limit - edges.length, 0];
  }
}

/** Creates an edge whose cursor is sealed on first use, since a seal differs each time. */
function createEdge<Node>(node: Node, sealCursor: () => string): Page<Node>['edges'][number] {
  let sealedCursor: string | undefined;
  return {
    node,
    get cursor() {
      return (sealedCursor ??= sealCursor());
    },
  };
}
