import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

type HookFunction = (request: FastifyRequest, reply: FastifyReply) => void;

/** Wraps a synchronous hook; a promise for each hook and request would cost more than most hooks. */
export const syncHook =
  (hook: HookFunction) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    hook(request, reply);
    done();
  };

/** Wraps a synchronous `onSend` hook that does not change the payload. */
export const syncSendHook =
  (hook: HookFunction) =>
  (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: HookHandlerDoneFunction): void => {
    hook(request, reply);
    done();
  };

/** Adds a header's name to `Vary`, once. */
export function addVary(reply: FastifyReply, header: string): void {
  const varyHeader = reply.getHeader('vary');
  const names = varyHeader === undefined ? [] : String(varyHeader).split(/, */);
  if (!names.includes(header)) void reply.header('vary', [...names, header].join(', '));
}
