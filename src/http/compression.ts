import Negotiator from 'negotiator';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addVary } from './hooks.ts';

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
  br: (body: string | Buffer) => brotlied(body, brotliOptions(body.length)),
  gzip: (body: string | Buffer) => gzipped(body, gzipOptions),
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
    compressors[encoding](payload as string | Buffer).then(compressed, (error: Error) => done(error));
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
