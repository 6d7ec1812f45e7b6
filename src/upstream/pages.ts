import type { Viewer } from '../access/permissions.ts';
import { AppError } from '../core/errors.ts';
import { isFields } from '../core/patch.ts';
import type { RequestKey } from '../core/runtime/limits.ts';
import type { Call, UpstreamClient } from './client/exchange.ts';
import { bearerOf } from './identity/verifier.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads a resource with the viewer's token; an empty object if the response has no body. */
export async function readAs(
  viewer: Viewer,
  client: UpstreamClient,
  request: RequestKey,
  call: Pick<Call, 'method' | 'path' | 'query'>,
): Promise<Json> {
  const { body } = await client.call(
    { verb: 'GET', repeatable: true, ...call },
    { token: bearerOf(viewer), request },
  );
  return isFields(body) ? body : {};
}

export const parseToken = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads a page of an official API. Entries for which `read` returns undefined are skipped. */
export const parsePage = <N>(
  { items, nextPageToken }: Json,
  read: (item: unknown) => N | undefined,
): ServicePage<N> => ({
  items: (Array.isArray(items) ? items : []).flatMap((item) => read(item) ?? []),
  next: parseToken(nextPageToken),
});

export interface ServicePage<N> {
  readonly items: readonly N[];
  /** Token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** A position in a list: behind `skip` entries of an upstream page. */
export interface PagePosition {
  readonly token?: string | undefined;
  readonly size: number;
  readonly skip: number;
}

interface PlacedEntry<N> {
  readonly node: N;
  readonly nextPosition: PagePosition;
}

interface ReadPages<P> {
  readonly entries: readonly PlacedEntry<P extends ServicePage<infer N> ? N : never>[];
  readonly hasNextPage: boolean;
  readonly firstPage: P;
  readonly lastPage: P;
}

/** Limit on upstream pages for one page, since services may return less than requested. */
const maxPages = 20;

/** Reads one page of a list from a position, from as many upstream pages as needed. */
export async function readPages<P extends ServicePage<unknown>>(
  first: number,
  place: PagePosition | undefined,
  read: (token: string | undefined, size: number) => Promise<P>,
): Promise<ReadPages<P>> {
  let { token, size, skip } = place ?? { token: undefined, size: first, skip: 0 };
  // A position inside a page is only valid with the original size of that page.
  if (skip === 0) size = first;
  const entries: PlacedEntry<unknown>[] = [];
  let firstPage: P | undefined;
  for (let count = 1; ; count += 1) {
    const page = await read(token, size);
    firstPage ??= page;
    const { items, next } = page;
    for (const [index, node] of items.entries()) {
      const isLast = index === items.length - 1 && next !== undefined;
      if (index >= skip)
        entries.push({
          node,
          nextPosition: isLast ? { token: next, size, skip: 0 } : { token, size, skip: index + 1 },
        });
    }
    if (next === undefined || entries.length >= first || count === maxPages) {
      if (entries.length === 0 && next !== undefined)
        throw new AppError(
          'UNAVAILABLE',
          'backendError',
          'The service returned only empty pages. Try again later, or ask for less.',
        );
      return {
        entries: entries.slice(0, first) as ReadPages<P>['entries'],
        hasNextPage: next !== undefined || entries.length > first,
        firstPage,
        lastPage: page,
      };
    }
    [token, size, skip] = [next, first - entries.length, 0];
  }
}
