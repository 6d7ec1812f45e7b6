import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { networkOf } from '../core/text/address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** From one IPv4 address, or one /64 of IPv6. */
  readonly perAddress: number;
}

/** Closes connections beyond the limits at once, before anything is read of them. */
export function limitConnections({ server }: FastifyInstance, { total, perAddress }: ConnectionLimits, onRefused: () => void): void {
  const counts = new Map<string, number>();
  server.maxConnections = total;
  server.on('drop', onRefused);
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left > 0) counts.set(network, left);
      else counts.delete(network);
    });
    if (count <= perAddress) return;
    onRefused();
    socket.destroy();
  });
}
