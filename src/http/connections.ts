import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../core/errors.ts';
import { Counts, rateLimitedError } from '../core/runtime/limits.ts';
import { networkKeyOf, type Proxies } from './callers.ts';

/** Maximum numbers of open connections. */
export interface ConnectionLimits {
  readonly total: number;
  /** Limit for one IPv4 address or one /64 of IPv6. */
  readonly perAddress: number;
}

/** Closes connections beyond the limits before reading from them. Connections of proxies count for their clients (`limitClients`). */
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
    const network = networkKeyOf(socket.remoteAddress);
    counts.add(network);
    socket.once('close', () => counts.subtract(network));
    if (counts.countOf(network) <= perAddress) return;
    onRefused();
    socket.destroy();
  });
}

/** Limits concurrent requests of clients behind proxies. Refuses them, since proxies take a closed connection for a failure of the gateway. */
export function limitClients(
  app: FastifyInstance,
  { perAddress }: ConnectionLimits,
  proxies: Proxies,
  onRefused: () => void,
): void {
  const counts = new Counts();
  /** Counts the open requests of each client, also those that expect 100 Continue. */
  const countRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (!proxies.has(request.socket.remoteAddress)) return;
    const client = proxies.clientOf(request);
    counts.add(client);
    response.once('close', () => counts.subtract(client));
  };
  for (const event of ['request', 'checkExpectation']) app.server.prependListener(event, countRequest);
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (!proxies.has(raw.socket.remoteAddress) || counts.countOf(proxies.clientOf(raw)) <= perAddress)
      return done();
    onRefused();
    throw rateLimitedError(
      1,
      `Your address has ${perAddress} pending requests, the maximum. Try again later.`,
    );
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a stop was announced: the server reports itself as not ready, so that load balancers send requests elsewhere. */
    readonly isStopping: () => boolean;
    /** Makes the server report itself as not ready; it keeps serving requests until it is drained. */
    announceStop(): void;
    readonly isDraining: () => boolean;
    /** Resolves when no connection is left or the grace period is over; to be awaited before `close`. */
    drain(graceMs?: number): Promise<void>;
    /** Registers a function that `drain` calls at its start, such as one that ends streams. */
    onDrain(callback: () => void): void;
  }
}

/** Grace period (ms) in which clients with an open connection may send one more request; its response closes the connection. */
const defaultGraceMs = 2000;
/** Time limit (ms) after the grace period for requests that have arrived. */
const maxResponsesMs = 2000;
const pollIntervalMs = 20;

/**
 * Lets a server stop without losing a request. It accepts no new connections, and each response asks its client to close the
 * connection. Idle connections stay open for the grace period, since a request may be on its way. Afterwards only requests that have
 * arrived are awaited; `close` cuts the other connections.
 */
export function addDrain(app: FastifyInstance): void {
  let [isStopping, isDraining] = [false, false];
  const drainCallbacks = new Set<() => void>();
  const pendingRequests = new Set<IncomingMessage>();
  app.addHook('preHandler', ({ raw }, reply, done) => {
    pendingRequests.add(raw); // the body has been read
    reply.raw.once('close', () => pendingRequests.delete(raw));
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) void reply.header('connection', 'close');
    done();
  });
  app.decorate('isStopping', () => isStopping);
  app.decorate('announceStop', () => void (isStopping = true));
  app.decorate('isDraining', () => isDraining);
  app.decorate('onDrain', (callback: () => void) => void drainCallbacks.add(callback));
  app.decorate('drain', async (graceMs = defaultGraceMs) => {
    [isStopping, isDraining] = [true, true];
    // `close` of HTTP servers would cut idle connections at once; that of `net.Server` does not.
    Server.prototype.close.call(app.server);
    for (const callback of drainCallbacks) callback();
    const countOpenConnections = promisify(app.server.getConnections.bind(app.server));
    await waitUntil(async () => (await countOpenConnections()) === 0, graceMs);
    await waitUntil(() => pendingRequests.size === 0, maxResponsesMs);
  });
}

async function waitUntil(isReached: () => boolean | Promise<boolean>, maxWaitMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxWaitMs && !(await isReached()); waitedMs += pollIntervalMs)
    await pause(pollIntervalMs);
}

/** Opens a server's port and returns its URL. Throws StartError with `settingNames`, the settings of the address. */
export async function listen(
  server: FastifyInstance,
  address: { readonly host: string; readonly port: number },
  settingNames: string,
): Promise<string> {
  // `ready` fails for reasons that are unrelated to the address.
  await server.ready();
  try {
    return await server.listen({ host: address.host, port: address.port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy =
      code === 'EADDRINUSE'
        ? ` Choose another port, such as ${settingNames.split(',')[0]}=${address.port + 1}.`
        : '';
    throw new StartError(`${settingNames}: the gateway cannot listen there: ${message}.${remedy}`);
  }
}
