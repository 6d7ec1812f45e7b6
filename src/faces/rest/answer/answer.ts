import { canonicalJson } from '../../../core/kernel/canonical-json.ts';
import { etagOfText } from '../../../core/kernel/etag.ts';
import type { HttpAnswer, RequestHead } from '../../../http/face.ts';
import type { FieldSelection } from '../../../core/fields/selection.ts';
import { select } from '../../../official/partial.ts';
import { textOf } from './text.ts';
import { type BodyWarning, warningsHeader } from './warnings.ts';

type Json = Readonly<Record<string, unknown>>;

interface Content {
  /** Absent: there is nothing to say. */
  readonly json?: Json | undefined;
  /** Where `json` holds no more than what is asked for: the entity tag of the whole. */
  readonly etagOfWhole?: string | undefined;
  /** The client has this already, by what it asked for. */
  readonly unchanged?: boolean | undefined;
  readonly warnings?: readonly BodyWarning[];
}

/** How an answer is to be. */
export interface Form {
  readonly fields?: FieldSelection | undefined;
  readonly indented: boolean;
  /** Of a request that only reads. */
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
  { kind: _kind, nextPageToken: _page, nextSyncToken: _sync, ...rest }: Json,
  entries: readonly unknown[],
): string {
  return etagOfText(canonicalJson({ ...rest, entries }));
}
