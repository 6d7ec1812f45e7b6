import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Viewer } from '../access/permissions.ts';
import { type AppError, unavailable } from '../core/errors.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import { BodyFault, HttpError, ListBody, maxListEntries, RawBody } from './face.ts';
import { BodyBudget } from './body-budget.ts';
import { atOnce } from './hooks.ts';

/** The longest body in bytes of callers with a token, and of those without: enough for introspection and explorers. */
export const maxBodyBytes = 1024 * 1024;
const maxAnonymousBodyBytes = 64 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Types of bodies that a route takes beside JSON. */
    bodies?: readonly string[] | undefined;
    /** Whether bodies may be compressed with gzip. */
    gzip?: boolean | undefined;
  }
}

const mediaType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const isJson = (contentType: string | undefined): boolean => mediaType.test(contentType ?? '');

/** Accepts JSON in UTF-8 as RFC 8259 has it, uncompressed unless a route takes gzip, and no other body than those that a route names. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const budget = new BodyBudget();
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addHook(
    'onRequest',
    atOnce(({ headers, routeOptions: { config } }) => {
      const encoding = encodingOf(headers);
      if (encoding === 'identity' || (encoding === 'gzip' && config.gzip)) return;
      throw new HttpError(
        415,
        'invalid',
        config.gzip
          ? 'The Content-Encoding must be gzip, or left out.'
          : 'The body must not be compressed: leave Content-Encoding out.',
      );
    }),
  );
  app.addContentTypeParser(
    ['application/json', '*'],
    async ({ headers, raw, viewer, network, routeOptions }: FastifyRequest) => {
      const type = headers['content-type'] ?? '';
      const { bodies } = routeOptions.config;
      const others = !isJson(type);
      if (others && !bodies?.includes(bareType(type)))
        throw new HttpError(
          415,
          'invalid',
          /charset\s*=\s*"?utf8\b/i.test(type)
            ? 'The charset of the Content-Type is written utf-8.'
            : `The Content-Type must be ${['application/json', ...(bodies ?? [])].join(', or ')}.`,
        );
      const sent = await read(raw, viewer, network, budget);
      const body = encodingOf(headers) === 'gzip' ? await inflated(sent, viewer) : sent;
      await eventLoop.enter();
      if (bodies && body.length === 0) return undefined;
      return others ? new RawBody(type, body) : parseJson(body);
    },
  );
}

const bareType = (contentType: string): string => contentType.replace(/;.*$/s, '').trim().toLowerCase();

const encodingOf = (headers: FastifyRequest['headers']): string =>
  headers['content-encoding']?.toLowerCase() ?? 'identity';

const limitOf = (viewer: Viewer | undefined): number => (viewer ? maxBodyBytes : maxAnonymousBodyBytes);

const tooLong = (viewer: Viewer | undefined): AppError =>
  new HttpError(
    413,
    'tooLong',
    `The body may have ${limitOf(viewer)} bytes at most${viewer ? '' : ' without a token'}.`,
  );

/** The limit of a body holds for what it is when it is inflated; nothing beyond it is. */
async function inflated(body: Buffer, viewer: Viewer | undefined): Promise<Buffer> {
  try {
    return body.length === 0 ? body : await promisify(gunzip)(body, { maxOutputLength: limitOf(viewer) });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLong(viewer)
      : fault('The body is not valid gzip.');
  }
}

/** Collects a body within its caller's limit and the budget of all bodies in transit. */
function read(
  payload: IncomingMessage,
  viewer: Viewer | undefined,
  network: string,
  budget: BodyBudget,
): Promise<Buffer> {
  const limit = limitOf(viewer);
  const caller = viewer?.key ?? network;
  if (Number(payload.headers['content-length']) > limit) return Promise.reject(tooLong(viewer));
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let taken = 0;
    const end = (settle: () => void): void => {
      payload.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      budget.give(caller, taken);
      settle();
    };
    const onData = (part: Buffer): void => {
      size += part.length;
      if (size > limit) return end(() => reject(tooLong(viewer)));
      const wanted = BodyBudget.costOf(part);
      if (!budget.take(caller, wanted))
        return end(() =>
          reject(unavailable('Too many bodies are being read at the moment. Try again soon.')),
        );
      taken += wanted;
      parts.push(part);
    };
    const onEnd = (): void =>
      end(() => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    const onClose = (): void => end(() => reject(fault('The body ended before it was complete.')));
    payload.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const fault = (message: string): AppError => new BodyFault(message);

/** Decodes UTF-8 (RFC 3629), with or without a byte order mark. Throws for other bytes. */
function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new TypeError('not UTF-8');
  return body.toString('utf8', hasMark(body) ? 3 : 0);
}

/** Parses a body that is JSON. Keys such as __proto__ stay in the result: the checks of the input refuse them with a path. Lists are not parsed. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw fault('The body must not be empty.');
  const entries = entriesOfList(body, maxListEntries);
  if (entries !== undefined) return new ListBody(entries);
  checkSize(body);
  try {
    return JSON.parse(textOf(body));
  } catch {
    throw fault('The body is not valid JSON in UTF-8.');
  }
}

/** The deepest nesting of a body: deeper than any input, and far from what recursive code can bear. */
const maxDepth = 40;

/** The most values of a body, and keys of each of its objects: more than any resource takes. */
const maxValues = 25_000;
const maxKeys = 5_000;

const [quote, backslash, comma, colon] = [...Buffer.from('"\\,:')];
const blanks = [...Buffer.from(' \t\r\n')];
const [openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('{}[]')];

/** Refuses, by its bytes alone, a body that would be expensive to parse and to walk. */
function checkSize(body: Buffer): void {
  let values = 1;
  /** Counts of the keys of objects that are open, the innermost last; lists stand there too. */
  const keys: number[] = [];
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === quote) index = endOfString(body, index);
    else if (byte === openBrace || byte === openBracket) {
      if (keys.push(0) > maxDepth)
        throw new HttpError(400, 'invalid', `The body may be nested ${maxDepth} levels deep at most.`);
    } else if (byte === closeBrace || byte === closeBracket) keys.pop();
    else if (byte === comma) {
      if ((values += 1) > maxValues) throw tooMany(`The body may hold ${maxValues} values at most.`);
    } else if (byte === colon) {
      const count = (keys.pop() ?? 0) + 1;
      if (count > maxKeys) throw tooMany(`An object may have ${maxKeys} keys at most.`);
      keys.push(count);
    }
  }
}

const tooMany = (message: string): AppError => new HttpError(400, 'tooMany', message);

/** Counts the entries of a list by its commas, up to `most`; an empty one counts as one entry. Undefined for any other body. */
function entriesOfList(body: Buffer, most: number): number | undefined {
  let index = hasMark(body) ? 3 : 0;
  while (blanks.includes(body[index] as number)) index += 1;
  if (body[index] !== openBracket) return undefined;
  let entries = 1;
  for (let depth = 0; index < body.length && entries < most; index += 1) {
    const byte = body[index];
    if (byte === quote) index = endOfString(body, index);
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === comma && depth === 1) entries += 1;
  }
  return entries;
}

/** Whether a body begins with a byte order mark. */
const hasMark = (body: Buffer): boolean => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/** Index of the quote that ends a string. */
function endOfString(body: Buffer, start: number): number {
  let index = start + 1;
  while (index < body.length && body[index] !== quote) index += body[index] === backslash ? 2 : 1;
  return index;
}
