import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setMaxListeners } from 'node:events';
import type { TokenVerifier } from '../../access/token.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { AppError } from '../../core/kernel/errors.ts';
import type { RateLimiter } from '../../core/runtime/rate-limit.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { BodyBudget } from '../body-budget.ts';
import { callerHooks, keyOf } from '../callers.ts';
import type { EventStream, Face, StreamRoute } from '../face.ts';
import { pathOf, searchOf } from '../url.ts';
import { addVary } from '../vary.ts';
import { EventWriter, SlowReaderError } from './event-stream.ts';
import { createStreamSlots, streamLimits, type StreamLimits } from './stream-slots.ts';

export interface StreamParts {
  readonly verify: TokenVerifier;
  readonly limiter: RateLimiter | undefined;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'streamOpened'>;
  /** Limits that differ from the defaults. */
  readonly streamLimits?: Partial<StreamLimits>;
}

/** Who ended a stream, where it was no error. */
type End = 'client' | 'server';

/** Adds routes of streams; all share their limits. Each is a stream of server-sent events (GraphQL over SSE, distinct connections mode). */
export function createStreams(
  app: FastifyInstance,
  parts: StreamParts,
): (face: Face, route: StreamRoute) => void {
  const { verify, limiter } = parts;
  const limits: StreamLimits = { ...streamLimits, ...parts.streamLimits };
  const enter = createStreamSlots(limits);
  const budget = new BodyBudget();
  const open = new Set<AbortController>();
  const endAll = (): void => open.forEach((controller) => controller.abort('server' satisfies End));
  app.onDrain(endAll);
  app.addHook('preClose', async () => endAll());

  return ({ varies }, { path: url, methods, subscribe }) =>
    void app.route({
      method: [...methods],
      url,
      exposeHeadRoute: false, // the head of a stream alone is of no use
      ...callerHooks(verify, limiter),
      handler: async (request, reply) => {
        if (app.draining())
          throw new AppError('UNAVAILABLE', 'backendError', 'The server is stopping. Open the stream again.');
        if (varies !== undefined) addVary(reply, varies);
        const leave = enter(keyOf(request));
        const controller = new AbortController();
        const { signal: ended } = controller;
        setMaxListeners(0, ended); // one for each calendar that the stream follows
        reply.raw.once('close', () => controller.abort('client' satisfies End));
        open.add(controller);
        ended.addEventListener('abort', () => open.delete(controller), { once: true });
        try {
          const opened = await subscribe(
            {
              method: request.method,
              headers: request.headers,
              path: pathOf(request.url),
              search: searchOf(request.url),
              body: request.body,
            },
            { ...callerOf(request), stream: { lastEventId: lastEventId(request), ended } },
          );
          if ('body' in opened)
            return await reply.code(opened.status).headers(opened.headers).send(opened.body);
          const stopChecks = checkCaller(request, controller, limits.checkMs, parts);
          const reportLoss = watchLoss(reply);
          const closed = parts.metrics.streamOpened(opened.operation ?? 'none');
          const end = await send(
            request,
            reply,
            opened,
            ended,
            new EventWriter(started(reply), budget, keyOf(request), limits.stallMs),
          );
          closed(end);
          stopChecks();
          reportLoss();
        } finally {
          controller.abort('client' satisfies End); // stops the source of the stream
          leave();
        }
        return reply;
      },
    });
}

/** Starts the response, which is written without the framework from here on. */
function started(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    connection: 'close',
  };
  // The framework's type of its headers is wider than node's.
  reply.raw.writeHead(200, headers as Record<string, string | string[]>);
  return reply.raw;
}

/** Emits an error on a response that loses its connection: the framework's hooks run for finished and failed responses only. */
function watchLoss({ raw }: FastifyReply): () => void {
  let finished = false;
  raw.once('finish', () => (finished = true));
  const fail = (): unknown =>
    !finished && raw.listenerCount('error') > 0 && raw.emit('error', new Error('the connection was lost'));
  return () => void (raw.destroyed ? fail() : raw.once('close', fail));
}

/** Sends the events as they come. Resolves with what ended them. */
async function send(
  { report, log }: FastifyRequest,
  { raw }: FastifyReply,
  { events }: EventStream,
  ended: AbortSignal,
  writer: EventWriter,
): Promise<string> {
  let count = 0;
  let end: string = 'error';
  try {
    for await (const event of events) {
      if (raw.destroyed) break;
      await writer.next(event);
      count += 1;
    }
    const reason: unknown = ended.reason;
    if (reason === 'client' || reason === 'server') end = reason;
    writer.end(end === 'error');
  } catch (error) {
    writer.cut();
    if (error instanceof SlowReaderError) end = 'slow';
    else log.error({ err: error }, 'a stream failed');
  } finally {
    report.stream = { events: count, ended: end };
  }
  return end;
}

/**
 * Verifies the token of an open stream again, when it expires and every `everyMs`, and charges its caller 1 each time. An error
 * ends the stream. Returns a function that stops the checks.
 */
function checkCaller(
  { headers, viewer, network }: FastifyRequest,
  controller: AbortController,
  everyMs: number,
  { verify, limiter, clock }: StreamParts,
): () => void {
  let timer: NodeJS.Timeout;
  const check = async (): Promise<void> => {
    try {
      await verify(headers.authorization);
      const wait = limiter?.(viewer?.key ?? network, 1) ?? 0;
      if (wait > 0)
        throw new AppError(
          'RATE_LIMITED',
          'rateLimitExceeded',
          `Too many requests, of which each minute of a stream is one. Try again in ${wait} s.`,
          [],
          { retryAfter: wait },
        );
      plan();
    } catch (error) {
      controller.abort(
        error instanceof AppError
          ? error
          : new AppError(
              'UNAVAILABLE',
              'backendError',
              'The token cannot be checked at the moment. Try again later.',
              [],
              {},
              error,
            ),
      );
    }
  };
  const plan = (): void => {
    if (controller.signal.aborted) return;
    const left = (viewer?.expires ?? Infinity) - clock() + 1;
    timer = setTimeout(() => void check(), Math.max(0, Math.min(everyMs, left)));
  };
  plan();
  return () => clearTimeout(timer);
}

const callerOf = ({ id, viewer, network, log, report }: FastifyRequest) => ({
  requestId: id,
  viewer,
  address: network,
  log,
  report,
});

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
