import type { AnswerRoute, Face } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { errorAnswer } from './answer/errors.ts';
import { apis, notOffered } from './apis.ts';
import { batchEndpoints, type BatchParts } from './batch/endpoints.ts';
import { discoveryEndpoints } from './discovery/endpoints.ts';
import { createHandler, formType, type Handler } from './handler.ts';
import { methodEndpoint, type MethodParts } from './method-endpoint.ts';

export interface RestParts extends MethodParts, Omit<BatchParts, 'handler'> {
  readonly admission: Admission;
}

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE'] as const;

/** The gateway's operations under the paths of the official REST APIs, so that official clients run unchanged. */
export function createRestFace(parts: RestParts): Face {
  const { runner, schemas, admission } = parts;
  const handler: Handler = createHandler(
    [
      ...apis.flatMap((api) => api.methods.map((row) => methodEndpoint(api, row, parts))),
      ...batchEndpoints(apis, { ...parts, handler: () => handler }),
      ...discoveryEndpoints(
        apis,
        { schemas, scopesOf: (operation) => runner.scopesOf(operation) },
        admission,
      ),
    ],
    admission,
    notOffered,
  );
  const route = (path: string): AnswerRoute => ({
    path,
    methods: verbs,
    bodies: [formType, 'multipart/mixed'],
    gzip: true,
    admit: handler.admit,
    execute: handler.answer,
  });
  return {
    routes: ['calendar', 'storage', 'batch', 'discovery', 'upload', 'download'].map((path) =>
      route(`/${path}/*`),
    ),
    refuse: (error, { search }, caller) => errorAnswer(error, caller, undefined, search),
    origins: {
      methods: ['PUT', 'PATCH', 'DELETE'],
      requestHeaders: [
        'if-match',
        'if-none-match',
        'x-goog-api-client',
        'x-goog-user-project',
        'x-http-method-override',
        'x-requested-with',
      ],
      exposedHeaders: ['etag', 'x-warnings'],
    },
  };
}
