import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { Counts } from '../core/runtime/counts.ts';
import { networkOf } from '../core/text/address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** From one IPv4 address, or one /64 of IPv6. */
  readonly perAddress: number;
}

/** Closes connections beyond the limits at once, before anything is read of them. */
export function limitConnections({ server }: FastifyInstance, { total, perAddress }: ConnectionLimits, onRefused: () => void): void {
  const counts = new Counts();
  server.maxConnections = total;
  server.on('drop', onRefused);
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress);
    counts.add(network);
    socket.once('close', () => counts.take(network));
    if (counts.of(network) <= perAddress) return;
    onRefused();
    socket.destroy();
  });
}
