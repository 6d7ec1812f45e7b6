import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { atOnce, beforeSending } from './hooks.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** True once the server is going to stop: it is not ready, so that load balancers send their requests elsewhere. */
    readonly stopping: () => boolean;
    /** Has the server be not ready, and serve as before, until it is drained. */
    announceStop(): void;
    /** True once no new connection is accepted. */
    readonly draining: () => boolean;
    /** To be awaited before `close`: ends when no connection is left, or when the time is over. */
    drain(graceMs?: number): Promise<void>;
    /** Has something end as soon as the server drains. */
    onDrain(end: () => void): void;
  }
}

/** How long clients with an open connection have to send one more request on it, and to be told to close it. */
const defaultGraceMs = 2000;
/** And how long after that the last requests have to be answered. */
const answeringMs = 2000;
const pollMs = 20;

/**
 * Lets a server end without losing a request. Nothing new is accepted and each answer asks its client to close the
 * connection; silent connections stay open for the grace, since a request may be on its way on any of them. Then only
 * requests that have arrived are waited for: connections on which none did are cut by `close`.
 */
export function addDrain(app: FastifyInstance): void {
  let [stopping, draining] = [false, false];
  const ends = new Set<() => void>();
  /** Requests that arrived in full and are not answered yet. */
  const working = new Set<IncomingMessage>();
  app.addHook('preHandler', atOnce(({ raw }, reply) => {
    working.add(raw); // its body is there
    reply.raw.once('close', () => working.delete(raw));
  }));
  app.addHook('onSend', beforeSending((_request, reply) => {
    if (draining) void reply.header('connection', 'close');
  }));
  app.decorate('stopping', () => stopping);
  app.decorate('announceStop', () => void (stopping = true));
  app.decorate('draining', () => draining);
  app.decorate('onDrain', (end: () => void) => void ends.add(end));
  app.decorate('drain', async (graceMs = defaultGraceMs) => {
    [stopping, draining] = [true, true];
    // Not the server's own `close`: that of HTTP servers cuts silent connections at once.
    Server.prototype.close.call(app.server);
    for (const end of ends) end();
    for (let waited = 0; waited < graceMs && (await connections(app)) > 0; waited += pollMs) await pause(pollMs);
    for (let waited = 0; waited < answeringMs && working.size > 0; waited += pollMs) await pause(pollMs);
  });
}

const connections = ({ server }: FastifyInstance): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
