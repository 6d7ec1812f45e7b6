import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Viewer } from '../access/permissions.ts';
import type { RequestReport } from '../core/runtime/request-report.ts';
import type { AppOptions } from './app-options.ts';
import { budgetKey, hasOneAuthorization } from './callers.ts';
import { compress, encodingFor, isWorthCompressing } from './compression.ts';
import { hostOf, standardHeaders } from './errors.ts';
import { answerAtLimit, goneStatus, isOver } from './unanswered.ts';
import { refusalAnswer } from '../faces/graphql/answer/answer.ts';
import { answerType } from '../faces/graphql/request/accept.ts';
import { handOver, isJson, type JsonReader } from './json-body.ts';
import type { TellOfRequest } from './log/request-log.ts';
import type { Proxies } from './proxies.ts';

interface Parts extends Pick<AppOptions, 'execute' | 'verify' | 'limiter' | 'tracing'>, Pick<Proxies, 'clientOf'> {
  readonly readBody: JsonReader;
  readonly tell: TellOfRequest;
  /** Whether a request is refused for its head alone. */
  readonly isRefused: (request: IncomingMessage) => boolean;
}

/**
 * Answers what most requests are, a POST of JSON to /graphql, without the framework's routing, hooks and streams, which
 * take as long as all the rest. Whatever is not as usual goes to the framework: before its body is read, or, where that
 * is at fault, with what it came to. What both answer is the same.
 */
export function answerDirectly(app: FastifyInstance, parts: Parts): void {
  if (parts.tracing.request) return; // spans are the framework's business
  const { server } = app;
  const framework = server.listeners('request').at(-1) as RequestListener; // others only look on
  server.removeListener('request', framework);
  server.on('request', (request, response) => {
    if (!isUsual(request) || parts.isRefused(request) || app.draining()) return framework(request, response);
    answer(request, response).catch((err: unknown) => {
      app.log.error({ err }, 'an answer could not be sent');
      response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const start = performance.now();
    const { headers } = request;
    const network = parts.clientOf(request);
    const viewer = await callerOf(headers.authorization, network);
    if (viewer === 'refused') return framework(request, response);
    const body = parts.readBody(request, viewer, network);
    const value = await body.catch(() => unread);
    if (value === unread) {
      handOver(request, body);
      return framework(request, response);
    }
    app.working.add(request);
    const requestId = randomUUID();
    const report: RequestReport = { codes: [] };
    const closed = new Promise<void>((resolve) => {
      response.once('close', () => {
        app.working.delete(request);
        parts.tell({ requestId, method: 'POST', url, route: url, status: response.headersSent ? response.statusCode : goneStatus, ms: performance.now() - start, report, viewer });
        resolve();
      });
    });
    answerAtLimit(response, (error) => {
      const { errors, ...refusal } = refusalAnswer(error, answerType(headers).type, requestId, app.log);
      report.codes = errors.map(({ extensions }) => extensions.code);
      void send(response, refusal, requestId, undefined);
    });
    const caller = { requestId, viewer, address: network, log: app.log, report, sent: () => closed, isOver: () => isOver(response) };
    const result = await parts.execute({ method: 'POST', headers, search: '', body: value }, caller);
    await send(response, result, requestId, headers['accept-encoding']);
  }

  /** 'refused' for callers that get an error. */
  async function callerOf(authorization: string | undefined, network: string): Promise<Viewer | undefined | 'refused'> {
    try {
      const viewer = await parts.verify(authorization);
      return (parts.limiter?.(budgetKey(viewer, network), 0) ?? 0) > 0 ? 'refused' : viewer;
    } catch {
      return 'refused';
    }
  }

  async function send(response: ServerResponse, { status, headers, body }: Awaited<ReturnType<AppOptions['execute']>>, requestId: string, accept: string | undefined): Promise<void> {
    const long = isWorthCompressing(body);
    const encoding = long ? encodingFor(accept) : undefined;
    const content = encoding ? await compress(body, encoding) : body;
    if (isOver(response)) return;
    response.writeHead(status, {
      ...standardHeaders,
      'x-request-id': requestId,
      vary: long ? 'Origin, Accept, Accept-Encoding' : 'Origin, Accept',
      ...headers,
      ...(encoding && { 'content-encoding': encoding }),
      ...(app.draining() && { connection: 'close' }),
      'content-length': Buffer.byteLength(content),
    });
    response.end(content);
  }
}

const url = '/graphql';
const unread = Symbol('unread');

/** Whether nothing of a request's head needs to be looked at by the framework. */
function isUsual(request: IncomingMessage): boolean {
  if (request.method !== 'POST' || request.url !== url || request.httpVersion !== '1.1') return false;
  const { headers } = request;
  return (
    headers.origin === undefined &&
    headers['content-encoding'] === undefined &&
    headers['content-length'] !== undefined &&
    isJson(headers['content-type']) &&
    hostOf(headers.host) !== undefined &&
    hasOneAuthorization(request.rawHeaders)
  );
}
