import { startRest, type RestGateway } from '../rest.harness.ts';

describe('discovery', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());
  const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    gateway.send(`GET /discovery/v1/apis${path}`, undefined, {
      as: null,
      headers: { host: 'gateway.example:4000', ...headers },
    });

  test('needs no token, and leads to where the request came to', async () => {
    const { json } = await read('');
    expect(json.items.map(({ discoveryRestUrl }: { discoveryRestUrl: string }) => discoveryRestUrl)).toEqual(
      ['calendar/v3', 'storage/v1'].map((api) => `http://gateway.example:4000/discovery/v1/apis/${api}/rest`),
    );
    expect((await read('/calendar/v3/rest')).json.rootUrl).toBe('http://gateway.example:4000/');
    expect((await read('/storage/v1/rest', { 'x-forwarded-proto': 'https' })).json.baseUrl).toBe(
      'https://gateway.example:4000/storage/v1/',
    );
  });

  test('knows the scopes of every method, those of the schema', async () => {
    const { json } = await read('/calendar/v3/rest');
    const scopes = 'https://www.googleapis.com/auth/calendar';
    expect(json.resources.events.methods.list.scopes).toEqual(
      expect.arrayContaining([scopes, `${scopes}.readonly`]),
    );
    expect(json.resources.calendars.methods.delete.scopes).toEqual([scopes]);
    expect(json.resources.colors.methods.get.scopes).toEqual(json.resources.calendarList.methods.list.scopes);
    expect(json.resources.events.methods.update.scopes).toEqual(json.resources.events.methods.patch.scopes);
  });

  test('has the parameters that clients send though they have no effect', async () => {
    const parameters = async (api: string, resource: string, method: string): Promise<readonly string[]> =>
      Object.keys((await read(`/${api}/rest`)).json.resources[resource].methods[method].parameters);
    for (const method of ['insert', 'patch', 'update'])
      expect(await parameters('calendar/v3', 'acl', method)).toContain('sendNotifications');
    expect(await parameters('calendar/v3', 'acl', 'list')).toEqual(
      expect.arrayContaining(['maxResults', 'pageToken', 'showDeleted', 'syncToken']),
    );
    expect(await parameters('storage/v1', 'objects', 'list')).toEqual(
      expect.arrayContaining([
        'delimiter',
        'endOffset',
        'includeTrailingDelimiter',
        'maxResults',
        'pageToken',
        'prefix',
        'projection',
        'startOffset',
        'versions',
      ]),
    );
    expect(await parameters('storage/v1', 'buckets', 'insert')).toEqual(
      expect.arrayContaining(['predefinedAcl', 'predefinedDefaultObjectAcl', 'projection']),
    );
    for (const method of ['list', 'get', 'patch'])
      expect(await parameters('storage/v1', 'buckets', method)).toContain('projection');
  });

  test('is answered as other methods are: in parts, indented, and with what is wrong', async () => {
    expect((await read('/storage/v1/rest?fields=id,schemas/Bucket/id')).json).toEqual({
      id: 'storage:v1',
      schemas: { Bucket: { id: 'Bucket' } },
    });
    expect((await read('?prettyPrint=true')).body).toContain('{\n  "kind"');
    expect(await read('/calendar/v3/rest?alt=xml&fields=(')).toMatchObject({
      status: 400,
      reasons: ['invalidParameter alt', 'invalidParameter fields'],
      json: { error: { errors: [{ locationType: 'parameter' }, {}] } },
    });
  });

  test('has nothing else', async () => {
    for (const path of [
      '/',
      '/calendar',
      '/calendar/v3',
      '/calendar/v2/rest',
      '/drive/v3/rest',
      '/calendar/v3/rest/',
    ]) {
      expect([path, await read(path)]).toMatchObject([
        path,
        { status: 404, json: { error: { status: 'NOT_FOUND' } } },
      ]);
    }
    expect(await gateway.send('POST /discovery/v1/apis', {}, { as: null })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  });

  test('is compressed for those who can read that', async () => {
    const packed = await fetch(`${await gateway.app.listen({ port: 0 })}/discovery/v1/apis/calendar/v3/rest`);
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([
      expect.stringMatching(/^(gzip|br)$/),
      expect.stringMatching(/accept-encoding/i),
    ]);
    expect(((await packed.json()) as { id: string }).id).toBe('calendar:v3');
  });
});
