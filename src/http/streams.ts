import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../access/token.ts';
import { AppError, unavailable } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { Counts, rateLimited, type RateLimiter } from '../core/runtime/limits.ts';
import type { StreamRequest } from '../core/runtime/watch.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { BodyBudget } from './body-budget.ts';
import { keyOf } from './callers.ts';
import { createEventWriter, type EventWriter, SlowReaderError } from './event-stream.ts';
import type { EventStream } from './face.ts';

export interface StreamLimits {
  /** How many streams are open at once: in all, and of one caller. */
  readonly total: number;
  readonly perCaller: number;
  /** How often (ms) an open stream costs its caller a unit of the rate limit, and its token is verified again. */
  readonly checkMs: number;
  /** How long (ms) a client may take to read one event. */
  readonly stallMs: number;
}

const streamLimits: StreamLimits = { total: 2000, perCaller: 20, checkMs: 60_000, stallMs: 15_000 };

/** Bounds the number of open streams. Returns the function that frees the slot, to be called once; throws when no slot is left. */
function createStreamSlots({ total, perCaller }: StreamLimits): (caller: string) => () => void {
  const counts = new Counts();
  return (caller) => {
    if (counts.of(caller) >= perCaller)
      throw rateLimited(
        60,
        `You have ${perCaller} streams open, as many as one caller may have. Close one first.`,
      );
    if (counts.total >= total) throw unavailable('Too many streams are open at the moment. Try again later.');
    counts.add(caller);
    return () => counts.take(caller);
  };
}

export interface StreamDependencies {
  readonly verify: TokenVerifier;
  readonly limiter: RateLimiter | undefined;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'streamOpened'>;
  /** Limits that differ from the defaults. */
  readonly streamLimits?: Partial<StreamLimits>;
}

/** Who ended a stream, where it was no error. */
type End = 'client' | 'server';

/** Streams for the requests of all routes; they share their limits, and end when the server stops. */
export function createStreams(app: FastifyInstance, parts: StreamDependencies) {
  const limits: StreamLimits = { ...streamLimits, ...parts.streamLimits };
  const enter = createStreamSlots(limits);
  const budget = new BodyBudget();
  const open = new Set<AbortController>();
  const endAll = (): void => open.forEach((controller) => controller.abort('server' satisfies End));
  app.onDrain(endAll);
  app.addHook('preClose', async () => endAll());

  /** The stream that one request may open as its answer. */
  return (request: FastifyRequest, reply: FastifyReply) => {
    let controller: AbortController | undefined;
    let leave: (() => void) | undefined;
    return {
      /** Takes a slot for the stream. Throws when none is left, or when the server is stopping. */
      open: (): StreamRequest => {
        if (app.draining()) throw unavailable('The server is stopping. Open the stream again.');
        leave ??= enter(keyOf(request));
        controller ??= track(reply, open);
        const id = request.headers['last-event-id'];
        return {
          lastEventId: typeof id === 'string' && id !== '' ? id : undefined,
          ended: controller.signal,
        };
      },
      /** Sends the events of a stream that was opened, until it ends. */
      async send(stream: EventStream): Promise<void> {
        if (!controller) throw new Error('this stream was not opened');
        const stopChecks = checkCaller(request, controller, limits.checkMs, parts, stream);
        const reportLoss = watchLoss(reply);
        const closed = parts.metrics.streamOpened(stream.operation ?? 'none');
        const raw = started(reply, stream.framing.type);
        const writer = createEventWriter(raw, stream.framing, budget, keyOf(request), limits.stallMs);
        closed(await send(request, reply, stream, controller.signal, writer));
        stopChecks();
        reportLoss();
      },
      /** Stops the source of the stream, and frees its slot. */
      close(): void {
        controller?.abort('client' satisfies End);
        leave?.();
      },
    };
  };
}

/** A controller that ends the stream of a response, and is among the open ones until then. */
function track({ raw }: FastifyReply, open: Set<AbortController>): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one for each calendar that the stream follows
  raw.once('close', () => controller.abort('client' satisfies End));
  open.add(controller);
  controller.signal.addEventListener('abort', () => open.delete(controller), { once: true });
  return controller;
}

/** Starts the response, which is written without the framework from here on. */
function started(reply: FastifyReply, type: string): FastifyReply['raw'] {
  reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    'content-type': type,
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

/** Verifies a stream's token when it expires and every `everyMs`, for a charge of 1 unless its events are charged; an error ends the stream. Returns what stops this. */
function checkCaller(
  { headers, viewer, network }: FastifyRequest,
  controller: AbortController,
  everyMs: number,
  { verify, limiter, clock }: StreamDependencies,
  { chargesEvents = false }: EventStream,
): () => void {
  let timer: NodeJS.Timeout;
  const check = async (): Promise<void> => {
    try {
      await verify(headers.authorization);
      const wait = chargesEvents ? 0 : (limiter?.(viewer?.key ?? network, 1) ?? 0);
      if (wait > 0)
        throw rateLimited(
          wait,
          `Too many requests, of which each minute of a stream is one. Try again in ${wait} s.`,
        );
      plan();
    } catch (error) {
      controller.abort(
        error instanceof AppError
          ? error
          : unavailable('The token cannot be checked at the moment. Try again later.', {}, error),
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
