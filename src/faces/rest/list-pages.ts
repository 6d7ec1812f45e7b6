import type { Issue } from '../../core/errors.ts';
import { canonicalJson, filterFields, type Fields, isFields } from '../../core/json.ts';
import type { Seal } from '../../core/seal.ts';
import { computeListEtag } from './response.ts';
import type { MethodResult, MethodCall } from './method.ts';

/** Content of a page token. Clients hold tokens across releases, so its members keep their names. */
interface PageToken {
  /** Id of the list's method, such as `calendar.events.list`. */
  readonly id: string;
  readonly path: Fields;
  /** Parameters of the page before, without `excludedNames`. */
  readonly given: Fields;
  /** Cursor before the page. */
  readonly after: string;
}

/** Parameters that may differ from page to page. */
const changeableNames = ['maxResults', 'maxAttendees', 'timeZone', 'fields'];
/** Parameters that a page token does not contain. */
const excludedNames = ['pageToken', 'alt', 'prettyPrint'];

/** Completes the parameters of a page from its token, if any. An invalid token, or one of another list, is an issue. */
export function openPageToken(methodId: string, path: Fields, parameters: Fields, seal: Seal) {
  if (typeof parameters.pageToken !== 'string') return { parameters, issues: [] };
  const token = seal.open(parameters.pageToken) as PageToken | undefined;
  const isForThisList =
    isFields(token) && token.id === methodId && canonicalJson(token.path) === canonicalJson(path);
  const isUnchanged = ([name, value]: [string, unknown]): boolean =>
    changeableNames.includes(name) ||
    excludedNames.includes(name) ||
    (isForThisList && canonicalJson(value) === canonicalJson(token.given[name] ?? null));
  if (!isForThisList || !Object.entries(parameters).every(isUnchanged))
    return { parameters, issues: [invalidTokenIssue] };
  return { parameters: { ...token.given, ...parameters }, after: token.after, issues: [] };
}

const invalidTokenIssue: Issue = {
  path: ['pageToken'],
  reason: 'invalid',
  message:
    'pageToken must be the nextPageToken of a page of the same list, and the other parameters those of that page. Leave it out to start again.',
};

export function sealPageToken(
  methodId: string,
  path: Fields,
  parameters: Fields,
  after: string,
  seal: Seal,
): string {
  const boundParameters = filterFields(parameters, (_value, name) => !excludedNames.includes(name));
  return seal.close({ id: methodId, path, given: boundParameters, after } satisfies PageToken);
}

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
