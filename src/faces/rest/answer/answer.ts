import { canonicalJson } from '../../../core/kernel/canonical-json.ts';
import { etagOfText } from '../../../core/kernel/etag.ts';
import type { HttpAnswer, RequestHead } from '../../../http/face.ts';
import { select, type FieldSelection } from '../partial.ts';
import { textOf } from './text.ts';
import type { BodyWarning } from './warnings.ts';
import { warningsHeader } from './warnings.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Content {
  /** Absent: there is nothing to say. */
  readonly json?: Json | undefined;
  readonly warnings?: readonly BodyWarning[];
}

/** How an answer is to be. */
export interface Form {
  readonly fields?: FieldSelection | undefined;
  readonly indented: boolean;
  /** Of a request that only reads. */
  readonly ifNoneMatch?: RequestHead['headers'][string];
}

const always = { 'cache-control': 'private, max-age=0, must-revalidate' };

export async function answerOf({ json, warnings = [] }: Content, { fields, indented, ifNoneMatch }: Form): Promise<HttpAnswer> {
  const warned = warningsHeader(warnings);
  const headers = { ...always, ...(typeof json?.etag === 'string' && { etag: json.etag }), ...(warned !== undefined && { 'x-warnings': warned }) };
  if (!json) return { status: 204, headers, body: '' };
  if (typeof json.etag === 'string' && matches(ifNoneMatch, json.etag)) return { status: 304, headers, body: '' };
  const body = await textOf(fields ? await select(fields, json) : json, indented);
  return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' }, body: `${body}\n` };
}

/** Whether a client has what it would get (RFC 9110, section 13.1.2: weak comparison). */
function matches(header: Form['ifNoneMatch'], etag: string): boolean {
  const given = [header].flat().filter((one) => one !== undefined).join(',');
  return given.trim() === '*' || (given.match(/(W\/)?"[^"]*"/g) ?? []).some((one) => one.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}

/** The entity tag of a list: another one when what it lists is another. Tokens are no part of it: they differ each time. */
export function listEtag({ nextPageToken: _page, nextSyncToken: _sync, items, ...rest }: Json): string {
  const entries = (items as readonly Json[]).map(({ etag }) => etag);
  return etagOfText(canonicalJson({ ...rest, entries }));
}
