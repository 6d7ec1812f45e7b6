import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { isLoopbackHost } from '../core/text/address.ts';
import type { Face } from './face.ts';

const sandboxOrigin = 'https://studio.apollographql.com';

const requestHeaders = (
  'accept content-type authorization apollo-require-preflight x-apollo-operation-name last-event-id ' +
  'apollographql-client-name apollographql-client-version traceparent tracestate baggage sentry-trace'
).split(' ');

/** Allows pages of these origins to call the gateway; in the demo also those of this machine and Apollo's explorer. */
export async function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  demo: boolean,
  faces: readonly Face[],
): Promise<void> {
  const allowed = new Set(demo ? [sandboxOrigin, ...origins] : origins);
  const withThoseOf = (kind: keyof NonNullable<Face['origins']>, usual: readonly string[]): string[] => [
    ...new Set([...usual, ...faces.flatMap((face) => face.origins?.[kind] ?? [])]),
  ];
  await app.register(cors, {
    origin: (origin, answer) =>
      answer(null, origin !== undefined && (allowed.has(origin) || (demo && isLoopbackOrigin(origin)))),
    methods: withThoseOf('methods', ['GET', 'HEAD', 'POST']),
    allowedHeaders: withThoseOf('requestHeaders', requestHeaders),
    exposedHeaders: withThoseOf('exposedHeaders', ['x-request-id', 'retry-after', 'www-authenticate']),
    maxAge: 600,
    strictPreflight: false,
  });
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return (
    url !== undefined &&
    url.origin === origin &&
    ['http:', 'https:'].includes(url.protocol) &&
    isLoopbackHost(url.hostname)
  );
}
