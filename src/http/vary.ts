import type { FastifyReply } from 'fastify';

/** Says that an answer depends on a header of its request, beside those that it is known to depend on. */
export function addVary(reply: FastifyReply, header: string): void {
  const known = reply.getHeader('vary');
  const names = known === undefined ? [] : String(known).split(/, */);
  if (!names.includes(header)) void reply.header('vary', [...names, header].join(', '));
}
