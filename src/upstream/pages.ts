import type { Viewer } from '../access/permissions.ts';
import { AppError } from '../core/errors.ts';
import { isFields } from '../core/patch.ts';
import type { RequestKey } from '../core/runtime/limits.ts';
import type { Call, UpstreamClient } from './client/exchange.ts';
import { bearerOf } from './identity/verifier.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads a resource as the viewer: an object without fields where the service answers with none. */
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

/** A token of a page or a sync; an empty one is none. */
export const tokenIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A page in the form of the official APIs; entries that `read` makes nothing of are left out. */
export const pageOf = <N>(
  { items, nextPageToken }: Json,
  read: (item: unknown) => N | undefined,
): GivenPage<N> => ({
  items: (Array.isArray(items) ? items : []).flatMap((item) => read(item) ?? []),
  next: tokenIn(nextPageToken),
});

/** A page as a service gives it. */
export interface GivenPage<N> {
  readonly items: readonly N[];
  /** The token of the page behind it; undefined on the last one. */
  readonly next: string | undefined;
}

/** A place in a list: what comes behind some entries of one of the service's pages. */
export interface Place {
  /** Of the page; absent: it is the first one. */
  readonly token?: string | undefined;
  /** How many entries the page was asked for. */
  readonly size: number;
  readonly skip: number;
}

/** An entry, and the place behind it. */
interface PlacedEntry<N> {
  readonly node: N;
  readonly behind: Place;
}

interface ReadPages<P> {
  readonly entries: readonly PlacedEntry<P extends GivenPage<infer N> ? N : never>[];
  readonly hasNextPage: boolean;
  /** The service's first and last page of them. */
  readonly begun: P;
  readonly ended: P;
}

/** A service may give pages with less than it was asked for: so many are put together. */
const mostPages = 20;

/** One page of a list that begins at a place, of as many of the service's pages as it takes. */
export async function readPages<P extends GivenPage<unknown>>(
  first: number,
  place: Place | undefined,
  read: (token: string | undefined, size: number) => Promise<P>,
): Promise<ReadPages<P>> {
  let { token, size, skip } = place ?? { token: undefined, size: first, skip: 0 };
  // The middle of a page is found again by the page's own size.
  if (skip === 0) size = first;
  const entries: PlacedEntry<unknown>[] = [];
  let begun: P | undefined;
  for (let count = 1; ; count += 1) {
    const page = await read(token, size);
    begun ??= page;
    const { items, next } = page;
    for (const [index, node] of items.entries()) {
      const isLast = index === items.length - 1 && next !== undefined;
      if (index >= skip)
        entries.push({
          node,
          behind: isLast ? { token: next, size, skip: 0 } : { token, size, skip: index + 1 },
        });
    }
    if (next === undefined || entries.length >= first || count === mostPages) {
      if (entries.length === 0 && next !== undefined)
        throw new AppError(
          'UNAVAILABLE',
          'backendError',
          'The service gave only empty pages. Try again later, or ask for less.',
        );
      return {
        entries: entries.slice(0, first) as ReadPages<P>['entries'],
        hasNextPage: next !== undefined || entries.length > first,
        begun,
        ended: page,
      };
    }
    [token, size, skip] = [next, first - entries.length, 0];
  }
}
