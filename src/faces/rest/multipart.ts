import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { mapInTurns } from '../../core/runtime/event-loop.ts';
import type { HttpAnswer } from '../../http/face.ts';
import { RestFault } from './errors.ts';

/** A block of headers or a body that cannot be read; the message says why. */
class Unreadable extends Error {}

/** Limits of one head, in characters and in fields. */
const limits = { length: 16_384, fields: 100 } as const;

const blankLine = /\r?\n\r?\n/;
const lineEnd = /\r?\n/;
const field = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/s;
// A tab is allowed inside of values.
const control = /(?!\t)\p{Cc}/u;

/** Splits what came at the first blank line. Without one all of it is head. */
function splitHead(text: string): { readonly head: string; readonly body: string } {
  const [start] = /^\r?\n/.exec(text) ?? [];
  if (start !== undefined) return { head: '', body: text.slice(start.length) };
  const at = blankLine.exec(text);
  return at
    ? { head: text.slice(0, at.index), body: text.slice(at.index + at[0].length) }
    : { head: text, body: '' };
}

/** The lines of a head, continued ones joined. */
function linesOf(head: string): readonly string[] {
  if (head.length > limits.length)
    throw new Unreadable(`its headers are longer than ${limits.length} characters`);
  const lines = head
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(lineEnd)
    .filter((line) => line !== '');
  if (lines.length > limits.fields) throw new Unreadable(`it has more than ${limits.fields} headers`);
  return lines;
}

/** The fields of header lines, their names in lower case; values of a name that comes again are joined by commas. */
function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || value === undefined || control.test(value))
      throw new Unreadable('one of its headers is malformed');
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value.trimEnd() : `${before}, ${value.trimEnd()}`);
  }
  return Object.fromEntries(headers);
}

/** A request of a batch. */
export interface BatchPart {
  /** As it was sent, angle brackets included. */
  readonly contentId?: string;
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A batch that cannot be run as a whole. */
const refused = (message: string): RestFault => new RestFault(400, 'invalid', message);

/** Parts of one batch. */
const mostParts = 50;

/** RFC 2046: 1 to 70 characters, of which a space is not the last. */
const boundaryForm = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const parameter = /;[ \t]*([\w-]+)=(?:"([^"]*)"|([^\s;"]*))[ \t]*/gy;
const requestLine = /^([A-Z]{1,20}) ([!-~]+) HTTP\/1\.[01]$/;

/** Reads `multipart/mixed` of `application/http` parts. */
export function parseBatch(contentType: string, body: Buffer): readonly BatchPart[] {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined)
    throw refused('A batch is multipart/mixed, and its Content-Type has a boundary as in RFC 2046.');
  if (!isUtf8(body)) throw refused('The batch is not valid UTF-8.');
  return sectionsOf(body.toString(), boundary).map((section, index) => {
    try {
      return readPart(section);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      throw refused(`Part ${index + 1} of the batch cannot be run: ${error.message}.`);
    }
  });
}

/** The boundary of a Content-Type; undefined where it is none of a batch. */
function boundaryOf(contentType: string): string | undefined {
  const [type] = /^multipart\/mixed[ \t]*(?=;)/i.exec(contentType) ?? [];
  if (type === undefined) return undefined;
  const parameters = [...contentType.slice(type.length).matchAll(parameter)];
  const read = parameters.reduce((length, [text]) => length + text.length, type.length);
  const boundaries = parameters
    .filter(([, name]) => /^boundary$/i.test(name as string))
    .map(([, , quoted, plain]) => (quoted ?? plain) as string);
  const [boundary] = boundaries;
  return read === contentType.length && boundaries.length === 1 && boundaryForm.test(boundary as string)
    ? boundary
    : undefined;
}

/** What stands between the delimiters. */
function sectionsOf(text: string, boundary: string): string[] {
  const delimiter = new RegExp(
    `(?:^|\\r?\\n)--${boundary.replaceAll(/\W/g, '\\$&')}(--)?[ \\t]*(?=\\r?\\n|$)`,
    'g',
  );
  const sections: string[] = [];
  let start: number | undefined;
  for (const found of text.matchAll(delimiter)) {
    if (start !== undefined) sections.push(text.slice(start, found.index).replace(/^\r?\n/, ''));
    if (sections.length > mostParts)
      throw refused(`A batch has at most ${mostParts} parts. Send the others in another one.`);
    if (found[1] !== undefined) {
      if (sections.length === 0) throw refused('The batch has no parts.');
      return sections;
    }
    start = found.index + found[0].length;
  }
  throw refused('The batch has no end: its last line is the boundary between two pairs of hyphens.');
}

/** Media types in lower case, without parameters. */
const typeOf = (header: string | undefined): string =>
  (header ?? '').replace(/;.*/s, '').trim().toLowerCase();

function readPart(section: string): BatchPart {
  const outer = splitHead(section);
  const about = readHeaders(linesOf(outer.head));
  if (typeOf(about['content-type']) !== 'application/http')
    throw new Unreadable('its Content-Type is not application/http');
  if (!/^(7bit|8bit|binary)?$/i.test(about['content-transfer-encoding'] ?? ''))
    throw new Unreadable('its Content-Transfer-Encoding is neither 7bit nor 8bit nor binary');
  const { head, body } = splitHead(outer.body);
  const [first = '', ...lines] = linesOf(head);
  const [, method, url] = requestLine.exec(first) ?? [];
  if (method === undefined || url === undefined)
    throw new Unreadable('it does not begin with a request line such as "GET /path HTTP/1.1"');
  if (!/^\/(?!\/)/.test(url)) throw new Unreadable('it names a host. Name a path of this one');
  const headers = readHeaders(lines);
  if (/^\/batch(?![^/?])/.test(url) || typeOf(headers['content-type']).startsWith('multipart/'))
    throw new Unreadable('a batch holds no other batch');
  return {
    method,
    url,
    headers,
    body,
    ...(about['content-id'] !== undefined && { contentId: about['content-id'] }),
  };
}

/** The answer to a part. */
export interface PartAnswer extends HttpAnswer<string | Buffer> {
  /** The Content-ID of the request. */
  readonly contentId?: string;
}

/** `<response-ID>` for `<ID>`. */
const answerId = (contentId: string): string => contentId.replace(/^<?/, '$&response-');

function headOf({ contentId, status, headers }: PartAnswer, length: number): string {
  const named = Object.entries(length === 0 ? headers : { ...headers, 'content-length': String(length) });
  return [
    'Content-Type: application/http',
    ...(contentId === undefined ? [] : [`Content-ID: ${answerId(contentId)}`]),
    '',
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
    ...named.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
}

/**
 * Writes the answer to a batch, each body as bytes once: texts of millions of characters are not measured and joined again. Other
 * requests have their turn between parts. The boundary must not be foreseeable for whoever fills the parts.
 */
export async function writeBatch(
  answers: readonly PartAnswer[],
  boundary: string,
): Promise<HttpAnswer<Buffer>> {
  const parts = await mapInTurns(answers, (answer) => {
    const body = Buffer.from(answer.body);
    return [Buffer.from(`--${boundary}\r\n${headOf(answer, body.length)}`), body, Buffer.from('\r\n')];
  });
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: Buffer.concat([...parts.flat(), Buffer.from(`--${boundary}--\r\n`)]),
  };
}
