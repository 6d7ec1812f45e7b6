import { type Fields, canonicalJson, JsonWriter, LengthBudget, TooLongError } from '../../core/json.ts';
import { errorAt, type Path } from '../../core/errors.ts';
import { createNotOfferedWarning } from '../../core/fields/coerce.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { etagOfText, includesEtag } from '../../core/if-match.ts';
import { mapInTurns } from '../../core/runtime/event-loop.ts';
import { selectFields } from '../../google/partial-response.ts';
import type { HttpResponse, RequestHead } from '../../http/face.ts';
import { shortenIssue } from '../../operations/failure.ts';
import type { MethodResult } from './method.ts';

/** Warning about a value that was accepted but not applied; the path starts at the body's root. */
export interface BodyWarning {
  readonly path: Path;
  readonly reason: string;
  readonly message: string;
}

/** Maximum length of the X-Warnings header, as clients and proxies accept it. */
const maxHeaderLength = 4096;

export const unknownFieldWarning = (path: Path): BodyWarning => ({
  path,
  reason: 'unknownField',
  message: 'There is no such field: it was left out.',
});

export const notOfferedFieldWarning = (path: Path): BodyWarning => ({
  ...createNotOfferedWarning(String(path.at(-1))),
  path,
});

/** Writes the header with the warnings as ASCII JSON, as many as fit. Undefined without warnings. */
function writeWarnings(warnings: readonly BodyWarning[]): string | undefined {
  if (warnings.length === 0) return undefined;
  const entries: string[] = [];
  let length = 2 + incompleteEntryLength;
  for (const warning of warnings) {
    const { path, reason, message } = shortenIssue(warning);
    const entry = toAsciiJson({ path, reason, message });
    if (length + entry.length + 1 > maxHeaderLength) break;
    entries.push(entry);
    length += entry.length + 1;
  }
  const omittedCount = warnings.length - entries.length;
  if (omittedCount > 0)
    entries.push(
      toAsciiJson({
        path: [],
        reason: 'incomplete',
        message: `Further warnings: ${omittedCount}.`,
      }),
    );
  return `[${entries.join(',')}]`;
}

/** Space reserved for the entry with the number of omitted warnings. */
const incompleteEntryLength = 100;

const toAsciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Writes a response as JSON, and yields to other requests meanwhile. Throws if it is too long. */
async function writeJson(json: Fields, isIndented: boolean): Promise<string> {
  try {
    return isIndented ? await writeIndented(json) : await new JsonWriter().write(json);
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

/** Writes the same as `JSON.stringify(json, undefined, 2)`, one list entry at a time. */
async function writeIndented(json: Fields): Promise<string> {
  const budget = new LengthBudget();
  const writeField = (name: string, value: unknown): string => {
    const text = JSON.stringify({ [name]: value }, undefined, 2).slice(2, -2);
    budget.spend(text.length);
    return text;
  };
  const fields: string[] = [];
  for (const [name, value] of Object.entries(json)) {
    const isList = Array.isArray(value) && value.length > 0;
    const [start, end] = [`  ${JSON.stringify(name)}: [\n`, '\n  ]'];
    const entries =
      isList &&
      (await mapInTurns(value, (entry) => writeField(name, [entry]).slice(start.length, -end.length)));
    fields.push(entries ? `${start}${entries.join(',\n')}${end}` : writeField(name, value));
  }
  return fields.length === 0 ? '{}' : `{\n${fields.join(',\n')}\n}`;
}

/** Result of a method, with warnings about its body. */
interface ResponseContent extends Omit<MethodResult, 'warnings'> {
  readonly warnings?: readonly BodyWarning[];
}

/** Properties of a response that the request decides on. */
export interface ResponseFormat {
  readonly fields?: FieldSelection | undefined;
  readonly isIndented: boolean;
  readonly ifNoneMatch?: RequestHead['headers'][string];
}

/** Creates the response of a method: status 200, 204 without a body, or 304. */
export async function createResponse(
  { json, isUnchanged, warnings = [] }: ResponseContent,
  { fields, isIndented, ifNoneMatch }: ResponseFormat,
): Promise<HttpResponse> {
  const warningsHeader = writeWarnings(warnings);
  const etag = json?.etag;
  const headers: Record<string, string> = { 'cache-control': 'private, max-age=0, must-revalidate' };
  if (typeof etag === 'string') headers.etag = etag;
  if (warningsHeader !== undefined) headers['x-warnings'] = warningsHeader;
  if (!json) return { status: 204, headers, body: '' };
  const isNotModified = typeof etag === 'string' && includesEtag(ifNoneMatch, etag);
  if (isUnchanged || isNotModified) return { status: 304, headers, body: '' };
  const body = await writeJson(fields ? await selectFields(fields, json) : json, isIndented);
  headers['content-type'] = 'application/json; charset=UTF-8';
  return { status: 200, headers, body: `${body}\n` };
}

/** Computes the entity tag of a list from its members and the tags of its entries. Page and sync tokens are left out, since they always differ. */
export function computeListEtag(
  { kind: _kind, nextPageToken: _page, nextSyncToken: _sync, ...otherMembers }: Fields,
  entries: readonly unknown[],
): string {
  return etagOfText(canonicalJson({ ...otherMembers, entries }));
}
