import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bucketTable } from '../../../../src/bucket/bucket.fields.ts';
import { calendarFields } from '../../../../src/calendar/calendar.fields.ts';
import { compileTable } from '../../../../src/core/fields/table.ts';
import { eventFields } from '../../../../src/event/model/fields.ts';
import { apis } from '../../../../src/faces/rest/apis.ts';
import { discover, rootUrlOf } from '../../../../src/faces/rest/discovery/discovery.ts';
import { createSchemas } from '../../../../src/official/schemas.ts';

const schemas = createSchemas({
  event: compileTable(eventFields),
  calendar: calendarFields,
  bucket: bucketTable,
});
const parts = {
  schemas,
  scopesOf: (operation: string) => [[`scope of ${operation}`], ['https://www.googleapis.com/auth/calendar']],
};
const root = 'https://gateway.example/';

interface Method {
  readonly id: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly parameters: Readonly<Record<string, { readonly location: string }>>;
  readonly request?: { readonly $ref: string };
  readonly response?: { readonly $ref: string };
  readonly scopes: readonly string[];
}

interface Document {
  readonly [name: string]: unknown;
  readonly schemas: Readonly<
    Record<
      string,
      {
        readonly id: string;
        readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      }
    >
  >;
  readonly resources: Readonly<Record<string, { readonly methods: Readonly<Record<string, Method>> }>>;
}

const documentAt = (path: string): Document =>
  discover(`/discovery/v1/apis/${path}/rest`, apis, parts, root) as Document;
const methodsOf = ({ resources }: Document): readonly Method[] =>
  Object.values(resources).flatMap(({ methods }) => Object.values(methods));
const calendar = documentAt('calendar/v3');
const storage = documentAt('storage/v1');

test('the list leads to the documents, and nothing else is there', () => {
  expect(discover('/discovery/v1/apis', apis, parts, root)).toMatchObject({
    kind: 'discovery#directoryList',
    items: [
      { id: 'calendar:v3', discoveryRestUrl: `${root}discovery/v1/apis/calendar/v3/rest` },
      { id: 'storage:v1', discoveryRestUrl: `${root}discovery/v1/apis/storage/v1/rest` },
    ],
  });
  for (const path of [
    '/discovery/v1/apis/',
    '/discovery/v1/apis/calendar/v1/rest',
    '/discovery/v1/apis/drive/v3/rest',
    '/discovery/v1/apis/calendar/v3',
  ]) {
    expect(discover(path, apis, parts, root)).toBeUndefined();
  }
});

test('a document says where its methods and its batches are', () => {
  expect(calendar).toMatchObject({
    kind: 'discovery#restDescription',
    discoveryVersion: 'v1',
    id: 'calendar:v3',
    name: 'calendar',
    version: 'v3',
    rootUrl: root,
    servicePath: 'calendar/v3/',
    baseUrl: `${root}calendar/v3/`,
    basePath: '/calendar/v3/',
    batchPath: 'batch/calendar/v3',
    parameters: {
      alt: { location: 'query', enum: ['json'] },
      fields: { location: 'query' },
      prettyPrint: {},
      key: {},
      quotaUser: {},
      userIp: {},
    },
  });
  expect(storage).toMatchObject({
    id: 'storage:v1',
    servicePath: 'storage/v1/',
    batchPath: 'batch/storage/v1',
  });
});

test('the address in it is that of the request', () => {
  expect(rootUrlOf({ host: 'here.example:81' })).toBe('http://here.example:81/');
  expect(rootUrlOf({ host: 'here.example', 'x-forwarded-proto': 'https, http' })).toBe(
    root.replace('gateway', 'here'),
  );
  expect(rootUrlOf({ host: 'here.example', 'x-forwarded-proto': ['HTTPS'] })).toBe(
    root.replace('gateway', 'here'),
  );
  expect(rootUrlOf({ 'x-forwarded-proto': 'http, https' })).toBe('http:///');
});

test('every method of the table is in its document once, and those that delete have no answer', () => {
  for (const [index, document] of [calendar, storage].entries()) {
    const methods = methodsOf(document);
    expect(methods.map(({ id }) => id).sort()).toEqual(apis[index]?.methods.map(({ id }) => id).sort());
    for (const { id, httpMethod, response, request } of methods) {
      expect([id, response !== undefined]).toEqual([id, httpMethod !== 'DELETE']);
      expect([id, request !== undefined]).toEqual([id, ['POST', 'PUT', 'PATCH'].includes(httpMethod)]);
    }
  }
});

test('the page about it names every method, and none that is not there', () => {
  const rows = [
    ...readFileSync(new URL('../../../../docs/rest.md', import.meta.url), 'utf8').matchAll(
      /^\| ([\w, ]+) \| ((?:`\w+`[,;]? ?)+)\|/gm,
    ),
  ];
  const named = rows.flatMap(([, resources = '', methods = '']) => {
    const names = resources.split(', ');
    // Several resources have a method each.
    return methods
      .split('; ')
      .flatMap((list, index) =>
        [...list.matchAll(/\w+/g)].map(([method]) => `${names[index] ?? ''}.${method}`),
      );
  });
  expect(named.sort()).toEqual(
    apis.flatMap((api) => api.methods.map(({ id }) => id.replace(/^\w+\./, ''))).sort(),
  );
});

test('parameters and properties say what they take', () => {
  const list = methodsOf(calendar).find(({ id }) => id === 'calendar.events.list');
  expect(list).toMatchObject({
    parameterOrder: ['calendarId'],
    parameters: {
      calendarId: { type: 'string', location: 'path', required: true },
      maxResults: {
        type: 'integer',
        format: 'int32',
        location: 'query',
        minimum: '1',
        maximum: '2500',
        default: '250',
      },
      timeMin: { type: 'string', format: 'date-time' },
      privateExtendedProperty: { type: 'string', repeated: true },
      orderBy: { enum: ['startTime', 'updated'] },
    },
  });
  expect(Object.values(list?.parameters ?? {}).filter((parameter) => 'required' in parameter)).toHaveLength(
    1,
  );
  expect(calendar.schemas.Event?.properties).toMatchObject({
    created: { type: 'string', format: 'date-time' },
    sequence: { type: 'integer', format: 'int32' },
    visibility: { type: 'string', enum: ['default', 'public', 'private', 'confidential'] },
    attendees: { type: 'array', items: { $ref: 'EventAttendee' } },
    guestsCanModify: { type: 'boolean' },
    extendedProperties: {
      type: 'object',
      properties: { private: { type: 'object', additionalProperties: { type: 'string' } } },
    },
  });
});

test('all schemas that are named are there, each is used, and none says what only the gateway knows', () => {
  for (const document of [calendar, storage]) {
    const named = new Set([...JSON.stringify(document).matchAll(/"\$ref":"(\w+)"/g)].map(([, name]) => name));
    expect(Object.keys(document.schemas)).toEqual([...named].sort());
    expect(JSON.stringify(document)).not.toMatch(/"(field|standard|spelled|constant)":/);
    for (const [name, { id }] of Object.entries(document.schemas)) expect(id).toBe(name);
  }
  expect(Object.keys(storage.schemas)).not.toContain('Event');
});

test('a document names all scopes of its methods', () => {
  const all = new Set(methodsOf(calendar).flatMap(({ scopes }) => scopes));
  expect(Object.keys((calendar.auth as { oauth2: { scopes: object } }).oauth2.scopes).sort()).toEqual(
    [...all].sort(),
  );
  expect(methodsOf(calendar).find(({ id }) => id === 'calendar.freebusy.query')?.scopes).toContain(
    'scope of calendars',
  );
});

test('pages can be turned: whoever takes a page token has one in its answer', () => {
  const paged = [calendar, storage].flatMap((document) =>
    methodsOf(document)
      .filter(({ parameters }) => 'pageToken' in parameters)
      .map(({ id, response }) => [
        id,
        'nextPageToken' in (document.schemas[response?.$ref ?? '']?.properties ?? {}),
      ]),
  );
  expect(paged).not.toEqual([]);
  expect(paged.filter(([, has]) => !has)).toEqual([]);
});

describe('the names of @googleapis/calendar', () => {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@googleapis/calendar')));
  const types = readFileSync(join(folder, 'v3.d.ts'), 'utf8');
  const code = readFileSync(join(folder, 'v3.js'), 'utf8');
  const namesIn = (interfaceName: string): readonly string[] | undefined => {
    const [, body] =
      new RegExp(
        `interface ${interfaceName.replaceAll('$', '\\$')}(?: extends \\w+)? \\{\\n(.*?)\\n {4}\\}`,
        'si',
      ).exec(types) ?? [];
    return body === undefined
      ? undefined
      : [...body.matchAll(/^ {8}'?([\w-]+)'?\?:/gm)].map(([, name = '']) => name);
  };
  /** Parameters that this gateway has beside the official ones: arguments of its operations. */
  const own = (id: string): readonly string[] => [
    'validateOnly',
    'requestId',
    ...(id === 'calendar.calendars.delete' ? ['sendUpdates'] : []),
    ...(id === 'calendar.events.insert' ? ['alwaysIncludeEmail'] : []),
  ];

  test.each(Object.keys(calendar.schemas))('are those of the schema %s', (name) => {
    const official = namesIn(`Schema$${name}`);
    expect(official).toBeDefined();
    expect(
      Object.keys(calendar.schemas[name]?.properties ?? {}).filter(
        (property) => !official?.includes(property),
      ),
    ).toEqual([]);
  });

  test.each(methodsOf(calendar))('are those of $id', ({ id, path, httpMethod, parameters }) => {
    const [, resource, method] = id.split('.');
    const official = namesIn(`Params$Resource$${resource}$${method}`);
    expect(official).toBeDefined();
    expect(
      Object.keys(parameters).filter((name) => !own(id).includes(name) && !official?.includes(name)),
    ).toEqual([]);
    const calls = [...code.matchAll(/\(rootUrl \+\s+'\/calendar\/v3\/([^']*)'\).*?method: '(\w+)'/gs)].map(
      ([, url, verb]) => `${verb} ${url}`,
    );
    expect(calls).toContain(`${httpMethod} ${path}`);
  });
});
