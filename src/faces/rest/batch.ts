import { randomUUID } from 'node:crypto';
import type { Caller } from '../../access/permissions.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { type AppError, errorAt, unavailable } from '../../core/errors.ts';
import type { RequestReport } from '../../core/runtime/log.ts';
import { RawBody, type HttpAnswer } from '../../http/face.ts';
import { maxLength } from '../../core/json.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { RestFault } from './errors.ts';
import type { Handler } from './handler.ts';
import type { Api } from './method.ts';
import { type BatchPart, parseBatch, type PartAnswer, writeBatch } from './multipart.ts';

export interface BatchParts {
  readonly verify: TokenVerifier;
  /** Reads JSON within the limits of bodies. */
  readonly readJson: (bytes: Buffer) => unknown;
  /** Told of each part that was answered, for the metrics. */
  readonly partAnswered: (
    part: RequestReport,
    answer: { readonly status: number; readonly seconds: number },
  ) => void;
  /** What runs the parts. */
  readonly handler: () => Handler;
}

/** How many characters of answers all batches may hold at once before no more of their parts are run. */
export const maxHeld = 4 * maxLength;

/** What serves batches: each part is a request of its own, charged by itself. */
export function batchEndpoints(apis: readonly Api[], parts: BatchParts): readonly Endpoint[] {
  let held = 0;
  /** Why the next part is not run: its answer would have to wait for that of the batch, as those before it do. */
  const refusalOf = (length: number): AppError | undefined => {
    if (length > maxLength)
      return errorAt(
        'BAD_USER_INPUT',
        [],
        'tooLong',
        'The answers before this one fill the batch: this request was not run. Send it in another one.',
      );
    return held > maxHeld
      ? unavailable('Too many batches are being answered. Send this request again later.', { retryAfter: 5 })
      : undefined;
  };
  return apis.map(({ batchPath }) => ({
    verb: 'POST',
    template: batchPath,
    operation: 'batch',
    async run({ body, headers }, caller) {
      if (body !== undefined && !(body instanceof RawBody && batchType.test(body.type)))
        throw new RestFault(415, 'unsupportedMediaType', 'The Content-Type must be multipart/mixed.');
      if (!body) throw new RestFault(400, 'invalid', 'The batch has no parts.');
      const read = parseBatch(body.type, body.bytes);
      const answers: PartAnswer[] = [];
      let length = 0;
      try {
        for (const part of read) {
          if (caller.isOver?.()) break;
          const answer = await runPart(
            { ...part, headers: { ...placeOf(headers), ...part.headers } },
            caller,
            parts,
            refusalOf(length),
          );
          length += answer.body.length;
          held += answer.body.length;
          answers.push({ ...answer, ...(part.contentId !== undefined && { contentId: part.contentId }) });
        }
        return await writeBatch(answers, `batch_${randomUUID()}`);
      } finally {
        held -= length;
      }
    },
  }));
}

/** Where a batch came to: so did its parts. */
const placeOf = (headers: EndpointRequest['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['host', 'x-forwarded-proto'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    ),
  );

const batchType = /^multipart\/mixed\s*(;|$)/i;

async function runPart(
  part: BatchPart,
  batch: Caller,
  { verify, readJson, handler, partAnswered }: BatchParts,
  refusal: AppError | undefined,
): Promise<HttpAnswer<string | Buffer>> {
  const started = performance.now();
  // What is sent in the end is the whole batch: no part waits for that.
  const { requestId, address, log, isOver } = batch;
  const caller = { requestId, address, log, report: { codes: [] }, ...(isOver && { isOver }) };
  const { headers } = part;
  const isHead = part.method === 'HEAD';
  const [path, search = ''] = part.url.split(/\?(.*)/s) as [path: string, search?: string];
  const request = { method: isHead ? 'GET' : part.method, headers, path, search, body: undefined };
  let viewer: Caller['viewer'];
  let answer: HttpAnswer<string | Buffer>;
  try {
    viewer = headers.authorization === undefined ? batch.viewer : await verify(headers.authorization);
    if (refusal) throw refusal;
    answer = await handler().answer(request, { ...caller, viewer }, () => bodyOf(part, readJson));
    if (isHead) answer = { ...answer, body: '' };
  } catch (error) {
    answer = handler().refuse(error, { ...caller, viewer }, request);
    const challenge = answer.status === 401 && { 'www-authenticate': 'Bearer error="invalid_token"' };
    answer = { ...answer, headers: { ...answer.headers, ...challenge } };
  }
  const { status } = answer;
  partAnswered(caller.report, { status, seconds: (performance.now() - started) / 1000 });
  return answer;
}

function bodyOf({ headers, body }: BatchPart, readJson: BatchParts['readJson']): unknown {
  if (body.trim() === '') return undefined;
  const type = headers['content-type'] ?? '';
  if (/^application\/json\s*(;|$)/i.test(type)) return readJson(Buffer.from(body));
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return new RawBody(type, Buffer.from(body));
  throw new RestFault(415, 'unsupportedMediaType', 'The Content-Type must be application/json.');
}
