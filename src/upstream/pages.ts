import type { Viewer } from '../access/permissions.ts';
import { serviceUnavailableError } from '../core/errors.ts';
import type { Page } from '../core/page.ts';
import { type Fields, isFields } from '../core/json.ts';
import type { RequestKey } from '../core/runtime/request-loader.ts';
import type { Call, UpstreamClient } from './client/http-exchange.ts';
import { bearerOf } from './identity/token-verifier.ts';

/** Reads a resource with the viewer's token; an empty object if the response has no body. */
export async function readAs(
  viewer: Viewer,
  client: UpstreamClient,
  request: RequestKey,
  call: Pick<Call, 'apiMethod' | 'path' | 'query'>,
): Promise<Fields> {
  const { body } = await client.call(
    { httpMethod: 'GET', repeatable: true, ...call },
    { token: bearerOf(viewer), request },
  );
  return isFields(body) ? body : {};
}

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
export interface ServicePage<N> {
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

/** Entry with the position behind it, from which the next page may start. */
interface PositionedEntry<N> {
  readonly node: N;
  readonly nextPosition: PagePosition;
}

/** Entries of one page of a list, and the first and last upstream page that they were read from. */
interface ListPageResult<P> {
  readonly entries: readonly PositionedEntry<P extends ServicePage<infer N> ? N : never>[];
  readonly hasNextPage: boolean;
  readonly firstPage: P;
  readonly lastPage: P;
}

/** Converts entries to the edges of a page. Each cursor is sealed on first use, since a seal differs each time. */
export const toEdges = <N>(
  entries: readonly PositionedEntry<N>[],
  sealPosition: (position: PagePosition) => string,
): Page<N>['edges'] =>
  entries.map(({ node, nextPosition }) => {
    let sealedCursor: string | undefined;
    return {
      node,
      get cursor() {
        return (sealedCursor ??= sealPosition(nextPosition));
      },
    };
  });

/** Maximum number of upstream pages for one page, since services may return less than requested. */
const maxPages = 20;

/** Reads one page of a list from a position, from as many upstream pages as needed. */
export async function readListPage<P extends ServicePage<unknown>>(
  limit: number,
  position: PagePosition | undefined,
  readUpstreamPage: (token: string | undefined, size: number) => Promise<P>,
): Promise<ListPageResult<P>> {
  let { token, size, skip } = position ?? { token: undefined, size: limit, skip: 0 };
  // A position inside a page is only valid with the original size of that page.
  if (skip === 0) size = limit;
  const entries: PositionedEntry<unknown>[] = [];
  let firstPage: P | undefined;
  for (let pageCount = 1; ; pageCount += 1) {
    const page = await readUpstreamPage(token, size);
    firstPage ??= page;
    const { items, nextToken } = page;
    for (const [index, node] of items.entries()) {
      const isLastOfUpstreamPage = index === items.length - 1 && nextToken !== undefined;
      if (index >= skip)
        entries.push({
          node,
          nextPosition: isLastOfUpstreamPage
            ? { token: nextToken, size, skip: 0 }
            : { token, size, skip: index + 1 },
        });
    }
    if (nextToken === undefined || entries.length >= limit || pageCount === maxPages) {
      if (entries.length === 0 && nextToken !== undefined)
        throw serviceUnavailableError(
          'The service returned only empty pages. Try again later, or ask for less.',
        );
      return {
        entries: entries.slice(0, limit) as ListPageResult<P>['entries'],
        hasNextPage: nextToken !== undefined || entries.length > limit,
        firstPage,
        lastPage: page,
      };
    }
    [token, size, skip] = [nextToken, limit - entries.length, 0];
  }
}
