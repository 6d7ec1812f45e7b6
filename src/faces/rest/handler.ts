import type { Caller } from '../../access/permissions.ts';
import type { RequestReport } from '../../core/runtime/log.ts';
import { RawBody, type HttpAnswer, type HttpRequest, type RequestHead } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { atHeader, errorAnswer, RestFault } from './errors.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { createRoutes, type Found, type Route } from './routes.ts';

export type Handler = ReturnType<typeof createHandler>;

type Admitting = Pick<Caller, 'viewer' | 'report'>;

export const formType = 'application/x-www-form-urlencoded';

export function createHandler(
  endpoints: readonly Endpoint[],
  admission: Admission,
  notOffered: readonly Route[],
) {
  const routes = createRoutes(endpoints, notOffered);

  /** By the report of the request: it is admitted by its head first, and found again with its body. */
  const admittedFor = new WeakMap<RequestReport, Found>();

  /** What serves a request, to this caller. */
  const admitted = (head: RequestHead, { viewer, report }: Admitting): Found => {
    const known = admittedFor.get(report);
    if (known) return known;
    const found = routes.find(verbOf(head), head.path);
    report.rest = found.endpoint.operation;
    found.endpoint.admit?.(viewer);
    admittedFor.set(report, found);
    return found;
  };

  const refuse = (error: unknown, caller: Caller, word: (error: unknown) => HttpAnswer): HttpAnswer => {
    try {
      return admission.decide(caller, () => word(error));
    } catch (limited) {
      return word(limited);
    }
  };

  return {
    /** Throws for a request that is refused by its head. */
    admit: (head: RequestHead, caller: Admitting): void =>
      void (head.method === 'OPTIONS' ? routes.allowed(head.path) : admitted(head, caller)),
    /** Words what went wrong with a request of which nothing ran, and charges it. */
    refuse: (error: unknown, caller: Caller, { search }: RequestHead): HttpAnswer =>
      refuse(error, caller, (one) => errorAnswer(one, caller, undefined, search)),
    /** Answers a request, and charges it to its caller. `readBody` reads a body that was not read yet. */
    answer: async (
      request: HttpRequest,
      caller: Caller,
      readBody: () => unknown = () => request.body,
    ): Promise<HttpAnswer<string | Buffer>> => {
      let endpoint: Endpoint | undefined;
      let asked: EndpointRequest | undefined;
      try {
        if (request.method === 'OPTIONS')
          return admission.decide(caller, () => ({
            status: 204,
            headers: { allow: routes.allowed(request.path) },
            body: '',
          }));
        const found = admitted(request, caller);
        endpoint = found.endpoint;
        asked = requestOf(request, found.path, readBody());
        return await endpoint.run(asked, caller);
      } catch (error) {
        const word = (one: unknown): HttpAnswer =>
          (asked && endpoint?.refuse?.(one, asked, caller)) ??
          errorAnswer(one, caller, undefined, request.search);
        return asked?.charged ? word(error) : refuse(error, caller, word);
      }
    },
  };
}

const overrides = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** The verb of a request: a POST may stand for another. */
function verbOf({ method, headers }: RequestHead): string {
  const wanted = headers['x-http-method-override'];
  if (method !== 'POST' || wanted === undefined || wanted === '') return method;
  const verb = String(wanted).toUpperCase();
  if (!overrides.includes(verb))
    throw new RestFault(400, 'invalid', `The method may be overridden by ${overrides.join(', ')}.`, {
      at: atHeader('X-HTTP-Method-Override'),
    });
  return verb;
}

/** What is read of a query at most: a form may have more of it than any URL. */
const maxParameters = 1000;

/** A query, and the parameters in it that hold a malformed escape. */
function queryOf(text: string): Pick<EndpointRequest, 'query' | 'malformed'> {
  if (text.split('&', maxParameters + 1).length > maxParameters)
    throw new RestFault(400, 'tooMany', `A query may have ${maxParameters} parameters at most.`);
  const query = new URLSearchParams(text);
  if (!text.includes('%')) return { query, malformed: new Set() };
  const malformed = text
    .split('&')
    .filter((pair) => !isDecodable(pair))
    .flatMap((pair) => [...new URLSearchParams(pair).keys()]);
  return { query, malformed: new Set(malformed) };
}

/** `URLSearchParams` lets anything pass. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** With GET in place of POST a form is more of the query. */
function requestOf(request: HttpRequest, path: EndpointRequest['path'], body: unknown): EndpointRequest {
  const { headers, search } = request;
  const isQuery =
    body instanceof RawBody && verbOf(request) === 'GET' && body.type.toLowerCase().startsWith(formType);
  return {
    head: request,
    headers,
    path,
    ...queryOf(isQuery ? `${search}&${body.bytes.toString()}` : search),
    body: isQuery ? undefined : body,
    unparsed: new Set(),
  };
}
