import type { Caller } from '../../access/caller.ts';
import { RawBody, type AnswerRoute, type HttpAnswer, type HttpRequest, type RequestHead } from '../../http/face.ts';
import type { Admission } from '../../operations/admission.ts';
import { errorAnswer } from './answer/errors.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { atHeader, RestFault } from './faults.ts';
import { createRoutes } from './routes.ts';

export interface Handler {
  /** Throws for a request that is refused by its head. */
  readonly admit: NonNullable<AnswerRoute['admit']>;
  /** Answers a request, and charges it to its caller. `readBody` reads a body that was not read yet. */
  readonly answer: (request: HttpRequest, caller: Caller, readBody?: () => unknown) => Promise<HttpAnswer>;
  /** Words what went wrong with a request of which nothing ran, and charges it. */
  readonly refuse: (error: unknown, caller: Caller) => HttpAnswer;
}

export const formType = 'application/x-www-form-urlencoded';

export function createHandler(endpoints: readonly Endpoint[], admission: Admission, missing?: readonly string[]): Handler {
  const routes = createRoutes(endpoints.map((endpoint) => ({ ...endpoint, entry: endpoint })), missing);

  const admit: Handler['admit'] = (head, { viewer, report }) => {
    if (head.method === 'OPTIONS') return void routes.allowed(head.path);
    const { entry } = routes.find(verbOf(head), head.path);
    report.rest = entry.operation;
    entry.admit?.(viewer);
  };

  const refuse = (error: unknown, caller: Caller, word: (error: unknown) => HttpAnswer = (one) => errorAnswer(one, caller)): HttpAnswer => {
    try {
      return admission.decide(caller, () => word(error));
    } catch (limited) {
      return word(limited);
    }
  };

  return {
    admit,
    refuse,
    async answer(request, caller, readBody = () => request.body) {
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: routes.allowed(request.path) }, body: '' };
      let endpoint: Endpoint | undefined;
      let asked: EndpointRequest | undefined;
      try {
        admit(request, caller);
        const { entry, path } = routes.find(verbOf(request), request.path);
        endpoint = entry;
        asked = requestOf(request, path, readBody());
        return await endpoint.run(asked, caller);
      } catch (error) {
        const word = (one: unknown): HttpAnswer => (asked && endpoint?.refuse?.(one, asked, caller)) ?? errorAnswer(one, caller);
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
  if (!overrides.includes(verb)) throw new RestFault(400, 'invalid', `The method may be overridden by ${overrides.join(', ')}.`, { at: atHeader('X-HTTP-Method-Override') });
  return verb;
}

/** With GET in place of POST a form is more of the query. */
function requestOf(request: HttpRequest, path: EndpointRequest['path'], body: unknown): EndpointRequest {
  const { headers, search } = request;
  const isQuery = body instanceof RawBody && verbOf(request) === 'GET' && body.type.toLowerCase().startsWith(formType);
  if (isQuery) return { head: request, headers, path, query: new URLSearchParams(`${search}&${body.bytes.toString()}`), body: undefined };
  return { head: request, headers, path, query: new URLSearchParams(search), body };
}
