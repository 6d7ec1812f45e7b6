import type { Fields } from '../../../core/patch.ts';
import type { Issue } from '../../../core/errors.ts';
import { listEtag } from '../answer.ts';
import type { Answered, Call } from '../method.ts';

/** A page of a list as the operations give it. */
export interface GivenPage {
  readonly edges: readonly { readonly cursor: string; readonly node: object }[];
  readonly hasNextPage: boolean;
}

/** The token of the page behind one; nothing on the last one. */
export function nextPage({ edges, hasNextPage }: GivenPage, call: Call): { readonly nextPageToken?: string } {
  const last = edges.at(-1);
  return hasNextPage && last ? { nextPageToken: call.tokenOf(last.cursor) } : {};
}

/** A page of a list that an operation gives as a whole. */
export function pageOf<T>(
  all: readonly T[],
  { given, after, tokenOf }: Call,
  keyOf: (entry: T) => string,
  usual: number,
): { readonly shown: readonly T[]; readonly nextPageToken?: string } {
  // An entry that is gone meanwhile leaves no place to go on from: what was shown before it is shown again.
  const start = after === undefined ? 0 : all.findIndex((entry) => keyOf(entry) === after) + 1;
  const end = start + ((given.maxResults as number | undefined) ?? usual);
  const last = all[end - 1];
  return {
    shown: all.slice(start, end),
    ...(end < all.length && last !== undefined && { nextPageToken: tokenOf(keyOf(last)) }),
  };
}

/** Of lists that give no syncToken out, so that none can be used. */
export const syncIssues = ({ given }: Call): readonly Issue[] =>
  given.syncToken === undefined
    ? []
    : [
        {
          path: ['syncToken'],
          reason: 'invalid',
          message: 'This list gives no syncToken out. List it anew.',
        },
      ];

/** A list with its entity tag, which stands in front. `tagOf`: what it is made of, of each entry. */
export function tagged(
  { kind, items, ...json }: Fields & { readonly items: readonly Fields[] },
  tagOf = (entry: Fields): unknown => entry.etag ?? entry,
): Answered {
  return { json: { kind, etag: listEtag(json, items.map(tagOf)), ...json, items } };
}
