import { startRest, useRest } from './rest.harness.ts';

const configsUrl = '/storage/v1/b/demo-photos/notificationConfigs';
const topic = 'projects/p-roject/topics/topic';

describe('storage over REST', () => {
  const rest = useRest();

  test('creates, reads, lists and deletes notifications', async () => {
    const body = { payload_format: 'NONE', custom_attributes: { a: 'b' } };
    const { json, headers } = await rest.send(`POST ${configsUrl}`, { ...body, topic, event_types: null });
    expect(json).toEqual({
      ...body,
      kind: 'storage#notification',
      id: expect.stringMatching(/^\d+$/),
      etag: headers.etag,
      selfLink: expect.stringContaining(configsUrl),
      topic: `//pubsub.googleapis.com/${topic}`,
    });
    expect(await rest.json(`GET ${configsUrl}/${json.id}`)).toEqual(json);
    const { kind, items } = await rest.json(`GET ${configsUrl}`);
    expect([kind, items.at(-1)]).toEqual(['storage#notifications', json]);
    expect((await rest.json('GET /storage/v1/b/demo-drafts/notificationConfigs')).items).toEqual([]);
    expect(await rest.status(`DELETE ${configsUrl}/${json.id}`)).toBe(204);
    for (const request of [`DELETE ${configsUrl}/${json.id}`, `GET ${configsUrl}/99`])
      expect(await rest.refusal(request)).toBe('404 notFound notification');
    const invalidNotification = { custom_attributes: { 'goog-x': 'y' }, topic: 'x' };
    expect(await rest.refusal(`POST ${configsUrl}`, invalidNotification)).toBe(
      '400 invalid custom_attributes.goog-x, invalid topic',
    );
  });

  test('deletes a notification only if If-Match has its etag', async () => {
    const { id, etag } = await rest.json(`POST ${configsUrl}`, { topic });
    const deleteIfMatch = (header: string) =>
      rest.withHeaders({ 'if-match': header }).send(`DELETE ${configsUrl}/${id}`);
    expect(await deleteIfMatch('"old"')).toMatchObject({
      status: 412,
      reasons: ['conditionNotMet If-Match'],
      headers: { etag },
    });
    expect((await deleteIfMatch(etag)).status).toBe(204);
  });

  test('checks ifMetagenerationMatch and ifMetagenerationNotMatch of buckets', async () => {
    const query = 'project=new-project&predefinedAcl=private&projection=full';
    const json = await rest.json(`POST /storage/v1/b?${query}`, { name: 'counted-bucket' });
    const sendWithCondition = (verb: string, condition: string, body: object = {}) =>
      rest.send(`${verb} /storage/v1/b/counted-bucket?${condition}`, verb === 'PATCH' ? body : undefined);
    for (const [verb, parameter, value] of [
      ['GET', 'ifMetagenerationMatch', 2],
      ['PATCH', 'ifMetagenerationMatch', 2],
      ['DELETE', 'ifMetagenerationMatch', 2],
      ['PATCH', 'ifMetagenerationNotMatch', 1],
      ['DELETE', 'ifMetagenerationNotMatch', 1],
    ] as const) {
      expect(await sendWithCondition(verb, `${parameter}=${value}`)).toMatchObject({
        status: 412,
        reasons: [`conditionNotMet ${parameter}`],
        headers: { etag: json.etag },
        json: { error: { errors: [{ locationType: 'parameter' }] } },
      });
      expect((await sendWithCondition(verb, `${parameter}=many`)).reasons).toEqual([
        `invalidParameter ${parameter}`,
      ]);
    }
    expect((await sendWithCondition('GET', 'ifMetagenerationNotMatch=1')).status).toBe(304);
    expect(
      (await sendWithCondition('GET', 'ifMetagenerationNotMatch=2&ifMetagenerationMatch=1')).json,
    ).toEqual(json);
    const requesterPaysPatch = { billing: { requesterPays: true } };
    expect(
      (await sendWithCondition('PATCH', 'ifMetagenerationMatch=01', requesterPaysPatch)).json.metageneration,
    ).toBe('2');
    expect(
      (await sendWithCondition('DELETE', 'ifMetagenerationNotMatch=1&ifMetagenerationMatch=2')).status,
    ).toBe(204);
  });

  test('takes the paying project from userProject, else from x-goog-user-project', async () => {
    const paidConfigsUrl = '/storage/v1/b/demo-archive/notificationConfigs';
    const withProject = (value: string) => rest.withHeaders({ 'x-goog-user-project': value });
    for (const [client, request, refusal] of [
      [rest, paidConfigsUrl, '400 required userProject'],
      [rest, `${paidConfigsUrl}?userProject=my-project`, '200'],
      [withProject('my-project'), paidConfigsUrl, '200'],
      [withProject('!'), `${paidConfigsUrl}?userProject=my-project`, '200'],
      [withProject('!'), paidConfigsUrl, '400 invalid x-goog-user-project'],
      [withProject('my-project'), `${paidConfigsUrl}?userProject=!`, '400 invalid userProject'],
      [rest, `${configsUrl}?userProject=my-project`, '200'],
    ] as const)
      expect(await client.refusal(`GET ${request}`)).toBe(refusal);
    expect((await withProject('!').json(`GET ${paidConfigsUrl}`)).error.errors).toMatchObject([
      { locationType: 'header' },
    ]);
    expect(await rest.status(`POST ${paidConfigsUrl}?provisionalUserProject=my-project`, { topic })).toBe(
      200,
    );
  });

  test('creates, patches, reads and deletes buckets, which GraphQL shows too', async () => {
    const bucketUrl = '/storage/v1/b/rest-bucket';
    const billing = { requesterPays: true };
    const body = { name: 'rest-bucket', billing, location: 'EU' };
    const createdBucket = await rest.json('POST /storage/v1/b?project=new-project', body);
    expect(createdBucket).toEqual({
      kind: 'storage#bucket',
      id: 'rest-bucket',
      name: 'rest-bucket',
      etag: expect.any(String),
      selfLink: `https://www.googleapis.com${bucketUrl}`,
      metageneration: '1',
      timeCreated: expect.any(String),
      updated: expect.any(String),
      billing,
    });
    const document = '{ bucket(bucket: "rest-bucket", userProject: "my-project") { etag managers } }';
    expect((await rest.ask(document)).data.bucket).toEqual({
      etag: createdBucket.etag,
      managers: ['alice@example.com'],
    });
    const conditionalClient = rest.withHeaders({ 'if-match': createdBucket.etag });
    const patchedBucket = await conditionalClient.json(`PATCH ${bucketUrl}`, {
      billing: { requesterPays: false },
    });
    expect([patchedBucket.billing, patchedBucket.metageneration]).toEqual([undefined, '2']);
    expect(await rest.json(`GET ${bucketUrl}`)).toEqual(patchedBucket);
    expect(await rest.json(`GET ${bucketUrl}/o`)).toEqual({ kind: 'storage#objects', items: [] });
    expect(await rest.as('bob@example.com').status(`GET ${bucketUrl}/o`)).toBe(404);
    expect([await rest.status(`DELETE ${bucketUrl}`), await rest.status(`DELETE ${bucketUrl}`)]).toEqual([
      204, 404,
    ]);
    expect(await rest.refusal('POST /storage/v1/b?project=new-project', { name: 'X' })).toContain(
      'invalid name',
    );
  });

  test('lists the buckets of a project in pages, filtered by prefix', async () => {
    const names = ['list-a1', 'list-b1', 'list-b2', 'list-b3', 'list-c1'];
    for (const name of names) await rest.send('POST /storage/v1/b?project=list-project', { name });
    const listBuckets = async (query: string) => {
      const { kind, items, nextPageToken } = await rest.json(`GET /storage/v1/b?${query}`);
      expect(kind).toBe('storage#buckets');
      return { names: items.map(({ name }: { name: string }) => name), nextPageToken };
    };
    expect(await listBuckets('project=list-project')).toEqual({ names });
    expect(await listBuckets('project=list-project&prefix=none')).toEqual({ names: [] });
    const firstPage = await listBuckets('project=list-project&prefix=list-b&maxResults=2');
    expect(firstPage.names).toEqual(['list-b1', 'list-b2']);
    const token = firstPage.nextPageToken as string;
    for (const query of ['', '&projection=full&userProject=p'])
      expect(await listBuckets(`pageToken=${token}${query}`)).toEqual({ names: ['list-b3'] });
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
  const firstLatePage = await gateway.json(`GET /storage/v1/b?project=${project}&prefix=late&maxResults=1`);
  expect(firstLatePage.items).toMatchObject([{ name: 'late-2000' }]);
  const secondLatePage = await gateway.json(`GET /storage/v1/b?pageToken=${firstLatePage.nextPageToken}`);
  expect(secondLatePage.items).toMatchObject([{ name: 'late-2001' }]);
  expect(secondLatePage.nextPageToken).toBeUndefined();
  await gateway.close();
});
