import type { FastifyInstance, FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { addVary } from './vary.ts';

/** Shorter answers are not worth the work. */
const minBytes = 1024;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Levels that take about the time gzip takes by default; the work is done outside the event loop. */
const gzipOptions = { level: 6 };
const brotliOptions = (size: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size } });
const compressors = {
  br: (bytes: Buffer) => brotlied(bytes, brotliOptions(bytes.length)),
  gzip: (bytes: Buffer) => gzipped(bytes, gzipOptions),
} as const;
const streamCompressors = {
  br: (size: number) => createBrotliCompress(brotliOptions(size)),
  gzip: () => createGzip(gzipOptions),
} as const;

type Encoding = keyof typeof compressors;

/** Files of pages; what else comes as a stream is events, which must not wait for each other. */
const compressibleFile = /^(text\/(html|css|javascript)|application\/(javascript|json)|image\/svg\+xml)\b/;

/** Compresses answers of 1 kB and more for clients that ask for it. */
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
    // A file that breaks off breaks the answer off as well: the pipeline ends both streams.
    if (payload instanceof Readable) return compressed(pipeline(payload, streamCompressors[encoding](size), () => undefined));
    compress(payload as string, encoding).then(compressed, (error: Error) => done(error));
  });
}

/** 0 for what is never compressed, a part of a file included. */
function sizeOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string') return payload.length;
  const isFile = payload instanceof Readable && reply.statusCode === 200 && compressibleFile.test(String(reply.getHeader('content-type')));
  return isFile ? Number(reply.getHeader('content-length') ?? 0) : 0;
}

const compress = (text: string, encoding: Encoding): Promise<Buffer> => compressors[encoding](Buffer.from(text));

/** What Accept-Encoding prefers; undefined where that is the answer as it is. */
function encodingFor(accept: string | undefined): Encoding | undefined {
  if (accept === undefined) return undefined;
  const best = new Negotiator({ headers: { 'accept-encoding': accept } }).encoding(['br', 'gzip', 'identity']);
  return best === 'br' || best === 'gzip' ? best : undefined;
}
