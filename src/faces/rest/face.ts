import type { AnswerRoute, Face } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { batchEndpoints, type BatchParts } from './batch.ts';
import { discoveryEndpoints } from './discovery.ts';
import { errorAnswer } from './errors.ts';
import { createHandler, formType, type Handler } from './handler.ts';
import { methodEndpoint, type MethodParts } from './method-endpoint.ts';
import type { Api } from './method.ts';
import { calendarMethods } from './methods/calendars.ts';
import { eventMethods } from './methods/events.ts';
import { storageMethods } from './methods/storage.ts';
import type { Route } from './routes.ts';

const calendarPath = '/calendar/v3/calendars/{calendarId}';
const bucketPath = '/storage/v1/b/{bucket}';

/** POST alone: the same paths with other verbs name an event, a rule, a calendar or a list. */
const posts = [
  ...['import', 'quickAdd', 'watch'].map((name) => `${calendarPath}/events/${name}`),
  `${calendarPath}/acl/watch`,
  '/calendar/v3/users/me/calendarList/watch',
  `${bucketPath}/o`,
];
const paths = [
  `${calendarPath}/clear`,
  `${calendarPath}/events/{eventId}/move`,
  '/calendar/v3/channels/stop',
  '/calendar/v3/users/me/settings/*',
  ...['acl', 'anywhereCaches', 'defaultObjectAcl', 'folders', 'iam', 'managedFolders', 'operations'].map(
    (name) => `${bucketPath}/${name}/*`,
  ),
  `${bucketPath}/lockRetentionPolicy`,
  `${bucketPath}/o/{object}/*`,
  `${bucketPath}/storageLayout`,
  '/storage/v1/channels/stop',
  '/storage/v1/projects/{project}/*',
  '/upload/storage/v1/*',
  '/download/storage/v1/*',
];

/** Methods of the official APIs that this service does not offer. `*` at the end of a path includes all paths below it. */
const notOffered: readonly Route[] = [
  ...posts.map((template) => ({ verb: 'POST', template })),
  ...paths.map((template) => ({ verb: '*', template })),
];

/** The APIs that are served, with all their methods. */
export const apis: readonly Api[] = [
  {
    name: 'calendar',
    version: 'v3',
    title: 'Calendar API',
    description: 'Calendars and events.',
    basePath: '/calendar/v3/',
    batchPath: '/batch/calendar/v3',
    methods: [...calendarMethods, ...eventMethods],
  },
  {
    name: 'storage',
    version: 'v1',
    title: 'Cloud Storage JSON API',
    description: 'Buckets and their notifications.',
    basePath: '/storage/v1/',
    batchPath: '/batch/storage/v1',
    methods: storageMethods,
  },
];

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
    links: [
      {
        path: '/discovery/v1/apis',
        title: 'REST discovery',
        description: "the REST APIs for Google's clients",
      },
    ],
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
