import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Viewer } from '../access/permissions.ts';
import { type AppError, serviceUnavailableError } from '../core/errors.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import { Counts } from '../core/runtime/limits.ts';
import { BodyError, HttpError, ListBody, maxListEntries, mediaTypeOf, RawBody } from './face.ts';

/** Maximum body size for callers with a token, and for anonymous ones, who need no more for introspection and explorers. */
export const maxBodyBytes = 1024 * 1024;
const maxAnonymousBodyBytes = 64 * 1024;

/** Maximum number of bytes in memory at once: of all callers together, and of one. */
const maxTotalBytes = 64 * 1024 * 1024;
const maxBytesPerCaller = 16 * 1024 * 1024;
/** Overhead of a chunk in bytes, so that many tiny chunks are not free. */
const chunkOverheadBytes = 256;

/** Limits the memory of bodies and events in transit, for any number of slow clients. */
export class BodyBudget {
  readonly #reserved = new Counts();

  /** Returns the bytes to reserve for a chunk. */
  static computeReservedBytes(chunk: Buffer): number {
    return chunk.length + chunkOverheadBytes;
  }

  /** Reserves bytes for a caller. Returns false and reserves nothing if too few are left. */
  reserve(caller: string, bytes: number): boolean {
    const hasRoom =
      this.#reserved.countOf(caller) + bytes <= maxBytesPerCaller &&
      this.#reserved.total + bytes <= maxTotalBytes;
    if (hasRoom) this.#reserved.add(caller, bytes);
    return hasRoom;
  }

  release(caller: string, bytes: number): void {
    this.#reserved.subtract(caller, bytes);
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media types of bodies that a route accepts besides JSON. */
    bodyTypes?: readonly string[] | undefined;
    /** Whether bodies of a route may be compressed with gzip. */
    acceptsGzip?: boolean | undefined;
  }
}

const jsonTypePattern = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const isJson = (contentType: string | undefined): boolean => jsonTypePattern.test(contentType ?? '');

/** Accepts JSON in UTF-8 (RFC 8259) and the body types of a route; uncompressed, unless a route accepts gzip. */
export function addBodyParsers(app: FastifyInstance): void {
  const budget = new BodyBudget();
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addHook('onRequest', ({ headers, routeOptions: { config } }, _reply, done) => {
    const encoding = encodingOf(headers);
    if (encoding === 'identity' || (encoding === 'gzip' && config.acceptsGzip)) return done();
    throw new HttpError(
      415,
      'invalid',
      config.acceptsGzip
        ? 'The Content-Encoding must be gzip, or left out.'
        : 'The body must not be compressed: leave Content-Encoding out.',
    );
  });
  app.addContentTypeParser(
    ['application/json', '*'],
    async ({ headers, raw, viewer, network, routeOptions }: FastifyRequest) => {
      const type = headers['content-type'] ?? '';
      const { bodyTypes } = routeOptions.config;
      const isRaw = !isJson(type);
      if (isRaw && !bodyTypes?.includes(mediaTypeOf(type)))
        throw new HttpError(
          415,
          'invalid',
          /charset\s*=\s*"?utf8\b/i.test(type)
            ? 'The charset of the Content-Type is written utf-8.'
            : `The Content-Type must be ${['application/json', ...(bodyTypes ?? [])].join(', or ')}.`,
        );
      const receivedBytes = await readBytes(raw, viewer, network, budget);
      const body = encodingOf(headers) === 'gzip' ? await inflateBody(receivedBytes, viewer) : receivedBytes;
      await eventLoop.enter();
      if (bodyTypes && body.length === 0) return undefined;
      return isRaw ? new RawBody(type, body) : parseJson(body);
    },
  );
}

const encodingOf = (headers: FastifyRequest['headers']): string =>
  headers['content-encoding']?.toLowerCase() ?? 'identity';

const maxBytesFor = (viewer: Viewer | undefined): number => (viewer ? maxBodyBytes : maxAnonymousBodyBytes);

const tooLongError = (viewer: Viewer | undefined): AppError =>
  new HttpError(
    413,
    'tooLong',
    `The body may have ${maxBytesFor(viewer)} bytes at most${viewer ? '' : ' without a token'}.`,
  );

/** Inflates a body, up to the limit that applies to uncompressed bodies. */
async function inflateBody(body: Buffer, viewer: Viewer | undefined): Promise<Buffer> {
  try {
    return body.length === 0 ? body : await promisify(gunzip)(body, { maxOutputLength: maxBytesFor(viewer) });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLongError(viewer)
      : new BodyError('The body is not valid gzip.');
  }
}

/** Reads a body into memory, within the limits of its caller. */
function readBytes(
  request: IncomingMessage,
  viewer: Viewer | undefined,
  network: string,
  budget: BodyBudget,
): Promise<Buffer> {
  const maxBytes = maxBytesFor(viewer);
  const caller = viewer?.key ?? network;
  if (Number(request.headers['content-length']) > maxBytes) return Promise.reject(tooLongError(viewer));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    let reservedBytes = 0;
    const stopReading = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      budget.release(caller, reservedBytes);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      byteCount += chunk.length;
      if (byteCount > maxBytes) return stopReading(() => reject(tooLongError(viewer)));
      const chunkBytes = BodyBudget.computeReservedBytes(chunk);
      if (!budget.reserve(caller, chunkBytes))
        return stopReading(() =>
          reject(serviceUnavailableError('Too many bodies are being read at the moment. Try again soon.')),
        );
      reservedBytes += chunkBytes;
      chunks.push(chunk);
    };
    const onEnd = (): void =>
      stopReading(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = (): void =>
      stopReading(() => reject(new BodyError('The body ended before it was complete.')));
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/** Decodes UTF-8 (RFC 3629), with or without a byte order mark. Throws for other bytes. */
function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw new TypeError('not UTF-8');
  return body.toString('utf8', hasByteOrderMark(body) ? byteOrderMarkLength : 0);
}

/** Parses a JSON body. Keys such as __proto__ are kept, because the input checks refuse them with a path. Lists are only counted. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new BodyError('The body must not be empty.');
  const entryCount = countListEntries(body, maxListEntries);
  if (entryCount !== undefined) return new ListBody(entryCount);
  checkStructure(body);
  try {
    return JSON.parse(decodeText(body));
  } catch {
    throw new BodyError('The body is not valid JSON in UTF-8.');
  }
}

/** Maximum nesting of a body: deeper than any input, and far below the limit of recursion. */
const maxDepth = 40;

/** Maximum number of values in a body, and of keys per object: more than any resource accepts. */
const maxValues = 25_000;
const maxKeys = 5_000;

const [quote, backslash, comma, colon] = [...Buffer.from('"\\,:')];
const whiteSpaceBytes = [...Buffer.from(' \t\r\n')];
const [openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('{}[]')];

/** Refuses a body that would be expensive to parse and traverse, without parsing it. */
function checkStructure(body: Buffer): void {
  let valueCount = 1;
  /** Number of keys of each open object (0 for lists), innermost last. */
  const keyCounts: number[] = [];
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === quote) index = findStringEnd(body, index);
    else if (byte === openBrace || byte === openBracket) {
      if (keyCounts.push(0) > maxDepth)
        throw new HttpError(400, 'invalid', `The body may be nested ${maxDepth} levels deep at most.`);
    } else if (byte === closeBrace || byte === closeBracket) keyCounts.pop();
    else if (byte === comma) {
      if ((valueCount += 1) > maxValues)
        throw tooManyItemsError(`The body may hold ${maxValues} values at most.`);
    } else if (byte === colon) {
      const keyCount = (keyCounts.pop() ?? 0) + 1;
      if (keyCount > maxKeys) throw tooManyItemsError(`An object may have ${maxKeys} keys at most.`);
      keyCounts.push(keyCount);
    }
  }
}

const tooManyItemsError = (message: string): AppError => new HttpError(400, 'tooMany', message);

/** Counts the entries of a JSON list by its commas, up to `maxCount`; an empty list counts as 1. Undefined for any other body. */
function countListEntries(body: Buffer, maxCount: number): number | undefined {
  let index = hasByteOrderMark(body) ? byteOrderMarkLength : 0;
  while (whiteSpaceBytes.includes(body[index] as number)) index += 1;
  if (body[index] !== openBracket) return undefined;
  let entryCount = 1;
  for (let depth = 0; index < body.length && entryCount < maxCount; index += 1) {
    const byte = body[index];
    if (byte === quote) index = findStringEnd(body, index);
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === comma && depth === 1) entryCount += 1;
  }
  return entryCount;
}

const byteOrderMarkLength = 3;

const hasByteOrderMark = (body: Buffer): boolean => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/** Returns the index of the quote that ends the string beginning at `start`. */
function findStringEnd(body: Buffer, start: number): number {
  let index = start + 1;
  while (index < body.length && body[index] !== quote) index += body[index] === backslash ? 2 : 1;
  return index;
}
