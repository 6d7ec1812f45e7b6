import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

type Work = (request: FastifyRequest, reply: FastifyReply) => void;

/** A hook whose work is done at once: a promise for each hook and request would cost more than most of them do. */
export const atOnce =
  (work: Work) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    work(request, reply);
    done();
  };

/** The same before an answer is sent, which it leaves as it is. */
export const beforeSending =
  (work: Work) =>
  (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: HookHandlerDoneFunction): void => {
    work(request, reply);
    done();
  };
