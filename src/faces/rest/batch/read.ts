import { isUtf8 } from 'node:buffer';
import { linesOf, readHeaders, splitHead, Unreadable } from './headers.ts';

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

/** Why a batch as a whole cannot be run. */
export interface BatchProblem {
  readonly problem: string;
}

/** Parts of one batch. */
export const mostParts = 50;

/** RFC 2046: 1 to 70 characters, of which a space is not the last. */
const boundaryForm = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const parameter = /;[ \t]*([\w-]+)=(?:"([^"]*)"|([^\s;"]*))[ \t]*/gy;
const requestLine = /^([A-Z]{1,20}) ([!-~]+) HTTP\/1\.[01]$/;

/** Reads `multipart/mixed` of `application/http` parts. */
export function parseBatch(contentType: string, body: Buffer | string): readonly BatchPart[] | BatchProblem {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined)
    return { problem: 'A batch is multipart/mixed, and its Content-Type has a boundary as in RFC 2046.' };
  if (typeof body !== 'string' && !isUtf8(body)) return { problem: 'The batch is not valid UTF-8.' };
  const sections = sectionsOf(body.toString(), boundary);
  if (!Array.isArray(sections)) return sections;
  const parts: BatchPart[] = [];
  for (const [index, section] of sections.entries()) {
    try {
      parts.push(readPart(section));
    } catch (error) {
      if (error instanceof Unreadable)
        return { problem: `Part ${index + 1} of the batch cannot be run: ${error.message}.` };
      throw error;
    }
  }
  return parts;
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
function sectionsOf(text: string, boundary: string): string[] | BatchProblem {
  const delimiter = new RegExp(
    `(?:^|\\r?\\n)--${boundary.replaceAll(/\W/g, '\\$&')}(--)?[ \\t]*(?=\\r?\\n|$)`,
    'g',
  );
  const sections: string[] = [];
  let start: number | undefined;
  for (const found of text.matchAll(delimiter)) {
    if (start !== undefined) sections.push(text.slice(start, found.index).replace(/^\r?\n/, ''));
    if (sections.length > mostParts)
      return { problem: `A batch has at most ${mostParts} parts. Send the others in another one.` };
    if (found[1] !== undefined)
      return sections.length > 0 ? sections : { problem: 'The batch has no parts.' };
    start = found.index + found[0].length;
  }
  return { problem: 'The batch has no end: its last line is the boundary between two pairs of hyphens.' };
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
