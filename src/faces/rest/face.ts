import type { FaceRoute, Face } from '../../http/face.ts';
import type { Admission } from '../../operations/context.ts';
import { createBatchEndpoints, type BatchDependencies } from './batch.ts';
import { createDiscoveryEndpoints } from './discovery.ts';
import { createErrorResponse } from './errors.ts';
import { createHandler, formType, type Handler } from './handler.ts';
import { createMethodEndpoint, type MethodDependencies } from './method-endpoint.ts';
import type { Api } from './method.ts';
import { calendarMethods, channelMethods } from './methods/calendars.ts';
import { eventMethods } from './methods/events.ts';
import { storageMethods } from './methods/storage.ts';
import type { Route } from './routes.ts';

const calendarPath = '/calendar/v3/calendars/{calendarId}';
const bucketPath = '/storage/v1/b/{bucket}';

/** Templates for POST only: with other verbs, these paths name an event, a rule, a calendar or a list. */
const postTemplates = [
  ...['quickAdd', 'watch'].map((name) => `${calendarPath}/events/${name}`),
  `${calendarPath}/acl/watch`,
  '/calendar/v3/users/me/calendarList/watch',
  `${bucketPath}/o`,
];
const anyVerbTemplates = [
  `${calendarPath}/clear`,
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

/** Methods of the official APIs that are missing here. `*` at the end of a path includes all paths below it. */
const listMissingRoutes = (offersChannels: boolean): readonly Route[] => [
  ...postTemplates.map((template) => ({ verb: 'POST', template })),
  ...[...anyVerbTemplates, ...(offersChannels ? [] : ['/calendar/v3/channels/stop'])].map((template) => ({
    verb: '*',
    template,
  })),
];

/** Lists the APIs. `offersChannels`: whether they include watching a calendar. */
export const listApis = (offersChannels: boolean): readonly Api[] => [
  {
    name: 'calendar',
    version: 'v3',
    title: 'Calendar API',
    description: 'Calendars and events.',
    basePath: '/calendar/v3/',
    batchPath: '/batch/calendar/v3',
    methods: [...calendarMethods, ...eventMethods, ...(offersChannels ? channelMethods : [])],
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

interface RestDependencies extends MethodDependencies, Omit<BatchDependencies, 'handler'> {
  readonly admission: Admission;
  readonly offersChannels: boolean;
}

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE'] as const;

/** Creates the REST face: the gateway's operations under the paths of Google's APIs, so that official clients run unchanged. */
export function createRestFace(dependencies: RestDependencies): Face {
  const { runner, schemas, admission, offersChannels } = dependencies;
  const apis = listApis(offersChannels);
  const handler: Handler = createHandler(
    [
      ...apis.flatMap((api) => api.methods.map((row) => createMethodEndpoint(api, row, dependencies))),
      ...createBatchEndpoints(apis, { ...dependencies, handler: () => handler }),
      ...createDiscoveryEndpoints(
        apis,
        { schemas, scopesOf: (operation) => runner.scopesOf(operation) },
        admission,
      ),
    ],
    admission,
    listMissingRoutes(offersChannels),
  );
  const createRoute = (path: string): FaceRoute => ({
    path,
    methods: verbs,
    bodyTypes: [formType, 'multipart/mixed'],
    acceptsGzip: true,
    admit: handler.admit,
    execute: handler.handle,
  });
  return {
    routes: ['calendar', 'storage', 'batch', 'discovery', 'upload', 'download'].map((path) =>
      createRoute(`/${path}/*`),
    ),
    links: [
      {
        path: '/discovery/v1/apis',
        title: 'REST discovery',
        description: "the REST APIs for Google's clients",
      },
    ],
    toErrorResponse: (error, { search }, caller) => createErrorResponse(error, caller, undefined, search),
    cors: {
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
