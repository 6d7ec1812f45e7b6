import { startRest, useRest } from './rest.harness.ts';

const configs = '/storage/v1/b/demo-photos/notificationConfigs';
const topic = 'projects/p-roject/topics/topic';

describe('storage over REST', () => {
  const rest = useRest();

  test('creates, reads, lists and deletes notifications', async () => {
    const body = { payload_format: 'NONE', custom_attributes: { a: 'b' } };
    const { json, headers } = await rest.send(`POST ${configs}`, { ...body, topic, event_types: null });
    expect(json).toEqual({
      ...body,
      kind: 'storage#notification',
      id: expect.stringMatching(/^\d+$/),
      etag: headers.etag,
      selfLink: expect.stringContaining(configs),
      topic: `//pubsub.googleapis.com/${topic}`,
    });
    expect(await rest.json(`GET ${configs}/${json.id}`)).toEqual(json);
    const { kind, items } = await rest.json(`GET ${configs}`);
    expect([kind, items.at(-1)]).toEqual(['storage#notifications', json]);
    expect((await rest.json('GET /storage/v1/b/demo-drafts/notificationConfigs')).items).toEqual([]);
    expect(await rest.status(`DELETE ${configs}/${json.id}`)).toBe(204);
    for (const request of [`DELETE ${configs}/${json.id}`, `GET ${configs}/99`])
      expect(await rest.refusal(request)).toBe('404 notFound notification');
    const invalid = { custom_attributes: { 'goog-x': 'y' }, topic: 'x' };
    expect(await rest.refusal(`POST ${configs}`, invalid)).toBe(
      '400 invalid custom_attributes.goog-x, invalid topic',
    );
  });

  test('deletes a notification only if If-Match has its etag', async () => {
    const { id, etag } = await rest.json(`POST ${configs}`, { topic });
    const remove = (header: string) =>
      rest.withHeaders({ 'if-match': header }).send(`DELETE ${configs}/${id}`);
    expect(await remove('"old"')).toMatchObject({
      status: 412,
      reasons: ['conditionNotMet If-Match'],
      headers: { etag },
    });
    expect((await remove(etag)).status).toBe(204);
  });

  test('checks ifMetagenerationMatch and ifMetagenerationNotMatch of buckets', async () => {
    const query = 'project=new-project&predefinedAcl=private&projection=full';
    const json = await rest.json(`POST /storage/v1/b?${query}`, { name: 'counted-bucket' });
    const send = (verb: string, condition: string, body: object = {}) =>
      rest.send(`${verb} /storage/v1/b/counted-bucket?${condition}`, verb === 'PATCH' ? body : undefined);
    for (const [verb, parameter, value] of [
      ['GET', 'ifMetagenerationMatch', 2],
      ['PATCH', 'ifMetagenerationMatch', 2],
      ['DELETE', 'ifMetagenerationMatch', 2],
      ['PATCH', 'ifMetagenerationNotMatch', 1],
      ['DELETE', 'ifMetagenerationNotMatch', 1],
    ] as const) {
      expect(await send(verb, `${parameter}=${value}`)).toMatchObject({
        status: 412,
        reasons: [`conditionNotMet ${parameter}`],
        headers: { etag: json.etag },
        json: { error: { errors: [{ locationType: 'parameter' }] } },
      });
      expect((await send(verb, `${parameter}=many`)).reasons).toEqual([`invalidParameter ${parameter}`]);
    }
    expect((await send('GET', 'ifMetagenerationNotMatch=1')).status).toBe(304);
    expect((await send('GET', 'ifMetagenerationNotMatch=2&ifMetagenerationMatch=1')).json).toEqual(json);
    const paid = { billing: { requesterPays: true } };
    expect((await send('PATCH', 'ifMetagenerationMatch=01', paid)).json.metageneration).toBe('2');
    expect((await send('DELETE', 'ifMetagenerationNotMatch=1&ifMetagenerationMatch=2')).status).toBe(204);
  });

  test('takes the paying project from userProject, else from x-goog-user-project', async () => {
    const paid = '/storage/v1/b/demo-archive/notificationConfigs';
    const withProject = (value: string) => rest.withHeaders({ 'x-goog-user-project': value });
    for (const [client, request, refusal] of [
      [rest, paid, '400 required userProject'],
      [rest, `${paid}?userProject=my-project`, '200'],
      [withProject('my-project'), paid, '200'],
      [withProject('!'), `${paid}?userProject=my-project`, '200'],
      [withProject('!'), paid, '400 invalid x-goog-user-project'],
      [withProject('my-project'), `${paid}?userProject=!`, '400 invalid userProject'],
      [rest, `${configs}?userProject=my-project`, '200'],
    ] as const)
      expect(await client.refusal(`GET ${request}`)).toBe(refusal);
    expect((await withProject('!').json(`GET ${paid}`)).error.errors).toMatchObject([
      { locationType: 'header' },
    ]);
    expect(await rest.status(`POST ${paid}?provisionalUserProject=my-project`, { topic })).toBe(200);
  });

  test('creates, patches, reads and deletes buckets, which GraphQL shows too', async () => {
    const bucket = '/storage/v1/b/rest-bucket';
    const billing = { requesterPays: true };
    const body = { name: 'rest-bucket', billing, location: 'EU' };
    const created = await rest.json('POST /storage/v1/b?project=new-project', body);
    expect(created).toEqual({
      kind: 'storage#bucket',
      id: 'rest-bucket',
      name: 'rest-bucket',
      etag: expect.any(String),
      selfLink: `https://www.googleapis.com${bucket}`,
      metageneration: '1',
      timeCreated: expect.any(String),
      updated: expect.any(String),
      billing,
    });
    const document = '{ bucket(bucket: "rest-bucket", userProject: "my-project") { etag managers } }';
    expect((await rest.ask(document)).data.bucket).toEqual({
      etag: created.etag,
      managers: ['alice@example.com'],
    });
    const ifUnchanged = rest.withHeaders({ 'if-match': created.etag });
    const patched = await ifUnchanged.json(`PATCH ${bucket}`, { billing: { requesterPays: false } });
    expect([patched.billing, patched.metageneration]).toEqual([undefined, '2']);
    expect(await rest.json(`GET ${bucket}`)).toEqual(patched);
    expect(await rest.json(`GET ${bucket}/o`)).toEqual({ kind: 'storage#objects', items: [] });
    expect(await rest.as('bob@example.com').status(`GET ${bucket}/o`)).toBe(404);
    expect([await rest.status(`DELETE ${bucket}`), await rest.status(`DELETE ${bucket}`)]).toEqual([
      204, 404,
    ]);
    expect(await rest.refusal('POST /storage/v1/b?project=new-project', { name: 'X' })).toContain(
      'invalid name',
    );
  });

  test('lists the buckets of a project in pages, filtered by prefix', async () => {
    const names = ['list-a1', 'list-b1', 'list-b2', 'list-b3', 'list-c1'];
    for (const name of names) await rest.send('POST /storage/v1/b?project=list-project', { name });
    const list = async (query: string) => {
      const { kind, items, nextPageToken } = await rest.json(`GET /storage/v1/b?${query}`);
      expect(kind).toBe('storage#buckets');
      return { names: items.map(({ name }: { name: string }) => name), nextPageToken };
    };
    expect(await list('project=list-project')).toEqual({ names });
    expect(await list('project=list-project&prefix=none')).toEqual({ names: [] });
    const first = await list('project=list-project&prefix=list-b&maxResults=2');
    expect(first.names).toEqual(['list-b1', 'list-b2']);
    const token = first.nextPageToken as string;
    for (const query of ['', '&projection=full&userProject=p'])
      expect(await list(`pageToken=${token}${query}`)).toEqual({ names: ['list-b3'] });
    for (const query of [`${token}&prefix=x`, 'x'])
      expect(await rest.refusal(`GET /storage/v1/b?pageToken=${query}`)).toBe('400 invalid pageToken');
  });
});

test('buckets are found by a prefix after 1,000 others', async () => {
  const [project, managers] = ['large-project', ['alice@example.com']];
  const buckets = Array.from({ length: 1002 }, (_, index) => ({
    name: `${index < 1000 ? 'early' : 'late'}-${1000 + index}`,
    project,
    managers,
  }));
  const gateway = await startRest({}, { seed: { calendars: [], buckets } });
  const first = await gateway.json(`GET /storage/v1/b?project=${project}&prefix=late&maxResults=1`);
  expect(first.items).toMatchObject([{ name: 'late-2000' }]);
  const second = await gateway.json(`GET /storage/v1/b?pageToken=${first.nextPageToken}`);
  expect(second.items).toMatchObject([{ name: 'late-2001' }]);
  expect(second.nextPageToken).toBeUndefined();
  await gateway.close();
});
