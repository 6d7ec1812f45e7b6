import type { ServerResponse } from 'node:http';
import { BodyBudget } from './body.ts';
import type { EventStream } from './face.ts';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../access/token.ts';
import { AppError, serviceUnavailableError } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { Counts, rateLimitedError, type RateLimiter } from '../core/runtime/limits.ts';
import type { StreamRequest } from '../core/runtime/streams.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { rateLimitKeyOf } from './callers.ts';

/** Interval (ms) of heartbeats on a silent stream. The documented maximum is 12 s; a silent connection is cut after 15 s. */
const heartbeatMs = 10_000;

/** Thrown if a client does not read an event in time, or too many bytes are buffered for slow clients. */
class SlowReaderError extends Error {}

/** Resolves when bytes were sent or the client disconnected. Throws SlowReaderError after `maxStallMs`. */
const writeBytes = (raw: ServerResponse, bytes: Buffer, maxStallMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new SlowReaderError()), maxStallMs);
    const finish = (): void => {
      clearTimeout(timer);
      raw.off('close', finish);
      resolve();
    };
    raw.on('close', finish);
    raw.write(bytes, finish);
  });

/** Limits of open streams. All are shared by the routes of a server. */
export interface StreamLimits {
  readonly maxTotal: number;
  readonly maxPerCaller: number;
  /** Interval (ms) at which an open stream is charged 1 and its token is verified again. */
  readonly checkIntervalMs: number;
  /** Time limit (ms) for a client to read one event. */
  readonly maxStallMs: number;
}

const defaultLimits: StreamLimits = {
  maxTotal: 2000,
  maxPerCaller: 20,
  checkIntervalMs: 60_000,
  maxStallMs: 15_000,
};

/** Time after which a caller with too many streams may try again. */
const slotRetrySeconds = 60;

/** Creates the function that takes a slot for a stream and returns the function that frees it. Throws if none is left. */
function createStreamSlots({ maxTotal, maxPerCaller }: StreamLimits): (caller: string) => () => void {
  const counts = new Counts();
  return (caller) => {
    if (counts.countOf(caller) >= maxPerCaller)
      throw rateLimitedError(
        slotRetrySeconds,
        `You have ${maxPerCaller} streams open, the maximum. Close one first.`,
      );
    if (counts.total >= maxTotal)
      throw serviceUnavailableError('Too many streams are open at the moment. Try again later.');
    counts.add(caller);
    return () => counts.subtract(caller);
  };
}

export interface StreamDependencies {
  readonly verify: TokenVerifier;
  readonly limiter: RateLimiter | undefined;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'recordStream'>;
  readonly streamLimits?: Partial<StreamLimits>;
}

/** Side that ended a stream without an error. */
type EndingSide = 'client' | 'server';

/** Creates the streams of all routes, which share their limits and end when the server stops. */
export function createStreams(app: FastifyInstance, dependencies: StreamDependencies) {
  const limits: StreamLimits = { ...defaultLimits, ...dependencies.streamLimits };
  const takeSlot = createStreamSlots(limits);
  const budget = new BodyBudget();
  const openStreams = new Set<AbortController>();
  const endAllStreams = (): void =>
    openStreams.forEach((controller) => controller.abort('server' satisfies EndingSide));
  app.onDrain(endAllStreams);
  app.addHook('preClose', async () => endAllStreams());

  return (request: FastifyRequest, reply: FastifyReply) => {
    let controller: AbortController | undefined;
    let freeSlot: (() => void) | undefined;
    return {
      /** Takes a slot for the stream. Throws if none is left or the server is stopping. */
      open: (): StreamRequest => {
        if (app.isDraining()) throw serviceUnavailableError('The server is stopping. Open the stream again.');
        freeSlot ??= takeSlot(rateLimitKeyOf(request));
        controller ??= trackStream(reply, openStreams);
        const id = request.headers['last-event-id'];
        return {
          lastEventId: typeof id === 'string' && id !== '' ? id : undefined,
          endSignal: controller.signal,
        };
      },
      async send(stream: EventStream): Promise<void> {
        if (!controller) throw new Error('this stream was not opened');
        void checkRepeatedly(request, controller, limits.checkIntervalMs, dependencies, stream);
        const emitConnectionLoss = watchConnectionLoss(reply);
        // Counts the stream as open now, and as ended when the returned function is called.
        const countEndedStream = dependencies.metrics.recordStream(stream.operation ?? 'none');
        const raw = startResponse(reply, stream.framing.type);
        countEndedStream(
          await sendEvents(request, raw, stream, controller.signal, budget, limits.maxStallMs),
        );
        emitConnectionLoss();
      },
      close(): void {
        controller?.abort('client' satisfies EndingSide);
        freeSlot?.();
      },
    };
  };
}

/** Creates the controller that ends a stream, and keeps it in `openStreams` until then. */
function trackStream({ raw }: FastifyReply, openStreams: Set<AbortController>): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // the stream adds a listener for each calendar
  raw.once('close', () => controller.abort('client' satisfies EndingSide));
  openStreams.add(controller);
  controller.signal.addEventListener('abort', () => openStreams.delete(controller), { once: true });
  return controller;
}

/** Starts the response and takes it over from Fastify. */
function startResponse(reply: FastifyReply, type: string): FastifyReply['raw'] {
  reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    'content-type': type,
    'x-accel-buffering': 'no',
    connection: 'close',
  };
  // Fastify's type of headers is wider than Node's.
  reply.raw.writeHead(200, headers as Record<string, string | string[]>);
  return reply.raw;
}

/**
 * Watches whether a response loses its connection. The returned function then emits an error, because Fastify's hooks run only for
 * finished and failed responses.
 */
function watchConnectionLoss({ raw }: FastifyReply): () => void {
  let isFinished = false;
  raw.once('finish', () => (isFinished = true));
  const fail = (): unknown =>
    !isFinished && raw.listenerCount('error') > 0 && raw.emit('error', new Error('the connection was lost'));
  return () => void (raw.destroyed ? fail() : raw.once('close', fail));
}

/**
 * Sends the events of a stream one at a time, so that a slow reader keeps only one in memory, for at most `maxStallMs`. Returns the
 * reason for the end, for metrics and the log.
 */
async function sendEvents(
  request: FastifyRequest,
  raw: ServerResponse,
  { framing, events }: EventStream,
  endSignal: AbortSignal,
  budget: BodyBudget,
  maxStallMs: number,
): Promise<string> {
  const caller = rateLimitKeyOf(request);
  let eventCount = 0;
  let endReason: string = 'error';
  let isEndWritten = false;
  raw.write(framing.start);
  const heartbeats = setInterval(() => raw.writableLength === 0 && raw.write(framing.heartbeat), heartbeatMs);
  try {
    for await (const event of events) {
      if (raw.destroyed) break;
      isEndWritten = event.isEnd === true;
      const bytes = Buffer.from(framing.frame(event) + (isEndWritten ? framing.end : ''));
      const reservedBytes = BodyBudget.computeReservedBytes(bytes);
      if (!budget.reserve(caller, reservedBytes)) throw new SlowReaderError();
      try {
        await writeBytes(raw, bytes, maxStallMs);
      } finally {
        budget.release(caller, reservedBytes);
      }
      eventCount += 1;
    }
    const reason: unknown = endSignal.reason;
    if (reason === 'client' || reason === 'server') endReason = reason;
    // After an error the client must not open the stream again.
    raw.end(endReason === 'error' && !isEndWritten ? framing.end : undefined);
  } catch (error) {
    raw.destroy();
    if (error instanceof SlowReaderError) endReason = 'slow';
    else request.log.error({ err: error }, 'a stream failed');
  } finally {
    clearInterval(heartbeats);
    request.report.stream = { events: eventCount, ended: endReason };
  }
  return endReason;
}

/**
 * Verifies a stream's token every `intervalMs` and when it expires, and charges 1 unless events are charged. An error ends the stream,
 * and the end of the stream ends the checks.
 */
async function checkRepeatedly(
  { headers, viewer, network }: FastifyRequest,
  controller: AbortController,
  intervalMs: number,
  { verify, limiter, clock }: StreamDependencies,
  { chargesEvents = false }: EventStream,
): Promise<void> {
  const { signal } = controller;
  try {
    for (;;) {
      // Adds a millisecond, after which the token has surely expired.
      const msUntilExpiry = (viewer?.expires ?? Infinity) - clock() + 1;
      await pause(Math.max(0, Math.min(intervalMs, msUntilExpiry)), undefined, { signal });
      await verify(headers.authorization);
      const waitSeconds = chargesEvents ? 0 : (limiter?.(viewer?.key ?? network, 1) ?? 0);
      if (waitSeconds > 0)
        throw rateLimitedError(
          waitSeconds,
          `Too many requests; each minute of a stream counts as one. Try again in ${waitSeconds} s.`,
        );
    }
  } catch (error) {
    controller.abort(
      error instanceof AppError
        ? error
        : serviceUnavailableError('The token cannot be checked at the moment. Try again later.', {}, error),
    );
  }
}
