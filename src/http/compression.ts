import type { FastifyInstance, FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Shorter answers are not worth the work. */
const minBytes = 1024;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Levels that take about the time gzip takes by default; the work is done outside the event loop. */
const compressors = {
  br: (bytes: Buffer) => brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gzip: (bytes: Buffer) => gzipped(bytes, { level: 6 }),
} as const;

/** Compresses answers of 1 kB and more for clients that ask for it. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !isWorthCompressing(payload) || reply.hasHeader('content-encoding')) return done(null, payload);
    addVary(reply);
    const accept = request.headers['accept-encoding'];
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
  const best = new Negotiator({ headers: { 'accept-encoding': accept } }).encoding(['br', 'gzip', 'identity']);
  return best === 'br' || best === 'gzip' ? { bytes: await compressors[best](Buffer.from(text)), encoding: best } : undefined;
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}
