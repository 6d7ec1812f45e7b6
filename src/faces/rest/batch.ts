import { randomUUID } from 'node:crypto';
import type { Caller } from '../../access/permissions.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { type AppError, errorAt, serviceUnavailableError } from '../../core/errors.ts';
import type { RequestReport } from '../../core/runtime/log.ts';
import { mediaTypeOf, RawBody, type HttpResponse } from '../../http/face.ts';
import { maxResponseCharacters } from '../../core/json.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { RestError } from './errors.ts';
import { formType, type Handler } from './handler.ts';
import type { Api } from './method.ts';
import { type BatchPart, parseBatch, type PartResponse, writeBatch } from './multipart.ts';

export interface BatchDependencies {
  readonly verify: TokenVerifier;
  /** Parses JSON within the limits of request bodies. */
  readonly readJson: (bytes: Buffer) => unknown;
  /** Counts a finished part in the metrics. */
  readonly countPart: (
    report: RequestReport,
    response: { readonly status: number; readonly seconds: number },
  ) => void;
  /** Returns the handler of the parts; a function, because that handler includes these endpoints. */
  readonly handler: () => Handler;
}

/** Number of response characters that all batches may hold before further parts are refused. */
export const maxHeldCharacters = 4 * maxResponseCharacters;

/** Creates the batch endpoints. Each part of a batch is run and charged like a separate request. */
export function createBatchEndpoints(
  apis: readonly Api[],
  dependencies: BatchDependencies,
): readonly Endpoint[] {
  let heldCharacters = 0;
  /** Returns the error that refuses the next part, if any. Responses are held until the whole batch is done. */
  const findRefusal = (responseLength: number): AppError | undefined => {
    if (responseLength > maxResponseCharacters)
      return errorAt(
        'BAD_USER_INPUT',
        [],
        'tooLong',
        'The earlier responses fill the batch: this request was not run. Send it in another batch.',
      );
    return heldCharacters > maxHeldCharacters
      ? serviceUnavailableError('Too many batches are running. Send this request again later.', {
          retryAfter: 5,
        })
      : undefined;
  };
  return apis.map(({ batchPath }) => ({
    verb: 'POST',
    template: batchPath,
    operation: 'batch',
    async run({ body, headers }, caller) {
      if (body !== undefined && !(body instanceof RawBody && mediaTypeOf(body.type) === 'multipart/mixed'))
        throw new RestError(415, 'unsupportedMediaType', 'The Content-Type must be multipart/mixed.');
      if (!body) throw new RestError(400, 'invalid', 'The batch has no parts.');
      const batchParts = parseBatch(body.type, body.bytes);
      const responses: PartResponse[] = [];
      let responseLength = 0;
      try {
        for (const part of batchParts) {
          if (caller.isOver?.()) break;
          const response = await runPart(
            { ...part, headers: { ...pickOriginHeaders(headers), ...part.headers } },
            caller,
            dependencies,
            findRefusal(responseLength),
          );
          responseLength += response.body.length;
          heldCharacters += response.body.length;
          responses.push({ ...response, ...(part.contentId !== undefined && { contentId: part.contentId }) });
        }
        return await writeBatch(responses, `batch_${randomUUID()}`);
      } finally {
        heldCharacters -= responseLength;
      }
    },
  }));
}

/** Returns the batch's headers about its host and scheme, which apply to its parts too. */
const pickOriginHeaders = (headers: EndpointRequest['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['host', 'x-forwarded-proto'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    ),
  );

/** Runs a part with its own token, or as the batch's caller. Errors become responses. */
async function runPart(
  part: BatchPart,
  batchCaller: Caller,
  { verify, readJson, handler, countPart }: BatchDependencies,
  refusal: AppError | undefined,
): Promise<HttpResponse<string | Buffer>> {
  const startMs = performance.now();
  // Parts have no `waitUntilSent`, because they are not sent separately.
  const { requestId, address, log, isOver } = batchCaller;
  const caller = { requestId, address, log, report: { codes: [] }, ...(isOver && { isOver }) };
  const { headers } = part;
  const isHead = part.method === 'HEAD';
  const [path, search = ''] = part.url.split(/\?(.*)/s) as [path: string, search?: string];
  const request = { method: isHead ? 'GET' : part.method, headers, path, search, body: undefined };
  let viewer: Caller['viewer'];
  let response: HttpResponse<string | Buffer>;
  try {
    viewer = headers.authorization === undefined ? batchCaller.viewer : await verify(headers.authorization);
    if (refusal) throw refusal;
    response = await handler().handle(request, { ...caller, viewer }, () => parseBody(part, readJson));
    if (isHead) response = { ...response, body: '' };
  } catch (error) {
    response = handler().refuse(error, { ...caller, viewer }, request);
    const challenge = response.status === 401 && { 'www-authenticate': 'Bearer error="invalid_token"' };
    response = { ...response, headers: { ...response.headers, ...challenge } };
  }
  const { status } = response;
  countPart(caller.report, { status, seconds: (performance.now() - startMs) / 1000 });
  return response;
}

function parseBody({ headers, body }: BatchPart, readJson: BatchDependencies['readJson']): unknown {
  if (body.trim() === '') return undefined;
  const contentType = headers['content-type'];
  const type = mediaTypeOf(contentType);
  if (type === 'application/json') return readJson(Buffer.from(body));
  if (contentType !== undefined && type === formType) return new RawBody(contentType, Buffer.from(body));
  throw new RestError(415, 'unsupportedMediaType', 'The Content-Type must be application/json.');
}
