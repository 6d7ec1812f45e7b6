import Negotiator from 'negotiator';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addVary } from './errors.ts';

/** Responses below this size are sent uncompressed. */
const minCompressedBytes = 1024;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Brotli's quality takes about as long as gzip's default level. Compression runs outside the event loop. */
const gzipOptions = { level: 6 };
const brotliOptions = (size: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size },
});
/** Compress a response in memory, by the name of the content encoding. */
const compressors = {
  br: (body: string | Buffer) => brotliAsync(body, brotliOptions(body.length)),
  gzip: (body: string | Buffer) => gzipAsync(body, gzipOptions),
} as const;
const streamCompressors = {
  br: (size: number) => createBrotliCompress(brotliOptions(size)),
  gzip: () => createGzip(gzipOptions),
} as const;

type Encoding = keyof typeof compressors;

/** Media types of streamed files and feeds. Other streams are events, which compression would delay. */
const compressibleTypePattern =
  /^(text\/(html|css|javascript|calendar)|application\/(javascript|json)|image\/svg\+xml)\b/;

/** Compresses responses of 1 kB and more for clients that accept it. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = measureResponse(reply, payload);
    if (size < minCompressedBytes) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const encoding = negotiateEncoding(request.headers['accept-encoding']);
    if (!encoding) return done(null, payload);
    const sendCompressed = (body: unknown): void => {
      // The time limit may have responded during the compression; a second response would end the process.
      if (reply.raw.headersSent) return;
      void reply.header('content-encoding', encoding).removeHeader('content-length');
      done(null, body);
    };
    // The pipeline also ends the response if reading the file fails.
    if (payload instanceof Readable)
      return sendCompressed(pipeline(payload, streamCompressors[encoding](size), () => undefined));
    compressors[encoding](payload as string | Buffer).then(sendCompressed, (error: Error) => done(error));
  });
}

/** Measures a response in characters or bytes; 0 for responses that are never compressed, such as a range of a file. */
function measureResponse(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  const isCompressibleStream =
    payload instanceof Readable &&
    reply.statusCode === 200 &&
    compressibleTypePattern.test(String(reply.getHeader('content-type')));
  // Feeds have no length, as they are sent while they are written.
  return isCompressibleStream ? Number(reply.getHeader('content-length') ?? minCompressedBytes) : 0;
}

function negotiateEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const bestEncoding = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encoding([
    'br',
    'gzip',
    'identity',
  ]);
  return bestEncoding === 'br' || bestEncoding === 'gzip' ? bestEncoding : undefined;
}
