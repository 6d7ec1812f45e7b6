import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { isLoopbackHost } from '../core/text/host.ts';
import type { Face } from './face.ts';

/** Time for which browsers cache the result of a preflight. */
const preflightSeconds = 600;

const apolloExplorerOrigin = 'https://studio.apollographql.com';

/** Headers that pages may send: those of GraphQL clients and of tracing. */
const defaultRequestHeaders = (
  'accept content-type authorization apollo-require-preflight x-apollo-operation-name last-event-id ' +
  'apollographql-client-name apollographql-client-version traceparent tracestate baggage sentry-trace'
).split(' ');

/** Allows pages of these origins to call the gateway; in the demo also pages of this machine and Apollo's explorer. */
export async function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  isDemo: boolean,
  faces: readonly Face[],
): Promise<void> {
  const allowedOrigins = new Set(isDemo ? [apolloExplorerOrigin, ...origins] : origins);
  /** Merges the defaults with the values that the faces add. */
  const mergeFaceValues = (name: keyof NonNullable<Face['cors']>, defaults: readonly string[]): string[] => [
    ...new Set([...defaults, ...faces.flatMap((face) => face.cors?.[name] ?? [])]),
  ];
  await app.register(cors, {
    origin: (origin, callback) =>
      callback(
        null,
        origin !== undefined && (allowedOrigins.has(origin) || (isDemo && isLoopbackOrigin(origin))),
      ),
    methods: mergeFaceValues('methods', ['GET', 'HEAD', 'POST']),
    allowedHeaders: mergeFaceValues('requestHeaders', defaultRequestHeaders),
    exposedHeaders: mergeFaceValues('exposedHeaders', ['x-request-id', 'retry-after', 'www-authenticate']),
    maxAge: preflightSeconds,
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
