import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

/** How deep a body may be nested: deeper than any input, and far from what recursive code can bear. */
const maxDepth = 40;

const mediaType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A request body this server does not read. */
class UnsupportedBody extends Error {
  readonly statusCode = 415;
}

/** Reads bodies as strictly as RFC 8259 has it: JSON in UTF-8, not compressed. Nothing else is read. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new UnsupportedBody('The body must not be compressed: leave Content-Encoding out.');
    }
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async ({ headers }: FastifyRequest, body: Buffer) => {
    if (!mediaType.test(headers['content-type'] ?? '')) throw new UnsupportedBody('The Content-Type must be application/json.');
    return parse(body);
  });
}

const fault = (message: string): AppError => new AppError('BAD_USER_INPUT', 'invalid', message);

/** Keys such as __proto__ are kept: the checks of the input refuse them with a path. */
function parse(body: Buffer): unknown {
  if (body.length === 0) throw fault('The body must not be empty.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw fault('The body is not valid JSON in UTF-8.');
  }
  if (isDeeper(value, maxDepth)) throw fault(`The body may be nested ${maxDepth} levels deep at most.`);
  return value;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
