import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../access/caller.ts';
import type { TokenVerifier } from '../../../access/token.ts';
import type { RequestReport } from '../../../core/runtime/request-report.ts';
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
  /** Told of each part that was answered, for the metrics. */
  readonly partAnswered: (part: RequestReport & { readonly status: number; readonly seconds: number }) => void;
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
      const read = body instanceof RawBody ? parseBatch(body.type, body.bytes) : { problem: 'A batch is multipart/mixed, with a request in each part.' };
      if ('problem' in read) throw new RestFault(400, 'badRequest', read.problem);
      const answers: PartAnswer[] = [];
      for (const part of read) {
        if (caller.isOver?.()) break;
        answers.push({ ...(await runPart(part, caller, parts)), ...(part.contentId !== undefined && { contentId: part.contentId }) });
      }
      return writeBatch(answers, `batch_${randomUUID()}`);
    },
  }));
}

async function runPart(part: BatchPart, batch: Caller, parts: BatchParts): Promise<HttpAnswer> {
  const started = performance.now();
  // What is sent in the end is the whole batch: no part waits for that.
  const { requestId, address, log, isOver } = batch;
  const caller = { requestId, address, log, report: { codes: [] }, ...(isOver && { isOver }) };
  const answer = await answerOf(part, batch.viewer, caller, parts);
  parts.partAnswered({ ...caller.report, status: answer.status, seconds: (performance.now() - started) / 1000 });
  return answer;
}

async function answerOf(part: BatchPart, viewerOfBatch: Caller['viewer'], caller: Omit<Caller, 'viewer'>, { verify, readJson, handler }: BatchParts): Promise<HttpAnswer> {
  const { headers } = part;
  const isHead = part.method === 'HEAD';
  const [path = '', search = ''] = part.url.split(/\?(.*)/s);
  const request = { method: isHead ? 'GET' : part.method, headers, path, search, body: undefined };
  try {
    const viewer = headers.authorization === undefined ? viewerOfBatch : await verify(headers.authorization);
    const answer = await handler().answer(request, { ...caller, viewer }, () => bodyOf(part, readJson));
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
