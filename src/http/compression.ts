import Negotiator from 'negotiator';
import cors from '@fastify/cors';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isLoopbackHost } from '../core/text/address.ts';
import { addVary } from './callers.ts';
import type { Face } from './face.ts';

/** Shorter answers are sent as they are. */
const minBytes = 1024;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Levels that take about as long as gzip's default; compression runs outside the event loop. */
const gzipOptions = { level: 6 };
const brotliOptions = (size: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size },
});
const compressors = {
  br: (bytes: Buffer) => brotlied(bytes, brotliOptions(bytes.length)),
  gzip: (bytes: Buffer) => gzipped(bytes, gzipOptions),
} as const;
const streamCompressors = {
  br: (size: number) => createBrotliCompress(brotliOptions(size)),
  gzip: () => createGzip(gzipOptions),
} as const;

type Encoding = keyof typeof compressors;

/** Files of pages. Other streams are events, which compression would delay. */
const compressibleFile = /^(text\/(html|css|javascript)|application\/(javascript|json)|image\/svg\+xml)\b/;

/** Compresses answers of 1 kB and more for clients that accept it. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(reply, payload);
    if (size < minBytes) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (!encoding) return done(null, payload);
    const compressed = (body: unknown): void => {
      void reply.header('content-encoding', encoding).removeHeader('content-length');
      done(null, body);
    };
    // When the file breaks off, the pipeline ends the answer as well.
    if (payload instanceof Readable)
      return compressed(pipeline(payload, streamCompressors[encoding](size), () => undefined));
    compress(payload as string | Buffer, encoding).then(compressed, (error: Error) => done(error));
  });
}

/** The size of an answer in characters or bytes; 0 for one that is never compressed, such as a part of a file. */
function sizeOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  const isFile =
    payload instanceof Readable &&
    reply.statusCode === 200 &&
    compressibleFile.test(String(reply.getHeader('content-type')));
  return isFile ? Number(reply.getHeader('content-length') ?? 0) : 0;
}

const compress = (body: string | Buffer, encoding: Encoding): Promise<Buffer> =>
  compressors[encoding](typeof body === 'string' ? Buffer.from(body) : body);

/** The encoding that Accept-Encoding prefers; undefined for none. */
function encodingFor(accept: string | undefined): Encoding | undefined {
  if (accept === undefined) return undefined;
  const best = new Negotiator({ headers: { 'accept-encoding': accept } }).encoding([
    'br',
    'gzip',
    'identity',
  ]);
  return best === 'br' || best === 'gzip' ? best : undefined;
}

const sandboxOrigin = 'https://studio.apollographql.com';

const requestHeaders = [
  ...[
    'accept',
    'content-type',
    'authorization',
    'apollo-require-preflight',
    'x-apollo-operation-name',
    'last-event-id',
  ],
  ...['apollographql-client-name', 'apollographql-client-version'],
  ...['traceparent', 'tracestate', 'baggage', 'sentry-trace'],
];

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
