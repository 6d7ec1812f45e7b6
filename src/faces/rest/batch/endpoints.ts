import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../access/caller.ts';
import type { TokenVerifier } from '../../../access/token.ts';
import { RawBody, type HttpAnswer } from '../../../http/face.ts';
import type { Endpoint } from '../endpoint.ts';
import { RestFault } from '../faults.ts';
import type { Handler } from '../handler.ts';
import type { Api } from '../method.ts';
import { parseBatch, type BatchPart } from './read.ts';
import { writeBatch, type PartAnswer } from './write.ts';

export interface BatchParts {
  readonly verify: TokenVerifier;
  /** Reads JSON within the limits of bodies. */
  readonly readJson: (bytes: Buffer) => unknown;
  /** What runs the parts. */
  readonly handler: () => Handler;
}

/** What serves batches: each part is a request of its own, charged by itself. */
export function batchEndpoints(apis: readonly Api[], parts: BatchParts): readonly Endpoint[] {
  return apis.map(({ batchPath }) => ({
    verb: 'POST',
    template: batchPath,
    operation: 'batch',
    async run({ body }, caller) {
      if (body !== undefined && !(body instanceof RawBody && batchType.test(body.type))) throw new RestFault(415, 'unsupportedMediaType', 'The Content-Type must be multipart/mixed.');
      const read = body ? parseBatch(body.type, body.bytes) : { problem: 'The batch has no parts.' };
      if ('problem' in read) throw new RestFault(400, 'invalid', read.problem);
      const answers: PartAnswer[] = [];
      for (const part of read) {
        if (caller.isOver?.()) break;
        answers.push({ ...(await runPart(part, caller, parts)), ...(part.contentId !== undefined && { contentId: part.contentId }) });
      }
      return writeBatch(answers, `batch_${randomUUID()}`);
    },
  }));
}

const batchType = /^multipart\/mixed\s*(;|$)/i;

async function runPart(part: BatchPart, batch: Caller, { verify, readJson, handler }: BatchParts): Promise<HttpAnswer> {
  const { headers } = part;
  // What is sent in the end is the whole batch: no part waits for that.
  const { requestId, address, log, isOver } = batch;
  const caller = { requestId, address, log, report: { codes: [] }, ...(isOver && { isOver }) };
  const isHead = part.method === 'HEAD';
  const [path, search = ''] = part.url.split(/\?(.*)/s) as [path: string, search?: string];
  const request = { method: isHead ? 'GET' : part.method, headers, path, search, body: undefined };
  const body = (): unknown => bodyOf(part, readJson);
  try {
    const viewer = headers.authorization === undefined ? batch.viewer : await verify(headers.authorization);
    const answer = await handler().answer(request, { ...caller, viewer }, body);
    return isHead ? { ...answer, body: '' } : answer;
  } catch (error) {
    const answer = handler().refuse(error, { ...caller, viewer: undefined });
    return { ...answer, headers: { ...answer.headers, ...(answer.status === 401 && { 'www-authenticate': 'Bearer error="invalid_token"' }) } };
  }
}

function bodyOf({ headers, body }: BatchPart, readJson: BatchParts['readJson']): unknown {
  if (body.trim() === '') return undefined;
  const type = headers['content-type'] ?? '';
  if (/^application\/json\s*(;|$)/i.test(type)) return readJson(Buffer.from(body));
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return new RawBody(type, Buffer.from(body));
  throw new RestFault(415, 'unsupportedMediaType', 'The Content-Type must be application/json.');
}
