import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../core/kernel/errors.ts';
import { Counts } from '../core/runtime/counts.ts';
import { networkOf } from '../core/text/address.ts';
import { atOnce } from './hooks.ts';
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
      throw new AppError(
        'RATE_LIMITED',
        'rateLimitExceeded',
        `Your address has ${perAddress} requests under way, as many as one may have. Try again later.`,
        [],
        { retryAfter: 1 },
      );
    }),
  );
}
