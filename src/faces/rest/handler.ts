import type { Caller } from '../../access/permissions.ts';
import type { RequestReport } from '../../core/runtime/log.ts';
import { RawBody, type HttpResponse, type HttpRequest, type RequestHead } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { headerLocation, createErrorResponse, type Naming, RestError } from './errors.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { createRoutes, decodeEscapes, type RouteMatch, type Route } from './routes.ts';

export type Handler = ReturnType<typeof createHandler>;

/** Properties of a caller that are known before the body is read. */
type AdmissionCaller = Pick<Caller, 'viewer' | 'report'>;

export const formType = 'application/x-www-form-urlencoded';

/** Creates the handler that finds the endpoint of a request, runs it, and writes errors. */
export function createHandler(
  endpoints: readonly Endpoint[],
  admission: Admission,
  notOfferedRoutes: readonly Route[],
) {
  const routes = createRoutes(endpoints, notOfferedRoutes);

  /** Routes by the report of the request, which is admitted by its head first and handled with its body later. */
  const admittedRoutes = new WeakMap<RequestReport, RouteMatch>();

  /** Finds the endpoint of a request. Throws if the caller has no access. */
  const findRoute = (head: RequestHead, { viewer, report }: AdmissionCaller): RouteMatch => {
    const admittedRoute = admittedRoutes.get(report);
    if (admittedRoute) return admittedRoute;
    const route = routes.find(verbOf(head), head.path);
    report.rest = route.endpoint.operation;
    route.endpoint.admit?.(viewer);
    admittedRoutes.set(report, route);
    return route;
  };

  /** Converts the error of a request that did not run to a response, and charges the request. */
  const refuse = (error: unknown, caller: Caller, { search }: RequestHead, naming?: Naming): HttpResponse => {
    const toResponse = (cause: unknown): HttpResponse => createErrorResponse(cause, caller, naming, search);
    try {
      return admission.decide(caller, () => toResponse(error));
    } catch (rateLimitError) {
      return toResponse(rateLimitError);
    }
  };

  return {
    admit: (head: RequestHead, caller: AdmissionCaller): void =>
      void (head.method === 'OPTIONS' ? routes.listVerbs(head.path) : findRoute(head, caller)),
    refuse,
    /** Handles a request and charges its caller. `readBody` reads the body if that did not happen yet. */
    handle: async (
      request: HttpRequest,
      caller: Caller,
      readBody: () => unknown = () => request.body,
    ): Promise<HttpResponse<string | Buffer>> => {
      let endpoint: Endpoint | undefined;
      let endpointRequest: EndpointRequest | undefined;
      try {
        if (request.method === 'OPTIONS')
          return admission.decide(caller, () => ({
            status: 204,
            headers: { allow: routes.listVerbs(request.path) },
            body: '',
          }));
        const route = findRoute(request, caller);
        endpoint = route.endpoint;
        endpointRequest = createEndpointRequest(request, route.path, readBody());
        return await endpoint.run(endpointRequest, caller);
      } catch (error) {
        const naming = endpointRequest && endpoint?.createNaming?.(endpointRequest);
        return endpointRequest?.isCharged
          ? createErrorResponse(error, caller, naming, request.search)
          : refuse(error, caller, request, naming);
      }
    },
  };
}

const overridingVerbs = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Returns the verb of a request; X-HTTP-Method-Override may change that of a POST. */
function verbOf({ method, headers }: RequestHead): string {
  const override = headers['x-http-method-override'];
  if (method !== 'POST' || override === undefined || override === '') return method;
  const verb = String(override).toUpperCase();
  if (!overridingVerbs.includes(verb))
    throw new RestError(400, 'invalid', `The method may be overridden by ${overridingVerbs.join(', ')}.`, {
      location: headerLocation('X-HTTP-Method-Override'),
    });
  return verb;
}

/** Maximum number of parameters; a form may have more than any URL. */
const maxParameters = 1000;

/** Parses a query. `malformedNames`: parameters with a malformed percent escape. */
function parseQuery(text: string): Pick<EndpointRequest, 'query' | 'malformedNames'> {
  if (text.split('&', maxParameters + 1).length > maxParameters)
    throw new RestError(400, 'tooMany', `A query may have ${maxParameters} parameters at most.`);
  const query = new URLSearchParams(text);
  if (!text.includes('%')) return { query, malformedNames: new Set() };
  // `URLSearchParams` accepts malformed escapes.
  const malformedNames = text
    .split('&')
    .filter((pair) => decodeEscapes(pair) === undefined)
    .flatMap((pair) => [...new URLSearchParams(pair).keys()]);
  return { query, malformedNames: new Set(malformedNames) };
}

/** Builds the endpoint's request. A form in a POST that overrides GET extends the query. */
function createEndpointRequest(
  request: HttpRequest,
  path: EndpointRequest['path'],
  body: unknown,
): EndpointRequest {
  const { headers, search } = request;
  const isFormQuery =
    body instanceof RawBody && verbOf(request) === 'GET' && body.type.toLowerCase().startsWith(formType);
  return {
    head: request,
    headers,
    path,
    ...parseQuery(isFormQuery ? `${search}&${body.bytes.toString()}` : search),
    body: isFormQuery ? undefined : body,
    unparsableNames: new Set(),
  };
}
