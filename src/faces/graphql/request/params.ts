import Negotiator from 'negotiator';
import { type Fields, isFields } from '../../../core/patch.ts';
import { type Framing, HttpError, type HttpRequest, ListBody, type RequestHead } from '../../../http/face.ts';

/** How long (ms) a client of server-sent events waits before it opens a stream again, unless it has a pause of its own. */
const retryMs = 2_000;

/** GraphQL over server-sent events, distinct connections mode. */
export const serverSentEvents: Framing = {
  type: 'text/event-stream; charset=utf-8',
  start: `retry: ${retryMs}\n\n`, // some browsers want to see a byte before they call it open
  heartbeat: ':\n\n',
  frame: ({ id, data }) => `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${data}\n\n`,
  end: 'event: complete\ndata:\n\n',
};

const boundary = 'graphql';
const delimiter = `--${boundary}`;

/** A part with the delimiter behind it: clients hand a part on when its delimiter arrives. */
const part = (json: string): string => `\r\nContent-Type: application/json\r\n\r\n${json}\r\n${delimiter}`;

/** Apollo's protocol for subscriptions. Clients search for the delimiter as text: in strings, the only place in JSON, it is escaped. */
const multipart: Framing = {
  type: `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`,
  start: `${delimiter}${part('{}')}`,
  heartbeat: part('{}'),
  frame({ data, isEnd }) {
    const json = data.replaceAll(delimiter, `\\u002d-${boundary}`);
    return part(isEnd ? `{"payload":null,${json.slice(1)}` : `{"payload":${json}}`);
  },
  end: '--\r\n',
};

/** The parameters of a GraphQL request (GraphQL over HTTP, section 5). */
export interface Params {
  readonly query: string | undefined;
  readonly variables: Fields;
  readonly operationName: string | undefined;
  /** The SHA-256 of a document that the client sent before, or sends now to be remembered. */
  readonly persisted: string | undefined;
  /** The key of a document in the manifest; without a manifest its SHA-256. */
  readonly documentId: string | undefined;
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
    documentId: once('documentId'),
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

function paramsOf({ query, variables, operationName, documentId, extensions }: Fields): Params {
  for (const [name, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isFields(value))
      throw new RequestFault(`${name} must be a JSON object.`);
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new RequestFault('operationName must be a string.');
  }
  const persisted = isFields(extensions) ? hashOf(extensions.persistedQuery) : undefined;
  const id = idOf(documentId);
  if (
    typeof query === 'string' ? query.trim() === '' : query !== undefined || (persisted ?? id) === undefined
  ) {
    throw new RequestFault('A request needs a query: a string that holds a GraphQL document.');
  }
  return {
    query: typeof query === 'string' ? query : undefined,
    variables: isFields(variables) ? variables : {},
    operationName: operationName ?? undefined,
    persisted,
    documentId: id,
  };
}

/** Appendix A of GraphQL over HTTP: `sha256:` before a hash says what it is. */
const documentIdForm = /^(?:sha256:)?([^]+)$/;
const maxIdLength = 256;

function idOf(documentId: unknown): string | undefined {
  if (documentId === undefined || documentId === null) return undefined;
  const [, id] = (typeof documentId === 'string' && documentIdForm.exec(documentId)) || [];
  if (id === undefined || (documentId as string).length > maxIdLength)
    throw new RequestFault(`documentId must be a string of 1 to ${maxIdLength} characters.`);
  return id;
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
const headerOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(', ');

export const jsonType = 'application/json; charset=utf-8';
const responseType = 'application/graphql-response+json; charset=utf-8';

/** The media types as clients write them, with and without charset. */
const types = new Map(
  [jsonType, responseType].flatMap((type) => [
    [type.replace(/;.*/, ''), type],
    [type, type],
  ]),
);
const spellings = [...types.keys()];

const acceptOf = (headers: RequestHead['headers']): string => headerOf(headers.accept)?.trim() || '*/*';

/**
 * The media type of answers and errors that are no stream: JSON for wildcards, and where the client accepts none. `asEvents`: it
 * accepts server-sent events only.
 */
export function answerType(headers: RequestHead['headers']) {
  const accept = acceptOf(headers);
  const known = accept === '*/*' ? jsonType : types.get(accept);
  if (known !== undefined) return { type: known, isAccepted: true, asEvents: false };
  const type = types.get(new Negotiator({ headers: { accept } }).mediaType(spellings) ?? '');
  const ranges = rangesOf(accept);
  const isAccepted = type !== undefined || readQuality(ranges, 'text/*') > 0;
  const asEvents = !isAccepted && readQuality(ranges, eventType) > 0 && multipartQuality(ranges) === 0;
  return { type: type ?? jsonType, isAccepted, asEvents };
}

export const jsonTypes = 'application/json or application/graphql-response+json';
const eventType = 'text/event-stream';
const streamTypes = `multipart/mixed with subscriptionSpec=1.0, or ${eventType}`;

export const notAcceptable = (wanted: string): RequestFault =>
  new RequestFault(`The Accept header must allow ${wanted}.`, 406);

/** Names both protocols of subscriptions. */
export const howToSubscribe = `A subscription is answered with a stream over HTTP: the Accept header must allow ${streamTypes}. WebSocket is not offered.`;

/** Whether server-sent events are accepted, by a wildcard too. */
export const acceptsEvents = (headers: RequestHead['headers']): boolean =>
  eventQuality(rangesOf(acceptOf(headers))) > 0;

/** How the events of a subscription are written; undefined for a client that accepts neither protocol. */
export function framingFor(headers: RequestHead['headers']): Framing | undefined {
  const ranges = rangesOf(acceptOf(headers));
  const [parts, events] = [multipartQuality(ranges), eventQuality(ranges)];
  if (events === 0 && parts === 0) return undefined;
  return parts >= events ? multipart : serverSentEvents;
}

const eventQuality = (ranges: readonly MediaRange[]): number =>
  readQuality(ranges, '*/*', 'text/*', eventType);

const multipartQuality = (ranges: readonly MediaRange[]): number =>
  readQuality(
    ranges.filter(({ parameters }) => parameters.get('subscriptionspec') === '1.0'),
    'multipart/mixed',
  );

/** Media range of an Accept header (RFC 9110, section 12.5.1), in lower case. */
interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Quoted strings may hold commas and semicolons. */
const rangesOf = (accept: string): MediaRange[] =>
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

/** The quality of the last of these types that the client names, 0 to 1. */
function readQuality(ranges: readonly MediaRange[], ...named: readonly string[]): number {
  const of = named.map((type) => ranges.find((range) => range.type === type)).findLast((range) => range);
  return of ? Math.min(1, Math.max(0, Number(of.parameters.get('q') ?? 1) || 0)) : 0;
}

/** True when a browser asks for a page. */
export const wantsPage = ({ method, headers, search }: RequestHead): boolean =>
  method === 'GET' &&
  !new URLSearchParams(search).has('query') &&
  new Negotiator({ headers: { accept: headerOf(headers.accept) ?? '' } }).mediaType([
    'application/json',
    'application/graphql-response+json',
    'text/html',
  ]) === 'text/html';
