import { isFields } from '../../../core/kernel/patch.ts';
import { HttpError, ListBody, type HttpRequest, type RequestHead } from '../../../http/face.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The parameters of a GraphQL request (GraphQL over HTTP, section 5). */
export interface Params {
  readonly query: string | undefined;
  readonly variables: Fields;
  readonly operationName: string | undefined;
  /** The SHA-256 of a document that the client sent before, or sends now to be remembered. */
  readonly persisted: string | undefined;
}

/** A request that is no GraphQL request, refused with this HTTP status. */
export class RequestFault extends HttpError {
  constructor(message: string, status = 400, headers: HttpError['headers'] = {}) {
    super(status, 'invalid', message, headers);
  }
}

/** Refuses a list of operations. The answer is a list as well: batching clients look for an error at each operation. */
export class BatchFault extends RequestFault {
  readonly entries: number;

  constructor({ entries }: ListBody) {
    super(
      'The body must be one JSON object: batching is not supported. Send each operation in a request of its own.',
    );
    this.entries = entries;
  }
}

/** Reads the parameters of a request. Throws RequestFault for a request that is no GraphQL request. */
export function readParams(request: HttpRequest): Params {
  if (request.method === 'POST') return paramsOf(objectOf(request.body));
  forbidSimpleRequests(request);
  const search = new URLSearchParams(request.search);
  const once = (name: string): string | undefined => {
    const [value, ...more] = search.getAll(name);
    if (more.length > 0) throw new RequestFault(`The parameter ${name} may be given once only.`);
    return value;
  };
  return paramsOf({
    query: once('query'),
    operationName: once('operationName'),
    variables: jsonOf('variables', once('variables')),
    extensions: jsonOf('extensions', once('extensions')),
  });
}

function objectOf(body: unknown): Fields {
  if (body instanceof ListBody) throw new BatchFault(body);
  if (!isFields(body))
    throw new RequestFault(
      'The body must be one JSON object with query and, where needed, variables and operationName.',
    );
  return body;
}

function paramsOf({ query, variables, operationName, extensions }: Fields): Params {
  for (const [name, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isFields(value))
      throw new RequestFault(`${name} must be a JSON object.`);
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new RequestFault('operationName must be a string.');
  }
  const persisted = isFields(extensions) ? hashOf(extensions.persistedQuery) : undefined;
  if (typeof query === 'string' ? query.trim() === '' : query !== undefined || persisted === undefined) {
    throw new RequestFault('A request needs a query: a string that holds a GraphQL document.');
  }
  return {
    query: typeof query === 'string' ? query : undefined,
    variables: isFields(variables) ? variables : {},
    operationName: operationName ?? undefined,
    persisted,
  };
}

function hashOf(persistedQuery: unknown): string | undefined {
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const { version, sha256Hash } = isFields(persistedQuery) ? persistedQuery : {};
  if (version === 1 && typeof sha256Hash === 'string' && /^[\da-f]{64}$/i.test(sha256Hash))
    return sha256Hash.toLowerCase();
  throw new RequestFault(
    'extensions.persistedQuery must hold version 1 and sha256Hash, 64 hexadecimal digits.',
  );
}

function jsonOf(name: string, value: string | undefined): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new RequestFault(`The parameter ${name} must be JSON.`);
  }
}

/** Headers that a page of another origin can set only after a preflight request. */
const preflighted = ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'];

/** Refuses a GET that a page of another origin could make a browser send: it must carry one of the headers above. */
function forbidSimpleRequests({ headers }: RequestHead): void {
  const json = /^application\/json\b/i.test(headerOf(headers['content-type']) ?? '');
  if (json || preflighted.some((name) => headerOf(headers[name]))) return;
  throw new RequestFault(
    `This GET could come from a foreign page (CSRF). Send one of these headers with it: ${preflighted.join(', ')}.`,
  );
}

/** The value of a header; several values are joined. */
export const headerOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(', ');
