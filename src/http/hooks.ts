import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

type Work = (request: FastifyRequest, reply: FastifyReply) => void;

/** A synchronous hook: a promise for each hook and request would cost more than most hooks do. */
export const atOnce =
  (work: Work) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    work(request, reply);
    done();
  };

/** A synchronous hook that runs before an answer is sent, and leaves its body as it is. */
export const beforeSending =
  (work: Work) =>
  (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: HookHandlerDoneFunction): void => {
    work(request, reply);
    done();
  };

/** Adds a request header to the response's `Vary`. */
export function addVary(reply: FastifyReply, header: string): void {
  const known = reply.getHeader('vary');
  const names = known === undefined ? [] : String(known).split(/, */);
  if (!names.includes(header)) void reply.header('vary', [...names, header].join(', '));
}
