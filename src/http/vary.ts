import type { FastifyReply } from 'fastify';

/** Adds a request header to the response's `Vary`. */
export function addVary(reply: FastifyReply, header: string): void {
  const known = reply.getHeader('vary');
  const names = known === undefined ? [] : String(known).split(/, */);
  if (!names.includes(header)) void reply.header('vary', [...names, header].join(', '));
}
