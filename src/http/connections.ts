import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../core/errors.ts';
import { Counts, rateLimited } from '../core/runtime/limits.ts';
import { networkOf } from '../core/text/address.ts';
import { atOnce, beforeSending } from './hooks.ts';
import type { Proxies } from './proxies.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** From one IPv4 address, or one /64 of IPv6. */
  readonly perAddress: number;
}

/** Closes connections beyond the limits before anything is read from them. Connections of proxies count for their clients (`limitClients`). */
export function limitConnections(
  { server }: FastifyInstance,
  { total, perAddress }: ConnectionLimits,
  proxies: Proxies,
  onRefused: () => void,
): void {
  const counts = new Counts();
  server.maxConnections = total;
  server.on('drop', onRefused);
  server.on('connection', (socket: Socket) => {
    if (proxies.has(socket.remoteAddress)) return;
    const network = networkOf(socket.remoteAddress);
    counts.add(network);
    socket.once('close', () => counts.take(network));
    if (counts.of(network) <= perAddress) return;
    onRefused();
    socket.destroy();
  });
}

/**
 * A connection of a proxy counts, as long as a request is under way on it, for the client that the proxy names. Beyond the
 * limit the request is refused: many proxies would take a closed connection for a failure of the gateway.
 */
export function limitClients(
  app: FastifyInstance,
  { perAddress }: ConnectionLimits,
  proxies: Proxies,
  onRefused: () => void,
): void {
  const counts = new Counts();
  const count = (request: IncomingMessage, response: ServerResponse): void => {
    if (!proxies.has(request.socket.remoteAddress)) return;
    const client = proxies.clientOf(request);
    counts.add(client);
    response.once('close', () => counts.take(client));
  };
  for (const event of ['request', 'checkExpectation']) app.server.prependListener(event, count);
  app.addHook(
    'onRequest',
    atOnce(({ raw }) => {
      if (!proxies.has(raw.socket.remoteAddress) || counts.of(proxies.clientOf(raw)) <= perAddress) return;
      onRefused();
      throw rateLimited(
        1,
        `Your address has ${perAddress} requests under way, as many as one may have. Try again later.`,
      );
    }),
  );
}

declare module 'fastify' {
  interface FastifyInstance {
    /** True once the server is going to stop: it reports itself as not ready, so that load balancers send requests elsewhere. */
    readonly stopping: () => boolean;
    /** From now on the server reports itself as not ready; it serves as before until it is drained. */
    announceStop(): void;
    /** True once no new connection is accepted. */
    readonly draining: () => boolean;
    /** To be awaited before `close`: resolves when no connection is left, or when the time is over. */
    drain(graceMs?: number): Promise<void>;
    /** Registers a callback that runs when the server starts to drain. */
    onDrain(end: () => void): void;
  }
}

/** How long (ms) clients with an open connection may send one more request, whose answer asks them to close it. */
const defaultGraceMs = 2000;
/** How long (ms) after that the last requests have to be answered. */
const answeringMs = 2000;
const pollMs = 20;

/**
 * Lets a server stop without losing a request. No new connection is accepted, and each answer asks its client to close the
 * connection. Idle connections stay open for the grace period, since a request may be on its way on any of them. After it
 * only requests that have arrived are awaited; `close` cuts the other connections.
 */
export function addDrain(app: FastifyInstance): void {
  let [stopping, draining] = [false, false];
  const ends = new Set<() => void>();
  /** Requests that arrived in full and are not answered yet. */
  const working = new Set<IncomingMessage>();
  app.addHook(
    'preHandler',
    atOnce(({ raw }, reply) => {
      working.add(raw); // its body is there
      reply.raw.once('close', () => working.delete(raw));
    }),
  );
  app.addHook(
    'onSend',
    beforeSending((_request, reply) => {
      if (draining) void reply.header('connection', 'close');
    }),
  );
  app.decorate('stopping', () => stopping);
  app.decorate('announceStop', () => void (stopping = true));
  app.decorate('draining', () => draining);
  app.decorate('onDrain', (end: () => void) => void ends.add(end));
  app.decorate('drain', async (graceMs = defaultGraceMs) => {
    [stopping, draining] = [true, true];
    // Not the server's own `close`: that of HTTP servers cuts silent connections at once.
    Server.prototype.close.call(app.server);
    for (const end of ends) end();
    const count = promisify(app.server.getConnections.bind(app.server));
    for (let waited = 0; waited < graceMs && (await count()) > 0; waited += pollMs) await pause(pollMs);
    for (let waited = 0; waited < answeringMs && working.size > 0; waited += pollMs) await pause(pollMs);
  });
}

/** Opens a server's port and returns its URL. Throws StartError that names the settings of the address. */
export async function listen(
  server: FastifyInstance,
  at: { readonly host: string; readonly port: number },
  variables: string,
): Promise<string> {
  // Fails for other reasons than the address.
  await server.ready();
  try {
    return await server.listen({ host: at.host, port: at.port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy =
      code === 'EADDRINUSE' ? ` Choose another port, such as ${variables.split(',')[0]}=${at.port + 1}.` : '';
    throw new StartError(`${variables}: the gateway cannot listen there: ${message}.${remedy}`);
  }
}

/** Listens for the metrics, if they have a port of their own. */
export async function listenForMetrics(
  server: FastifyInstance | undefined,
  at: { readonly host: string; readonly port: number } | undefined,
): Promise<void> {
  if (server && at) await listen(server, at, 'METRICS_PORT, METRICS_HOST');
}
