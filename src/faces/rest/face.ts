import type { Caller } from '../../access/caller.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { RawBody, type AnswerRoute, type Face, type HttpAnswer, type HttpRequest, type RequestHead } from '../../http/face.ts';
import type { Admission } from '../../operations/admission.ts';
import { errorAnswer } from './answer/errors.ts';
import { apis } from './apis.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { atHeader, RestFault } from './faults.ts';
import type { Verb } from './method.ts';
import { methodEndpoint, type MethodParts } from './method-endpoint.ts';
import { createRoutes } from './routes.ts';

export interface RestParts extends MethodParts {
  readonly admission: Admission;
  readonly verify: TokenVerifier;
  /** Reads JSON within the limits of bodies. */
  readonly readJson: (bytes: Buffer) => unknown;
}

const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/mixed';
const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE'] as const;

/** The gateway's operations under the paths of the official REST APIs, so that official clients run unchanged. */
export function createRestFace(parts: RestParts): Face {
  const handler = createHandler(apis.flatMap((api) => api.methods.map((row) => methodEndpoint(api, row, parts))), parts);
  const route = (path: string): AnswerRoute => ({ path, methods: verbs, bodies: [form, multipart], admit: handler.admit, execute: handler.answer });
  return {
    routes: ['/calendar/*', '/storage/*', '/batch/*', '/discovery/*'].map(route),
    refuse: (error, _request, caller) => errorAnswer(error, caller),
    origins: {
      methods: ['PUT', 'PATCH', 'DELETE'],
      requestHeaders: ['if-match', 'if-none-match', 'x-goog-api-client', 'x-goog-user-project', 'x-http-method-override', 'x-requested-with'],
      exposedHeaders: ['etag', 'x-warnings'],
    },
  };
}

export interface Handler {
  /** Throws for a request that is refused by its head. */
  readonly admit: NonNullable<AnswerRoute['admit']>;
  /** Answers a request, and charges it to its caller. */
  readonly answer: (request: HttpRequest, caller: Caller) => Promise<HttpAnswer>;
}

export function createHandler(endpoints: readonly Endpoint[], { admission }: Pick<RestParts, 'admission'>): Handler {
  const routes = createRoutes(endpoints.map((endpoint) => ({ ...endpoint, entry: endpoint })));

  const admit: Handler['admit'] = (head, { viewer, report }) => {
    if (head.method === 'OPTIONS') return void routes.allowed(head.path);
    const { entry } = routes.find(verbOf(head), head.path);
    report.rest = entry.operation;
    entry.admit?.(viewer);
  };

  /** Words what went wrong, and charges a request of which nothing ran. */
  const refuse = (error: unknown, caller: Caller, word: (error: unknown) => HttpAnswer, charged = false): HttpAnswer => {
    if (charged) return word(error);
    try {
      return admission.decide(caller, () => word(error));
    } catch (limited) {
      return word(limited);
    }
  };

  return {
    admit,
    async answer(request, caller) {
      let word = (error: unknown): HttpAnswer => errorAnswer(error, caller);
      let asked: EndpointRequest | undefined;
      try {
        if (request.method === 'OPTIONS') return { status: 204, headers: { allow: routes.allowed(request.path) }, body: '' };
        admit(request, caller);
        const { entry, path } = routes.find(verbOf(request), request.path);
        const now = (asked = requestOf(request, path));
        if (entry.refuse) word = (error) => entry.refuse?.(error, now, caller) ?? errorAnswer(error, caller);
        return await entry.run(now, caller);
      } catch (error) {
        return refuse(error, caller, word, asked?.charged);
      }
    },
  };
}

const override = 'x-http-method-override';
const overrides = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** The verb of a request: a POST may stand for another. */
function verbOf({ method, headers }: RequestHead): string {
  const wanted = headers[override];
  if (method !== 'POST' || wanted === undefined || wanted === '') return method;
  const verb = String(wanted).toUpperCase();
  if (!overrides.includes(verb)) throw new RestFault(400, 'invalid', `The method may be overridden by ${overrides.join(', ')}.`, { at: atHeader('X-HTTP-Method-Override') });
  return verb;
}

/** With GET in place of POST a form is more of the query. */
function requestOf(request: HttpRequest, path: EndpointRequest['path']): EndpointRequest {
  const { headers, search, body } = request;
  const isForm = body instanceof RawBody && body.type.toLowerCase().startsWith(form);
  const moreQuery = isForm && verbOf(request) === ('GET' satisfies Verb);
  if (moreQuery) return { head: request, headers, path, query: new URLSearchParams(`${search}&${body.bytes.toString()}`), body: undefined };
  return { head: request, headers, path, query: new URLSearchParams(search), body };
}

