import type { Issue } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import { type Fields, isFields } from '../../core/patch.ts';
import type { Seal } from '../../core/seal.ts';

/** The question of a list, and where its next page begins. */
interface PageToken {
  readonly id: string;
  readonly path: Fields;
  readonly given: Fields;
  readonly after: string;
}

/** What a page may be asked for anew, beside what concerns every answer. */
const free = ['maxResults', 'maxAttendees', 'timeZone', 'fields'];
const apart = ['pageToken', 'alt', 'prettyPrint'];

/** The question of a page: its parameters, those of the pages before it included. A page's token stands for its whole question. */
export function questionOf(id: string, path: Fields, given: Fields, seal: Seal) {
  if (typeof given.pageToken !== 'string') return { given, issues: [] };
  const token = seal.open(given.pageToken) as PageToken | undefined;
  const isOwn = isFields(token) && token.id === id && canonicalJson(token.path) === canonicalJson(path);
  const isSame = ([name, value]: [string, unknown]): boolean =>
    free.includes(name) ||
    apart.includes(name) ||
    (isOwn && canonicalJson(value) === canonicalJson(token.given[name] ?? null));
  if (!isOwn || !Object.entries(given).every(isSame)) return { given, issues: [foreign] };
  return { given: { ...token.given, ...given }, after: token.after, issues: [] };
}

const foreign: Issue = {
  path: ['pageToken'],
  reason: 'invalid',
  message:
    'pageToken must be the nextPageToken of a page of the same list, and the other parameters those of that page. Leave it out to begin again.',
};

export function pageToken(id: string, path: Fields, given: Fields, after: string, seal: Seal): string {
  const question = Object.fromEntries(Object.entries(given).filter(([name]) => !apart.includes(name)));
  return seal.close({ id, path, given: question, after } satisfies PageToken);
}
