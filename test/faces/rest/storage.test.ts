import { startRest, type RestGateway } from './rest.harness.ts';

const configs = '/storage/v1/b/demo-photos/notificationConfigs';

describe('storage over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());

  test('keeps notifications', async () => {
    const made = await gateway.send(`POST ${configs}`, {
      topic: 'projects/p-roject/topics/topic',
      payload_format: 'NONE',
      custom_attributes: { a: 'b' },
      event_types: null,
    });
    expect([made.status, made.json]).toEqual([
      200,
      {
        kind: 'storage#notification',
        id: expect.stringMatching(/^\d+$/),
        etag: expect.any(String),
        selfLink: expect.stringContaining(configs),
        topic: '//pubsub.googleapis.com/projects/p-roject/topics/topic',
        payload_format: 'NONE',
        custom_attributes: { a: 'b' },
      },
    ]);
    expect(made.headers.etag).toBe(made.json.etag);
    expect((await gateway.send(`GET ${configs}/${made.json.id}`)).json).toEqual(made.json);
    const { kind, items } = (await gateway.send(`GET ${configs}`)).json;
    expect([kind, items.at(-1)]).toEqual(['storage#notifications', made.json]);
    expect([
      (await gateway.send(`DELETE ${configs}/${made.json.id}`)).status,
      (await gateway.send(`DELETE ${configs}/${made.json.id}`)).status,
    ]).toEqual([204, 404]);
    expect(await gateway.send(`GET ${configs}/99`)).toMatchObject({
      status: 404,
      reasons: ['notFound notification'],
    });
    expect(
      (await gateway.send(`POST ${configs}`, { custom_attributes: { 'goog-x': 'y' }, topic: 'x' })).reasons,
    ).toEqual(['invalid topic', 'invalid custom_attributes.goog-x']);
    expect((await gateway.send('GET /storage/v1/b/demo-drafts/notificationConfigs')).json.items).toEqual([]);
  });

  test('ends a notification that is as it was read', async () => {
    const { json } = await gateway.send(`POST ${configs}`, { topic: 'projects/p-roject/topics/topic' });
    const end = (header: string) =>
      gateway.send(`DELETE ${configs}/${json.id}`, undefined, { headers: { 'if-match': header } });
    expect(await end('"old"')).toMatchObject({
      status: 412,
      reasons: ['conditionNotMet If-Match'],
      headers: { etag: json.etag },
    });
    expect((await end(json.etag)).status).toBe(204);
  });

  test('heeds the metageneration of buckets', async () => {
    const { json } = await gateway.send(
      'POST /storage/v1/b?project=new-project&predefinedAcl=private&projection=full',
      { name: 'counted-bucket' },
    );
    const ask = (verb: string, query: string, body?: object) =>
      gateway.send(`${verb} /storage/v1/b/counted-bucket?${query}`, body);
    for (const verb of ['GET', 'PATCH', 'DELETE']) {
      expect(await ask(verb, 'ifMetagenerationMatch=2', verb === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 412,
        reasons: ['conditionNotMet ifMetagenerationMatch'],
        headers: { etag: json.etag },
        json: { error: { errors: [{ locationType: 'parameter' }] } },
      });
      expect(
        (await ask(verb, 'ifMetagenerationMatch=many', verb === 'PATCH' ? {} : undefined)).reasons,
      ).toEqual(['invalidParameter ifMetagenerationMatch']);
    }
    for (const verb of ['PATCH', 'DELETE'])
      expect(await ask(verb, 'ifMetagenerationNotMatch=1', verb === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 412,
        reasons: ['conditionNotMet ifMetagenerationNotMatch'],
      });
    expect([
      (await ask('GET', 'ifMetagenerationNotMatch=1')).status,
      (await ask('GET', 'ifMetagenerationNotMatch=2&ifMetagenerationMatch=1')).json,
    ]).toEqual([304, json]);
    expect(
      (await ask('PATCH', 'ifMetagenerationMatch=01', { billing: { requesterPays: true } })).json
        .metageneration,
    ).toBe('2');
    expect((await ask('DELETE', 'ifMetagenerationNotMatch=1&ifMetagenerationMatch=2')).status).toBe(204);
  });

  test('knows who pays by the query, or else by a header', async () => {
    const paid = '/storage/v1/b/demo-archive/notificationConfigs';
    expect(await gateway.send(`GET ${paid}`)).toMatchObject({
      status: 400,
      reasons: ['required userProject'],
    });
    expect((await gateway.send(`GET ${paid}?userProject=my-project`)).status).toBe(200);
    expect(
      (await gateway.send(`GET ${paid}`, undefined, { headers: { 'x-goog-user-project': 'my-project' } }))
        .status,
    ).toBe(200);
    expect(
      (
        await gateway.send(`GET ${paid}?userProject=my-project`, undefined, {
          headers: { 'x-goog-user-project': '!' },
        })
      ).status,
    ).toBe(200);
    expect(
      await gateway.send(`GET ${paid}`, undefined, { headers: { 'x-goog-user-project': '!' } }),
    ).toMatchObject({
      status: 400,
      reasons: ['invalid x-goog-user-project'],
      json: { error: { errors: [{ locationType: 'header' }] } },
    });
    expect(
      await gateway.send(`GET ${paid}?userProject=!`, undefined, {
        headers: { 'x-goog-user-project': 'my-project' },
      }),
    ).toMatchObject({ status: 400, reasons: ['invalid userProject'] });
    expect(
      (
        await gateway.send(`POST ${paid}?provisionalUserProject=my-project`, {
          topic: 'projects/p-roject/topics/topic',
        })
      ).status,
    ).toBe(200);
    expect((await gateway.send(`GET ${configs}?userProject=my-project`)).status).toBe(200);
  });

  test('keeps buckets, which both faces know', async () => {
    const made = await gateway.send('POST /storage/v1/b?project=new-project', {
      name: 'rest-bucket',
      billing: { requesterPays: true },
      location: 'EU',
    });
    expect([made.status, made.json]).toEqual([
      200,
      {
        kind: 'storage#bucket',
        id: 'rest-bucket',
        name: 'rest-bucket',
        etag: expect.any(String),
        selfLink: 'https://www.googleapis.com/storage/v1/b/rest-bucket',
        metageneration: '1',
        timeCreated: expect.any(String),
        updated: expect.any(String),
        billing: { requesterPays: true },
      },
    ]);
    const { data } = await gateway.ask(
      '{ bucket(bucket: "rest-bucket", userProject: "my-project") { etag managers } }',
    );
    expect(data.bucket).toEqual({ etag: made.json.etag, managers: ['alice@example.com'] });
    const patched = await gateway.send(
      'PATCH /storage/v1/b/rest-bucket',
      { billing: { requesterPays: false } },
      { headers: { 'if-match': made.json.etag } },
    );
    expect([patched.json.billing, patched.json.metageneration]).toEqual([undefined, '2']);
    expect((await gateway.send('GET /storage/v1/b/rest-bucket')).json).toEqual(patched.json);
    expect((await gateway.send('GET /storage/v1/b/rest-bucket/o')).json).toEqual({
      kind: 'storage#objects',
      items: [],
    });
    expect(
      (await gateway.send('GET /storage/v1/b/rest-bucket/o', undefined, { as: 'bob@example.com' })).status,
    ).toBe(404);
    expect([
      (await gateway.send('DELETE /storage/v1/b/rest-bucket')).status,
      (await gateway.send('DELETE /storage/v1/b/rest-bucket')).status,
    ]).toEqual([204, 404]);
    expect((await gateway.send('POST /storage/v1/b?project=new-project', { name: 'X' })).reasons).toContain(
      'invalid name',
    );
  });

  test('lists the buckets of a project in pages, by the beginning of their names', async () => {
    for (const name of ['list-a1', 'list-b1', 'list-b2', 'list-b3', 'list-c1'])
      await gateway.send('POST /storage/v1/b?project=list-project', { name });
    const list = async (query = '') =>
      (await gateway.send(`GET /storage/v1/b?project=list-project${query}`)).json;
    const names = ({ items }: { items: readonly { name: string }[] }) => items.map(({ name }) => name);
    expect([(await list()).kind, names(await list())]).toEqual([
      'storage#buckets',
      ['list-a1', 'list-b1', 'list-b2', 'list-b3', 'list-c1'],
    ]);
    const first = await list('&prefix=list-b&maxResults=2');
    expect(names(first)).toEqual(['list-b1', 'list-b2']);
    const second = (await gateway.send(`GET /storage/v1/b?pageToken=${first.nextPageToken}`)).json;
    expect([names(second), second.nextPageToken]).toEqual([['list-b3'], undefined]);
    expect((await list('&prefix=none')).items).toEqual([]);
    expect(
      (await gateway.send(`GET /storage/v1/b?pageToken=${first.nextPageToken}&projection=full&userProject=p`))
        .status,
    ).toBe(200);
    for (const query of [`${first.nextPageToken}&prefix=x`, 'x'])
      expect((await gateway.send(`GET /storage/v1/b?pageToken=${query}`)).reasons).toEqual([
        'invalid pageToken',
      ]);
  });
});

test('buckets are found by the beginning of their names, however many come before', async () => {
  const buckets = Array.from({ length: 1002 }, (_, index) => ({
    name: `${index < 1000 ? 'early' : 'late'}-${1000 + index}`,
    project: 'large-project',
    managers: ['alice@example.com'],
  }));
  const gateway = await startRest({}, { seed: { calendars: [], buckets } });
  const { items, nextPageToken } = (
    await gateway.send('GET /storage/v1/b?project=large-project&prefix=late&maxResults=1')
  ).json;
  const second = (await gateway.send(`GET /storage/v1/b?pageToken=${nextPageToken}`)).json;
  expect([items[0].name, second.items[0].name, second.nextPageToken]).toEqual([
    'late-2000',
    'late-2001',
    undefined,
  ]);
  await gateway.close();
});
