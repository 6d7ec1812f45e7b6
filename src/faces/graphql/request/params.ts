import Negotiator from 'negotiator';
import { type Fields, isFields } from '../../../core/json.ts';
import { type Framing, HttpError, type HttpRequest, ListBody, type RequestHead } from '../../../http/face.ts';

/** Reconnection delay (ms) for clients of server-sent events without a setting of their own. */
const retryMs = 2_000;

/** Framing of GraphQL over server-sent events, distinct connections mode. */
export const serverSentEvents: Framing = {
  type: 'text/event-stream; charset=utf-8',
  start: `retry: ${retryMs}\n\n`, // some browsers report a stream as open only after the first byte
  heartbeat: ':\n\n',
  frame: ({ id, data }) => `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${data}\n\n`,
  end: 'event: complete\ndata:\n\n',
};

const boundary = 'graphql';
const delimiter = `--${boundary}`;

/** Writes a part and the next delimiter, because clients process a part when that delimiter arrives. */
const writePart = (json: string): string =>
  `\r\nContent-Type: application/json\r\n\r\n${json}\r\n${delimiter}`;

/** Framing of Apollo's multipart protocol. Clients search for the delimiter as text, so it is escaped in JSON strings. */
const multipart: Framing = {
  type: `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`,
  start: `${delimiter}${writePart('{}')}`,
  heartbeat: writePart('{}'),
  frame({ data, isEnd }) {
    const json = data.replaceAll(delimiter, `\\u002d-${boundary}`);
    return writePart(isEnd ? `{"payload":null,${json.slice(1)}` : `{"payload":${json}}`);
  },
  end: '--\r\n',
};

/** Parameters of a GraphQL request (GraphQL over HTTP, section 5). */
export type Params = ReturnType<typeof validateParams>;

/** Thrown for a request that is not a well-formed GraphQL request. */
export class RequestError extends HttpError {
  constructor(message: string, status = 400, headers: HttpError['headers'] = {}) {
    super(status, 'invalid', message, headers);
  }
}

/** Thrown for a list of operations. The response is a list too, since batching clients expect an error for each operation. */
export class BatchError extends RequestError {
  readonly entryCount: number;

  constructor({ entryCount }: ListBody) {
    super(
      'The body must be one JSON object: batching is not supported. Send each operation in a request of its own.',
    );
    this.entryCount = entryCount;
  }
}

/** Reads the parameters of a request from its body, or for a GET from its query. */
export function readParams(request: HttpRequest): Params {
  if (request.method === 'POST') return validateParams(requireObject(request.body));
  forbidSimpleRequests(request);
  const search = new URLSearchParams(request.search);
  const readOnce = (name: string): string | undefined => {
    const [value, ...duplicates] = search.getAll(name);
    if (duplicates.length > 0) throw new RequestError(`The parameter ${name} may be given once only.`);
    return value;
  };
  return validateParams({
    query: readOnce('query'),
    operationName: readOnce('operationName'),
    documentId: readOnce('documentId'),
    variables: parseJson('variables', readOnce('variables')),
    extensions: parseJson('extensions', readOnce('extensions')),
  });
}

function requireObject(body: unknown): Fields {
  if (body instanceof ListBody) throw new BatchError(body);
  if (!isFields(body))
    throw new RequestError(
      'The body must be one JSON object with query and, where needed, variables and operationName.',
    );
  return body;
}

function validateParams({ query, variables, operationName, documentId, extensions }: Fields) {
  for (const [name, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isFields(value))
      throw new RequestError(`${name} must be a JSON object.`);
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new RequestError('operationName must be a string.');
  }
  const persistedHash = isFields(extensions) ? readPersistedHash(extensions.persistedQuery) : undefined;
  const id = readDocumentId(documentId);
  if (
    typeof query === 'string'
      ? query.trim() === ''
      : query !== undefined || (persistedHash ?? id) === undefined
  ) {
    throw new RequestError('A request needs a query: a string that holds a GraphQL document.');
  }
  return {
    query: typeof query === 'string' ? query : undefined,
    variables: isFields(variables) ? variables : {},
    operationName: operationName ?? undefined,
    /** SHA-256 of a document that is cached already, or is sent along to be cached. */
    persistedHash,
    /** Key of a document in the manifest; without a manifest its SHA-256. */
    documentId: id,
  };
}

/** Matches a document id with the optional prefix `sha256:` (GraphQL over HTTP, appendix A). */
const documentIdPattern = /^(?:sha256:)?([^]+)$/;
const maxIdCharacters = 256;

function readDocumentId(documentId: unknown): string | undefined {
  if (documentId === undefined || documentId === null) return undefined;
  const [, id] = (typeof documentId === 'string' && documentIdPattern.exec(documentId)) || [];
  if (id === undefined || (documentId as string).length > maxIdCharacters)
    throw new RequestError(`documentId must be a string of 1 to ${maxIdCharacters} characters.`);
  return id;
}

function readPersistedHash(persistedQuery: unknown): string | undefined {
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  const { version, sha256Hash } = isFields(persistedQuery) ? persistedQuery : {};
  if (version === 1 && typeof sha256Hash === 'string' && /^[\da-f]{64}$/i.test(sha256Hash))
    return sha256Hash.toLowerCase();
  throw new RequestError(
    'extensions.persistedQuery must hold version 1 and sha256Hash, 64 hexadecimal digits.',
  );
}

function parseJson(name: string, value: string | undefined): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new RequestError(`The parameter ${name} must be JSON.`);
  }
}

/** Headers that a page of another origin can send only after a CORS preflight. */
const preflightedHeaders = ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'];

/** Prevents CSRF: refuses a GET that a browser would send for a page of another origin without a preflight. */
function forbidSimpleRequests({ headers }: RequestHead): void {
  const isJson = /^application\/json\b/i.test(headerOf(headers['content-type']) ?? '');
  if (isJson || preflightedHeaders.some((name) => headerOf(headers[name]))) return;
  throw new RequestError(
    `This GET could come from a page of another origin (CSRF). Send one of these headers with it: ${preflightedHeaders.join(', ')}.`,
  );
}

const headerOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(', ');

export const jsonType = 'application/json; charset=utf-8';
const responseType = 'application/graphql-response+json; charset=utf-8';

/** Media types of responses by their spellings, with and without charset. */
const typeBySpelling = new Map(
  [jsonType, responseType].flatMap((type) => [
    [type.replace(/;.*/, ''), type],
    [type, type],
  ]),
);
const spellings = [...typeBySpelling.keys()];

const acceptOf = (headers: RequestHead['headers']): string => headerOf(headers.accept)?.trim() || '*/*';

/** Negotiates the media type of a response: JSON by default. `needsEvents`: the client accepts server-sent events only. */
export function negotiateType(headers: RequestHead['headers']) {
  const accept = acceptOf(headers);
  const exactType = accept === '*/*' ? jsonType : typeBySpelling.get(accept);
  if (exactType !== undefined) return { type: exactType, isAccepted: true, needsEvents: false };
  const type = typeBySpelling.get(new Negotiator({ headers: { accept } }).mediaType(spellings) ?? '');
  const ranges = parseRanges(accept);
  const isAccepted = type !== undefined || readQuality(ranges, 'text/*') > 0;
  const needsEvents =
    !isAccepted && readQuality(ranges, eventStreamType) > 0 && readMultipartQuality(ranges) === 0;
  return { type: type ?? jsonType, isAccepted, needsEvents };
}

export const jsonTypes = 'application/json or application/graphql-response+json';
const eventStreamType = 'text/event-stream';
const streamTypes = `multipart/mixed with subscriptionSpec=1.0, or ${eventStreamType}`;

/** Error of a request that accepts none of the possible media types. */
export const notAcceptableError = (types: string): RequestError =>
  new RequestError(`The Accept header must allow ${types}.`, 406);

export const subscriptionHint = `A subscription is answered with a stream over HTTP: the Accept header must allow ${streamTypes}. WebSocket is not offered.`;

export const acceptsEvents = (headers: RequestHead['headers']): boolean =>
  readEventQuality(parseRanges(acceptOf(headers))) > 0;

/** Chooses the framing of a subscription; undefined for a client that accepts neither protocol. */
export function chooseFraming(headers: RequestHead['headers']): Framing | undefined {
  const ranges = parseRanges(acceptOf(headers));
  const [multipartQuality, eventsQuality] = [readMultipartQuality(ranges), readEventQuality(ranges)];
  if (multipartQuality === 0 && eventsQuality === 0) return undefined;
  return multipartQuality >= eventsQuality ? multipart : serverSentEvents;
}

const readEventQuality = (ranges: readonly MediaRange[]): number =>
  readQuality(ranges, '*/*', 'text/*', eventStreamType);

const readMultipartQuality = (ranges: readonly MediaRange[]): number =>
  readQuality(
    ranges.filter(({ parameters }) => parameters.get('subscriptionspec') === '1.0'),
    'multipart/mixed',
  );

/** A media range of an Accept header in lower case (RFC 9110, section 12.5.1). */
interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses an Accept header. Commas and semicolons in quoted strings do not separate. */
const parseRanges = (accept: string): MediaRange[] =>
  (accept.toLowerCase().match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []).map((range) => {
    const [type = '', ...parameters] = (range.match(/(?:"(?:[^"\\]|\\.)*"|[^;])+/g) ?? []).map((part) =>
      part.trim(),
    );
    const pairs = parameters.map((parameter): [string, string] => {
      const [name = '', value = ''] = parameter.split('=').map((part) => part.trim());
      return [name, value.replaceAll('"', '')];
    });
    return { type, parameters: new Map(pairs) };
  });

/** Returns the quality (0 to 1) of the most specific accepted range; `types` go from general to specific. */
function readQuality(ranges: readonly MediaRange[], ...types: readonly string[]): number {
  const acceptedRange = types
    .map((type) => ranges.find((range) => range.type === type))
    .findLast((range) => range);
  return acceptedRange ? Math.min(1, Math.max(0, Number(acceptedRange.parameters.get('q') ?? 1) || 0)) : 0;
}

/** Whether a browser asks for the landing page, and not for the result of a query. */
export const isLandingPageRequest = ({ method, headers, search }: RequestHead): boolean =>
  method === 'GET' &&
  !new URLSearchParams(search).has('query') &&
  new Negotiator({ headers: { accept: headerOf(headers.accept) ?? '' } }).mediaType([
    'application/json',
    'application/graphql-response+json',
    'text/html',
  ]) === 'text/html';
