import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
    if (typeof payload !== 'string' || payload.length < minBytes || reply.hasHeader('content-encoding')) return done(null, payload);
    addVary(reply);
    const encoding = wanted(request);
    if (!encoding) return done(null, payload);
    compressors[encoding](Buffer.from(payload)).then(
      (bytes) => {
        void reply.header('content-encoding', encoding).removeHeader('content-length');
        done(null, bytes);
      },
      (error: Error) => done(error),
    );
  });
}

function wanted({ headers }: FastifyRequest): keyof typeof compressors | undefined {
  const accept = headers['accept-encoding'];
  if (accept === undefined) return undefined;
  const best = new Negotiator({ headers: { 'accept-encoding': accept } }).encoding(['br', 'gzip', 'identity']);
  return best === 'br' || best === 'gzip' ? best : undefined;
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}
