import { STATUS_CODES } from 'node:http';
import type { HttpAnswer } from '../../../http/face.ts';

/** The answer to a part. */
export interface PartAnswer extends HttpAnswer {
  /** That of the request. */
  readonly contentId?: string;
}

/** `<response-ID>` for `<ID>`. */
const answerId = (contentId: string): string => contentId.replace(/^<?/, '$&response-');

function writePart({ contentId, status, headers, body }: PartAnswer): string {
  const named = Object.entries(
    body === '' ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  );
  return [
    'Content-Type: application/http',
    ...(contentId === undefined ? [] : [`Content-ID: ${answerId(contentId)}`]),
    '',
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
    ...named.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

/** Writes the answer to a batch. The boundary must not be foreseeable for whoever fills the parts. */
export function writeBatch(answers: readonly PartAnswer[], boundary: string): HttpAnswer {
  const parts = answers.map((answer) => `--${boundary}\r\n${writePart(answer)}\r\n`);
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  };
}
