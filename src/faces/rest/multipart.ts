import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { mapInTurns } from '../../core/runtime/event-loop.ts';
import { type HttpResponse, mediaTypeOf } from '../../http/face.ts';
import { RestError } from './errors.ts';

/** Thrown for a malformed part of a batch; the message completes "part 1 cannot be run: …". */
class PartError extends Error {}

/** Limits of the headers of a part, and of the request in it: characters and fields. */
const maxHeadLength = 16_384;
const maxHeaderFields = 100;

const blankLine = /\r?\n\r?\n/;
const lineEnd = /\r?\n/;
const headerPattern = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/s;
/** Control characters that header values must not contain; tabs are allowed. */
const controlCharacterPattern = /(?!\t)\p{Cc}/u;

/** Splits text at the first blank line. Without one, all of the text is head; text that begins with one has no head. */
function splitHead(text: string): { readonly head: string; readonly body: string } {
  if (/^\r?\n/.test(text)) return { head: '', body: text };
  const separator = blankLine.exec(text);
  return separator
    ? { head: text.slice(0, separator.index), body: text.slice(separator.index + separator[0].length) }
    : { head: text, body: '' };
}

/** Splits a head into lines, and joins folded lines. */
function splitLines(head: string): readonly string[] {
  if (head.length > maxHeadLength)
    throw new PartError(`its headers are longer than ${maxHeadLength} characters`);
  const lines = head
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(lineEnd)
    .filter((line) => line !== '');
  if (lines.length > maxHeaderFields) throw new PartError(`it has more than ${maxHeaderFields} headers`);
  return lines;
}

/** Parses header lines. Names become lower case, and the values of repeated headers are joined by commas. */
function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = headerPattern.exec(line) ?? [];
    if (name === undefined || value === undefined || controlCharacterPattern.test(value))
      throw new PartError('one of its headers is malformed');
    const key = name.toLowerCase();
    const earlierValue = headers.get(key);
    headers.set(key, earlierValue === undefined ? value.trimEnd() : `${earlierValue}, ${value.trimEnd()}`);
  }
  return Object.fromEntries(headers);
}

/** Request that a part of a batch contains. */
export interface BatchPart {
  /** Content-ID as sent, with angle brackets. */
  readonly contentId?: string;
  readonly method: string;
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const batchError = (message: string): RestError => new RestError(400, 'invalid', message);

const maxParts = 50;

/** Boundary of RFC 2046: 1 to 70 characters, not ending with a space. */
const boundaryPattern = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const parameterPattern = /;[ \t]*([\w-]+)=(?:"([^"]*)"|([^\s;"]*))[ \t]*/gy;
const requestLinePattern = /^([A-Z]{1,20}) ([!-~]+) HTTP\/1\.[01]$/;

/** Parses a `multipart/mixed` body with `application/http` parts. */
export function parseBatch(contentType: string, body: Buffer): readonly BatchPart[] {
  const boundary = parseBoundary(contentType);
  if (boundary === undefined)
    throw batchError('A batch is multipart/mixed, and its Content-Type has a boundary as in RFC 2046.');
  if (!isUtf8(body)) throw batchError('The batch is not valid UTF-8.');
  return splitSections(body.toString(), boundary).map((section, index) => {
    try {
      return readPart(section);
    } catch (error) {
      if (!(error instanceof PartError)) throw error;
      throw batchError(`Part ${index + 1} of the batch cannot be run: ${error.message}.`);
    }
  });
}

/** Reads the boundary from a Content-Type; undefined if that is not the type of a batch. */
function parseBoundary(contentType: string): string | undefined {
  const [type] = /^multipart\/mixed[ \t]*(?=;)/i.exec(contentType) ?? [];
  if (type === undefined) return undefined;
  const parameters = [...contentType.slice(type.length).matchAll(parameterPattern)];
  const parsedLength = parameters.reduce((length, [text]) => length + text.length, type.length);
  const boundaries = parameters
    .filter(([, name]) => /^boundary$/i.test(name as string))
    .map(([, , quoted, unquoted]) => (quoted ?? unquoted) as string);
  const [boundary] = boundaries;
  return parsedLength === contentType.length &&
    boundaries.length === 1 &&
    boundaryPattern.test(boundary as string)
    ? boundary
    : undefined;
}

/** Splits a multipart text into its parts. Throws for more than `maxParts`, and for a missing end. */
function splitSections(text: string, boundary: string): string[] {
  const delimiter = new RegExp(
    `(?:^|\\r?\\n)--${boundary.replaceAll(/\W/g, '\\$&')}(--)?[ \\t]*(?=\\r?\\n|$)`,
    'g',
  );
  const sections: string[] = [];
  let start: number | undefined;
  for (const match of text.matchAll(delimiter)) {
    if (start !== undefined) sections.push(text.slice(start, match.index).replace(/^\r?\n/, ''));
    if (sections.length > maxParts)
      throw batchError(`A batch has at most ${maxParts} parts. Send the others in another one.`);
    if (match[1] !== undefined) {
      if (sections.length === 0) throw batchError('The batch has no parts.');
      return sections;
    }
    start = match.index + match[0].length;
  }
  throw batchError('The batch has no end: its last line must be the boundary between two pairs of hyphens.');
}

/** Reads the request in a part. Throws PartError for a malformed part. */
function readPart(section: string): BatchPart {
  const outerPart = splitHead(section);
  const partHeaders = readHeaders(splitLines(outerPart.head));
  if (mediaTypeOf(partHeaders['content-type']) !== 'application/http')
    throw new PartError('its Content-Type is not application/http');
  if (!/^(7bit|8bit|binary)?$/i.test(partHeaders['content-transfer-encoding'] ?? ''))
    throw new PartError('its Content-Transfer-Encoding is neither 7bit nor 8bit nor binary');
  const { head, body } = splitHead(outerPart.body);
  const [startLine = '', ...lines] = splitLines(head);
  const [, method, url] = requestLinePattern.exec(startLine) ?? [];
  if (method === undefined || url === undefined)
    throw new PartError('it does not begin with a request line such as "GET /path HTTP/1.1"');
  if (!/^\/(?!\/)/.test(url)) throw new PartError('it names a host. Send a path of this host');
  const headers = readHeaders(lines);
  if (/^\/batch(?![^/?])/.test(url) || mediaTypeOf(headers['content-type']).startsWith('multipart/'))
    throw new PartError('a batch holds no other batch');
  return {
    method,
    url,
    headers,
    body,
    ...(partHeaders['content-id'] !== undefined && { contentId: partHeaders['content-id'] }),
  };
}

/** Response of a part, with the Content-ID that the part had. */
export interface PartResponse extends HttpResponse<string | Buffer> {
  readonly contentId?: string;
}

/** Returns `<response-ID>` for `<ID>`, as Google's batch responses do. */
const responseId = (contentId: string): string => contentId.replace(/^<?/, '$&response-');

function writeHead({ contentId, status, headers }: PartResponse, length: number): string {
  const fields = Object.entries(length === 0 ? headers : { ...headers, 'content-length': String(length) });
  return [
    'Content-Type: application/http',
    ...(contentId === undefined ? [] : [`Content-ID: ${responseId(contentId)}`]),
    '',
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
}

/** Writes a batch response and yields between parts. The boundary must be unpredictable, since callers control the parts' content. */
export async function writeBatch(
  responses: readonly PartResponse[],
  boundary: string,
): Promise<HttpResponse<Buffer>> {
  const parts = await mapInTurns(responses, (response) => {
    const body = Buffer.from(response.body);
    return [Buffer.from(`--${boundary}\r\n${writeHead(response, body.length)}`), body, Buffer.from('\r\n')];
  });
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: Buffer.concat([...parts.flat(), Buffer.from(`--${boundary}--\r\n`)]),
  };
}
