import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, tokenFor, type TestGateway } from '../../../harness.ts';

const listedQuery =
  'query Listed($id: String!) { event(calendarId: "primary", eventId: $id) { id summary } }';
const entryOf = (text: string, id = createHash('sha256').update(text).digest('hex')) => ({
  id,
  name: 'Listed',
  type: 'query',
  body: text,
});
const folder = mkdtempSync(join(tmpdir(), 'operations-'));
const file = join(folder, 'manifest.json');
const writeManifest = (...operations: object[]): void =>
  writeFileSync(file, JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }));

afterAll(() => rmSync(folder, { recursive: true }));

const createPersistedExtension = (sha256Hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash } },
});
const notFound = { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };

async function send({ app }: TestGateway, payload: object) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await tokenFor('alice@example.com')}`,
  };
  const { body: answer } = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers,
    payload: JSON.stringify({ variables: { id: 'teammeeting' }, ...payload }),
  });
  return JSON.parse(answer) as { data?: unknown; errors?: { extensions: { code: string } }[] };
}

const sendHash = (gateway: TestGateway, text: string) =>
  send(gateway, createPersistedExtension(entryOf(text).id));

describe('OPERATIONS_FILE', () => {
  test.each(['on', 'off', 'eager'])(
    'makes operations known by hash at start, and allows others (COMPILED_OPERATIONS=%s)',
    async (compiled) => {
      const shared =
        'query Shared($id: String!) { event(calendarId: "primary", eventId: $id) { ...Names } } fragment Names on Event { id }';
      const introspection = '{ __type(name: "Event") { name } }';
      const subscription = 'subscription { calendarChanged(calendarId: "primary") { changedAt } }';
      writeManifest(...[listedQuery, shared, introspection, subscription].map((text) => entryOf(text)));
      const gateway = await startGateway({ OPERATIONS_FILE: file, COMPILED_OPERATIONS: compiled });
      for (const text of [listedQuery, shared])
        expect(await sendHash(gateway, text)).toMatchObject({ data: { event: { id: 'teammeeting' } } });
      expect(await sendHash(gateway, introspection)).toEqual({ data: { __type: { name: 'Event' } } });
      for (let round = 0; round < 2; round += 1) {
        expect((await gateway.ask('{ calendars { id } }')).errors).toBeUndefined();
        expect((await gateway.ask('{ nothing }')).errors?.[0]?.message).toMatch(/nothing/);
      }
      await gateway.close();
    },
  );

  test('lists the only operations allowed, with OPERATIONS=listed', async () => {
    writeManifest(entryOf(listedQuery));
    const gateway = await startGateway({ OPERATIONS_FILE: file, OPERATIONS: 'listed' });
    expect((await gateway.ask(listedQuery, { id: 'teammeeting' })).errors).toBeUndefined();
    const other = await gateway.ask('{ calendars { id } }');
    expect(other.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'forbidden' });
    expect(other.data).toBeUndefined();
    await gateway.close();
  });

  test.each<[string, object]>([
    [
      'an Apollo manifest',
      { format: 'apollo-persisted-query-manifest', version: 1, operations: [entryOf(listedQuery, 'Listed')] },
    ],
    ["graphql-codegen's persisted-documents.json, or Relay's map", { Listed: listedQuery }],
  ])('may be %s, whose keys are names for documentId', async (_form, manifest) => {
    writeFileSync(file, JSON.stringify(manifest));
    const gateway = await startGateway({ OPERATIONS_FILE: file, OPERATIONS: 'listed' });
    const found = { data: { event: { id: 'teammeeting' } } };
    for (const documentId of ['Listed', 'sha256:Listed'])
      expect(await send(gateway, { documentId })).toMatchObject(found);
    expect(await send(gateway, { documentId: 'Listed', query: listedQuery })).toMatchObject(found);
    expect(await send(gateway, { documentId: 'other' })).toMatchObject(notFound);
    const { body: answer } = await gateway.app.inject({
      url: `/graphql?documentId=Listed&variables=${encodeURIComponent('{"id":"teammeeting"}')}`,
      headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
    });
    expect(JSON.parse(answer)).toMatchObject(found);
    await gateway.close();
  });

  test('that is invalid stops the start with a report of all its errors', async () => {
    writeManifest(entryOf('{ nothing }'), {});
    await expect(startGateway({ OPERATIONS_FILE: file })).rejects.toThrow(/nothing[\s\S]*id and a body/);
    writeFileSync(file, JSON.stringify({ first: '{ nothing }', second: 1 }));
    await expect(startGateway({ OPERATIONS_FILE: file })).rejects.toThrow(
      /first: [\s\S]*second: it must have/,
    );
    for (const text of [
      '[]',
      '{"format":"other","version":1,"operations":[]}',
      JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations: {} }),
    ]) {
      writeFileSync(file, text);
      await expect(startGateway({ OPERATIONS_FILE: file })).rejects.toThrow(
        'it must be an apollo-persisted-query-manifest of version 1',
      );
    }
    await expect(startGateway({ OPERATIONS: 'listed' })).rejects.toThrow('needs OPERATIONS_FILE');
  });
});

describe('documentId without a manifest', () => {
  const hash = 'a'.repeat(64);

  test('is the SHA-256 of a document sent earlier', async () => {
    const gateway = await startGateway({});
    const documentId = entryOf(listedQuery).id;
    expect(await send(gateway, { documentId })).toMatchObject(notFound);
    for (const extraFields of [{ query: listedQuery }, {}, createPersistedExtension(documentId)])
      expect(
        await send(gateway, { documentId: `sha256:${documentId.toUpperCase()}`, ...extraFields }),
      ).toMatchObject({
        data: { event: { id: 'teammeeting' } },
      });
    await gateway.close();
  });

  test.each<[string, object, string]>([
    ['a name', { documentId: 'Listed' }, 'documentId must be the SHA-256 of the document'],
    ['the hash of another query', { documentId: hash, query: listedQuery }, 'another document'],
    [
      'another hash than sha256Hash',
      { documentId: hash, ...createPersistedExtension('b'.repeat(64)) },
      'another document',
    ],
    ['empty', { documentId: '' }, '1 to 256 characters'],
    ['only a prefix', { documentId: 'sha256:' }, 'SHA-256'],
    ['too long', { documentId: 'a'.repeat(257) }, '1 to 256 characters'],
    ['a number', { documentId: 1 }, '1 to 256 characters'],
  ])('is refused if it is %s', async (_case, payload, message) => {
    const gateway = await startGateway({});
    const { errors } = await send(gateway, payload);
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    await gateway.close();
  });
});
