import { canonicalJson } from '../../../core/kernel/canonical-json.ts';
import { errorAt } from '../../../core/kernel/errors.ts';
import { etagOfText } from '../../../core/kernel/etag.ts';
import type { HttpAnswer, RequestHead } from '../../../http/face.ts';
import { JsonWriter, TooLongError } from '../../../operations/json-writer.ts';
import { select, type FieldSelection } from '../../../official/partial.ts';
import type { BodyWarning } from './warnings.ts';
import { warningsHeader } from './warnings.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Content {
  /** Absent: there is nothing to say. */
  readonly json?: Json | undefined;
  /** Where `json` holds no more than what is asked for: the entity tag of the whole. */
  readonly etagOfWhole?: string | undefined;
  readonly warnings?: readonly BodyWarning[];
}

/** How an answer is to be. */
export interface Form {
  readonly fields?: FieldSelection | undefined;
  readonly indented?: boolean;
  /** Of a request that only reads. */
  readonly ifNoneMatch?: RequestHead['headers'][string];
}

export async function answerOf({ json, etagOfWhole, warnings = [] }: Content, { fields, indented = false, ifNoneMatch }: Form): Promise<HttpAnswer> {
  const warned = warningsHeader(warnings);
  const etag = etagOfWhole ?? json?.etag;
  const headers: Record<string, string> = { 'cache-control': 'private, max-age=0, must-revalidate' };
  if (typeof etag === 'string') headers.etag = etag;
  if (warned !== undefined) headers['x-warnings'] = warned;
  if (!json) return { status: 204, headers, body: '' };
  if (typeof etag === 'string' && ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) return { status: 304, headers, body: '' };
  const shown = (fields && etagOfWhole === undefined ? select(fields, json) : json) as Json;
  const body = indented ? JSON.stringify(shown, undefined, 2) : await text(shown);
  headers['content-type'] = 'application/json; charset=UTF-8';
  return { status: 200, headers, body: `${body}\n` };
}

async function text(json: Json): Promise<string> {
  try {
    return await new JsonWriter().write(json);
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
    throw errorAt('BAD_USER_INPUT', [], 'tooLong', 'The answer is too long to be sent. Ask for less at once.');
  }
}

/** Whether a client has what it would get (RFC 9110, section 13.1.2: weak comparison). */
function matches(header: NonNullable<Form['ifNoneMatch']>, etag: string): boolean {
  const given = [header].flat().join(',');
  return given.trim() === '*' || (given.match(/(W\/)?"[^"]*"/g) ?? []).some((one) => one.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}

/** The entity tag of a list, of those of its entries: another one when what it lists is another. Tokens are no part of it: they differ each time. */
export function listEtag({ kind: _kind, nextPageToken: _page, nextSyncToken: _sync, ...rest }: Json, entries: readonly unknown[]): string {
  return etagOfText(canonicalJson({ ...rest, entries }));
}
