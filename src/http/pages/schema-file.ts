import type { FastifyInstance } from 'fastify';
import type { TokenVerifier } from '../../access/token.ts';
import type { RateLimiter } from '../../core/runtime/rate-limit.ts';
import { admit, type Introspection } from '../../faces/graphql/request/operation-scopes.ts';
import { callerHooks } from '../callers.ts';

export interface SchemaFileParts {
  readonly verify: TokenVerifier;
  readonly limiter: RateLimiter | undefined;
  readonly introspection: Introspection;
  readonly sdl: () => string;
}

/** The schema as a file, at `/schema.graphql`, for whoever may introspect. */
export function addSchemaFile(app: FastifyInstance, { verify, limiter, introspection, sdl }: SchemaFileParts): void {
  let file: string | undefined;
  app.get('/schema.graphql', callerHooks(verify, limiter), async ({ viewer }, reply) => {
    admit(viewer, { rules: [], introspects: true, rootFields: [] }, introspection);
    return reply.type('application/graphql; charset=utf-8').send((file ??= sdl()));
  });
}
