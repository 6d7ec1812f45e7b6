import type { FastifyInstance, FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

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

/** Files of pages; what else comes as a stream is events, which must not wait for each other. */
const compressibleFile = /^(text\/(html|css|javascript)|application\/(javascript|json)|image\/svg\+xml)\b/;

/** Compresses answers of 1 kB and more for clients that ask for it. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const accept = request.headers['accept-encoding'];
    if (reply.hasHeader('content-encoding')) return done(null, payload);
    if (payload instanceof Readable) return done(null, compressedFile(reply, payload, accept));
    if (typeof payload !== 'string' || !isWorthCompressing(payload)) return done(null, payload);
    addVary(reply);
    if (accept === undefined) return done(null, payload);
    compressed(payload, accept).then(
      (packed) => {
        if (packed) void reply.header('content-encoding', packed.encoding).removeHeader('content-length');
        done(null, packed?.bytes ?? payload);
      },
      (error: Error) => done(error),
    );
  });
}

export const isWorthCompressing = (text: string): boolean => text.length >= minBytes;

/** A text in the encoding that Accept-Encoding prefers; undefined where that is the text as it is. */
export async function compressed(text: string, accept: string): Promise<{ readonly bytes: Buffer; readonly encoding: string } | undefined> {
  const encoding = preferred(accept);
  return encoding && { bytes: await compressors[encoding](Buffer.from(text)), encoding };
}

/** A file of a page, never a part of one. */
function compressedFile(reply: FastifyReply, file: Readable, accept: string | undefined): Readable {
  const size = Number(reply.getHeader('content-length') ?? 0);
  if (reply.statusCode !== 200 || size < minBytes || !compressibleFile.test(String(reply.getHeader('content-type')))) return file;
  addVary(reply);
  const encoding = accept === undefined ? undefined : preferred(accept);
  if (!encoding) return file;
  void reply.header('content-encoding', encoding).removeHeader('content-length');
  // A file that breaks off breaks the answer off as well: the pipeline ends both streams.
  return pipeline(file, streamCompressors[encoding](size), () => undefined);
}

function preferred(accept: string): keyof typeof compressors | undefined {
  const best = new Negotiator({ headers: { 'accept-encoding': accept } }).encoding(['br', 'gzip', 'identity']);
  return best === 'br' || best === 'gzip' ? best : undefined;
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}
