import type { Fields } from '../../core/patch.ts';
import { errorAt, type Path } from '../../core/errors.ts';
import { notOffered } from '../../core/fields/coerce.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { etagOfText } from '../../core/if-match.ts';
import { canonicalJson, JsonWriter, LengthBudget, TooLongError } from '../../core/json.ts';
import { mapInTurns } from '../../core/runtime/event-loop.ts';
import { select } from '../../google/partial.ts';
import type { HttpAnswer, RequestHead } from '../../http/face.ts';
import { shortIssue } from '../../operations/failure.ts';
import type { Answered } from './method.ts';

/** Something that was accepted and not applied; its path begins at the body's root. */
export interface BodyWarning {
  readonly path: Path;
  readonly reason: string;
  readonly message: string;
}

/** The longest value of the header that clients and proxies accept. */
const maxBytes = 4096;

export const unknownField = (path: Path): BodyWarning => ({
  path,
  reason: 'unknownField',
  message: 'There is no such field: it was left out.',
});

export const notOfferedField = (path: Path): BodyWarning => ({
  ...notOffered(String(path.at(-1))),
  path,
});

/** The header that lists warnings: JSON in ASCII, as many as there is room for. Undefined without any. */
function warningsHeader(warnings: readonly BodyWarning[]): string | undefined {
  if (warnings.length === 0) return undefined;
  const entries: string[] = [];
  let length = 2 + room;
  for (const warning of warnings) {
    const { path, reason, message } = shortIssue(warning);
    const entry = ascii({ path, reason, message });
    if (length + entry.length + 1 > maxBytes) break;
    entries.push(entry);
    length += entry.length + 1;
  }
  const more = warnings.length - entries.length;
  if (more > 0)
    entries.push(ascii({ path: [], reason: 'incomplete', message: `Warnings that were left out: ${more}.` }));
  return `[${entries.join(',')}]`;
}

/** For the entry that says how many were left out. */
const room = 100;

const ascii = (value: object): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Writes an answer as JSON, compact or indented; other requests have their turn meanwhile. Throws for one that is too long. */
async function textOf(json: Fields, indented: boolean): Promise<string> {
  try {
    return indented ? await indentedText(json) : await new JsonWriter().write(json);
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
    throw errorAt(
      'BAD_USER_INPUT',
      [],
      'tooLong',
      'The answer is too long to be sent. Ask for less at once.',
    );
  }
}

/** As `JSON.stringify(json, undefined, 2)`, the entries of lists one by one. */
async function indentedText(json: Fields): Promise<string> {
  const budget = new LengthBudget();
  /** A field with its margin. */
  const written = (name: string, value: unknown): string => {
    const text = JSON.stringify({ [name]: value }, undefined, 2).slice(2, -2);
    budget.take(text.length);
    return text;
  };
  const fields: string[] = [];
  for (const [name, value] of Object.entries(json)) {
    const isList = Array.isArray(value) && value.length > 0;
    const [start, end] = [`  ${JSON.stringify(name)}: [\n`, '\n  ]'];
    const entries =
      isList && (await mapInTurns(value, (entry) => written(name, [entry]).slice(start.length, -end.length)));
    fields.push(entries ? `${start}${entries.join(',\n')}${end}` : written(name, value));
  }
  return fields.length === 0 ? '{}' : `{\n${fields.join(',\n')}\n}`;
}

interface Content extends Omit<Answered, 'warnings'> {
  readonly warnings?: readonly BodyWarning[];
}

/** How an answer is to be. */
export interface Form {
  readonly fields?: FieldSelection | undefined;
  readonly indented: boolean;
  /** The header `If-None-Match` of a request that only reads. */
  readonly ifNoneMatch?: RequestHead['headers'][string];
}

export async function answerOf(
  { json, etagOfWhole, unchanged, warnings = [] }: Content,
  { fields, indented, ifNoneMatch }: Form,
): Promise<HttpAnswer> {
  const warned = warningsHeader(warnings);
  const etag = etagOfWhole ?? json?.etag;
  const headers: Record<string, string> = { 'cache-control': 'private, max-age=0, must-revalidate' };
  if (typeof etag === 'string') headers.etag = etag;
  if (warned !== undefined) headers['x-warnings'] = warned;
  if (!json) return { status: 204, headers, body: '' };
  const isSame = typeof etag === 'string' && ifNoneMatch !== undefined && matches(ifNoneMatch, etag);
  if (unchanged || isSame) return { status: 304, headers, body: '' };
  const body = await textOf(
    fields && etagOfWhole === undefined ? await select(fields, json) : json,
    indented,
  );
  headers['content-type'] = 'application/json; charset=UTF-8';
  return { status: 200, headers, body: `${body}\n` };
}

/** Whether a client has what it would get (RFC 9110, section 13.1.2: weak comparison). */
function matches(header: NonNullable<Form['ifNoneMatch']>, etag: string): boolean {
  const given = [header].flat().join(',');
  return (
    given.trim() === '*' ||
    (given.match(/(W\/)?"[^"]*"/g) ?? []).some((one) => one.replace(/^W\//, '') === etag.replace(/^W\//, ''))
  );
}

/** The entity tag of a list, of those of its entries: another one when what it lists is another. Tokens are no part of it: they differ each time. */
export function listEtag(
  { kind: _kind, nextPageToken: _page, nextSyncToken: _sync, ...rest }: Fields,
  entries: readonly unknown[],
): string {
  return etagOfText(canonicalJson({ ...rest, entries }));
}
