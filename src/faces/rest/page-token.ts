import type { Issue } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import { filterFields, type Fields, isFields } from '../../core/json-values.ts';
import type { Seal } from '../../core/seal.ts';

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
