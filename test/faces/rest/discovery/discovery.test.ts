import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useRest } from '../rest.harness.ts';

/** A method, as a discovery document describes it. */
interface Method {
  readonly id: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly parameters: Readonly<Record<string, { readonly location: string; readonly required?: true }>>;
  readonly request?: { readonly $ref: string };
  readonly response?: { readonly $ref: string };
  readonly scopes: readonly string[];
}

interface Document {
  readonly servicePath: string;
  readonly auth: { readonly oauth2: { readonly scopes: object } };
  readonly schemas: Readonly<Record<string, { readonly id: string; readonly properties: object }>>;
  readonly resources: Readonly<Record<string, { readonly methods: Readonly<Record<string, Method>> }>>;
}

const listMethods = ({ resources }: Document): readonly Method[] =>
  Object.values(resources).flatMap(({ methods }) => Object.values(methods));
const rootUrl = 'http://gateway.example:4000/';

describe('discovery', () => {
  const rest = useRest({ CHANNELS: 'on' }).as(null).withHeaders({ host: 'gateway.example:4000' });
  const readDiscovery = (path: string, headers = {}) =>
    rest.withHeaders(headers).json(`GET /discovery/v1/apis${path}`);
  let calendar: Document;
  let storage: Document;
  beforeAll(async () => {
    calendar = await readDiscovery('/calendar/v3/rest');
    storage = await readDiscovery('/storage/v1/rest');
  });
  const findMethod = (id: string): Method => {
    const method = [calendar, storage].flatMap(listMethods).find((candidate) => candidate.id === id);
    if (!method) throw new Error(`There is no method ${id}.`);
    return method;
  };

  test('lists its documents, without a token', async () => {
    expect(await readDiscovery('')).toMatchObject({
      kind: 'discovery#directoryList',
      items: [
        { id: 'calendar:v3', discoveryRestUrl: `${rootUrl}discovery/v1/apis/calendar/v3/rest` },
        { id: 'storage:v1', discoveryRestUrl: `${rootUrl}discovery/v1/apis/storage/v1/rest` },
      ],
    });
  });

  test('has the URLs of methods and batches', () => {
    expect(calendar).toMatchObject({
      kind: 'discovery#restDescription',
      id: 'calendar:v3',
      rootUrl,
      servicePath: 'calendar/v3/',
      baseUrl: `${rootUrl}calendar/v3/`,
      basePath: '/calendar/v3/',
      batchPath: 'batch/calendar/v3',
      parameters: { alt: { location: 'query', enum: ['json'] }, fields: {}, prettyPrint: {}, key: {} },
    });
    expect(storage).toMatchObject({ servicePath: 'storage/v1/', batchPath: 'batch/storage/v1' });
  });

  test.each([
    ['https', 'https'],
    ['HTTPS', 'https'],
    ['https, http', 'https'],
    ['http, https', 'http'],
  ])('has the host of the request; X-Forwarded-Proto %s gives the scheme %s', async (header, scheme) => {
    const headers = { host: 'here.example', 'x-forwarded-proto': header };
    expect((await readDiscovery('/storage/v1/rest', headers)).baseUrl).toBe(
      `${scheme}://here.example/storage/v1/`,
    );
  });

  test('describes exactly the methods in docs/rest.md', () => {
    const page = readFileSync(new URL('../../../../docs/rest.md', import.meta.url), 'utf8');
    const tableRows = [...page.matchAll(/^\| ([\w, ]+) \| ((?:`\w+`[,;]? ?)+)\|/gm)];
    const documentedMethods = tableRows.flatMap(([, resources = '', methods = '']) => {
      const names = resources.split(', ');
      // Method lists of several resources are separated by semicolons.
      const methodLists = methods.split('; ').map((list) => [...list.matchAll(/\w+/g)]);
      return methodLists.flatMap((list, index) => list.map(([method]) => `${names[index] ?? ''}.${method}`));
    });
    const describedMethods = [calendar, storage]
      .flatMap(listMethods)
      .map(({ id }) => id.replace(/^\w+\./, ''));
    expect(describedMethods.sort()).toEqual(documentedMethods.sort());
  });

  test('describes only methods that exist, with a request type for POST (but move), PUT and PATCH, and a response type except for DELETE and stop', async () => {
    for (const document of [calendar, storage])
      for (const { id, httpMethod, path, request, response } of listMethods(document)) {
        const url = `/${document.servicePath}${path.replace(/\{\w+\}/g, 'x')}`;
        const needsToken = (await rest.status(`${httpMethod} ${url}`)) === 401;
        expect({ id, needsToken, request: !!request, response: !!response }).toEqual({
          id,
          needsToken: true,
          request: ['POST', 'PUT', 'PATCH'].includes(httpMethod) && id !== 'calendar.events.move',
          response: httpMethod !== 'DELETE' && id !== 'calendar.channels.stop',
        });
      }
  });

  test('has the types of parameters and properties', () => {
    const { parameters, ...listMethod } = findMethod('calendar.events.list');
    expect(listMethod).toMatchObject({ parameterOrder: ['calendarId'] });
    expect(parameters).toMatchObject({
      calendarId: { type: 'string', location: 'path', required: true },
      maxResults: { type: 'integer', format: 'int32', minimum: '1', maximum: '2500', default: '250' },
      timeMin: { type: 'string', format: 'date-time' },
      privateExtendedProperty: { type: 'string', repeated: true },
      orderBy: { enum: ['startTime', 'updated'] },
    });
    expect(Object.values(parameters).filter(({ required }) => required)).toHaveLength(1);
    expect(calendar.schemas.Event?.properties).toMatchObject({
      visibility: { type: 'string', enum: ['default', 'public', 'private', 'confidential'] },
      attendees: { type: 'array', items: { $ref: 'EventAttendee' } },
      extendedProperties: { properties: { private: { additionalProperties: { type: 'string' } } } },
    });
  });

  test('has exactly the schemas it refers to, without internal properties', () => {
    for (const document of [calendar, storage]) {
      const text = JSON.stringify(document);
      const names = new Set([...text.matchAll(/"\$ref":"(\w+)"/g)].map(([, name]) => name));
      expect(Object.keys(document.schemas)).toEqual([...names].sort());
      expect(Object.values(document.schemas).map(({ id }) => id)).toEqual(Object.keys(document.schemas));
      expect(text).not.toMatch(/"(field|constant|omittedDefault|officialValues|notOffered)":/);
    }
    expect(Object.keys(storage.schemas)).not.toContain('Event');
  });

  test('has the scopes of the GraphQL schema for each method', () => {
    const scopes = new Set(listMethods(calendar).flatMap((method) => method.scopes));
    expect(Object.keys(calendar.auth.oauth2.scopes).sort()).toEqual([...scopes].sort());
    const fullScope = 'https://www.googleapis.com/auth/calendar';
    const scopesOf = (method: string) => findMethod(`calendar.${method}`).scopes;
    expect(scopesOf('events.list')).toEqual(expect.arrayContaining([fullScope, `${fullScope}.readonly`]));
    expect(scopesOf('calendars.delete')).toEqual([fullScope]);
    expect(scopesOf('colors.get')).toEqual(scopesOf('calendarList.list'));
    expect(scopesOf('freebusy.query')).toContain(`${fullScope}.freebusy`);
    expect(scopesOf('events.update')).toEqual(scopesOf('events.patch'));
  });

  test('has nextPageToken in the response of every method that takes a page token', () => {
    const pagedSchemas = [calendar, storage].flatMap(({ schemas, ...document }) =>
      listMethods({ schemas, ...document })
        .filter(({ parameters }) => 'pageToken' in parameters)
        .map(({ response }) => schemas[response?.$ref ?? '']),
    );
    expect(pagedSchemas.length).toBeGreaterThan(0);
    for (const schema of pagedSchemas) expect(schema?.properties).toHaveProperty('nextPageToken');
  });

  test('supports fields, prettyPrint and errors like other methods', async () => {
    expect(await readDiscovery('/storage/v1/rest?fields=id,schemas/Bucket/id')).toEqual({
      id: 'storage:v1',
      schemas: { Bucket: { id: 'Bucket' } },
    });
    expect((await rest.send('GET /discovery/v1/apis?prettyPrint=true')).body).toContain('{\n  "kind"');
    expect(await rest.send('GET /discovery/v1/apis/calendar/v3/rest?alt=xml&fields=(')).toMatchObject({
      status: 400,
      reasons: ['invalidParameter alt', 'invalidParameter fields'],
      json: { error: { errors: [{ locationType: 'parameter' }, {}] } },
    });
  });

  test('is 404 for other paths and 405 for other methods', async () => {
    for (const path of '/ /calendar /calendar/v3 /calendar/v2/rest /drive/v3/rest /calendar/v3/rest/'.split(
      ' ',
    ))
      expect([path, await readDiscovery(path)]).toMatchObject([
        path,
        { error: { code: 404, status: 'NOT_FOUND' } },
      ]);
    expect(await rest.send('POST /discovery/v1/apis', {})).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  });

  describe('compared with @googleapis/calendar', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('@googleapis/calendar'));
    const clientTypes = readFileSync(join(folder, 'v3.d.ts'), 'utf8');
    const clientCode = readFileSync(join(folder, 'v3.js'), 'utf8');
    /** Lists the names that an interface of the client does not have. */
    const findUnofficialNames = (names: object, interfaceName: string): readonly string[] => {
      const interfaceHead = `interface ${interfaceName.replaceAll('$', '\\$')}(?: extends \\w+)?`;
      const [, body] = new RegExp(`${interfaceHead} \\{\\n(.*?)\\n {4}\\}`, 'si').exec(clientTypes) ?? [];
      if (body === undefined) throw new Error(`The client has no interface ${interfaceName}.`);
      const officialNames = [...body.matchAll(/^ {8}'?([\w-]+)'?\?:/gm)].map(([, name]) => name);
      return Object.keys(names).filter((name) => !officialNames.includes(name));
    };

    test('has schemas with official names only', () => {
      for (const [name, { properties }] of Object.entries(calendar.schemas))
        expect([name, findUnofficialNames(properties, `Schema$${name}`)]).toEqual([name, []]);
    });

    test('has methods with official paths, and official parameters except those of this gateway', () => {
      const extraParameters: Readonly<Record<string, readonly string[]>> = {
        'calendar.calendars.delete': ['sendUpdates'],
        'calendar.events.insert': ['alwaysIncludeEmail'],
      };
      const officialCalls = [
        ...clientCode.matchAll(/\(rootUrl \+\s+'\/calendar\/v3\/([^']*)'\).*?method: '(\w+)'/gs),
      ].map(([, url, verb]) => `${verb} ${url}`);
      for (const { id, path, httpMethod, parameters } of listMethods(calendar)) {
        const [, resource, method] = id.split('.');
        const unofficialNames = findUnofficialNames(parameters, `Params$Resource$${resource}$${method}`);
        const allowedNames = ['validateOnly', 'requestId', ...(extraParameters[id] ?? [])];
        expect([id, unofficialNames.filter((name) => !allowedNames.includes(name))]).toEqual([id, []]);
        expect(officialCalls).toContain(`${httpMethod} ${path}`);
      }
    });
  });
});
