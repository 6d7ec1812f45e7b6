import { STATUS_CODES } from 'node:http';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { HttpAnswer } from '../../../http/face.ts';

/** The answer to a part. */
export interface PartAnswer extends HttpAnswer<string | Buffer> {
  /** That of the request. */
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
  const bytes: Buffer[] = [];
  for (const answer of answers) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    const body = Buffer.from(answer.body);
    bytes.push(Buffer.from(`--${boundary}\r\n${headOf(answer, body.length)}`), body, Buffer.from('\r\n'));
  }
  bytes.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: Buffer.concat(bytes),
  };
}
