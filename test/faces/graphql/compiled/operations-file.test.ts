import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, tokenFor, type TestGateway } from '../../../harness.ts';

const listedQuery =
  'query Listed($id: String!) { event(calendarId: "primary", eventId: $id) { id summary } }';
const manifestEntryOf = (text: string, id = createHash('sha256').update(text).digest('hex')) => ({
  id,
  name: 'Listed',
  type: 'query',
  body: text,
});
const folder = mkdtempSync(join(tmpdir(), 'operations-'));
const manifestFile = join(folder, 'manifest.json');
const writeManifest = (...operations: object[]): void =>
  writeFileSync(
    manifestFile,
    JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }),
  );

afterAll(() => rmSync(folder, { recursive: true }));

const createPersistedQueryFields = (sha256Hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash } },
});
const notFoundResponse = { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };

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
  send(gateway, createPersistedQueryFields(manifestEntryOf(text).id));

describe('OPERATIONS_FILE', () => {
  test.each(['on', 'off', 'eager'])(
    'makes operations known by hash at start, and allows others (COMPILED_OPERATIONS=%s)',
    async (compileMode) => {
      const fragmentQuery =
        'query Shared($id: String!) { event(calendarId: "primary", eventId: $id) { ...Names } } fragment Names on Event { id }';
      const introspection = '{ __type(name: "Event") { name } }';
      const subscription = 'subscription { calendarChanged(calendarId: "primary") { changedAt } }';
      writeManifest(
        ...[listedQuery, fragmentQuery, introspection, subscription].map((text) => manifestEntryOf(text)),
      );
      const gateway = await startGateway({ OPERATIONS_FILE: manifestFile, COMPILED_OPERATIONS: compileMode });
      for (const text of [listedQuery, fragmentQuery])
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
    writeManifest(manifestEntryOf(listedQuery));
    const gateway = await startGateway({ OPERATIONS_FILE: manifestFile, OPERATIONS: 'listed' });
    expect((await gateway.ask(listedQuery, { id: 'teammeeting' })).errors).toBeUndefined();
    const unlistedAnswer = await gateway.ask('{ calendars { id } }');
    expect(unlistedAnswer.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'forbidden' });
    expect(unlistedAnswer.data).toBeUndefined();
    await gateway.close();
  });

  test.each<[string, object]>([
    [
      'an Apollo manifest',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [manifestEntryOf(listedQuery, 'Listed')],
      },
    ],
    ["graphql-codegen's persisted-documents.json, or Relay's map", { Listed: listedQuery }],
  ])('may be %s; its ids or keys are values of documentId', async (_form, manifest) => {
    writeFileSync(manifestFile, JSON.stringify(manifest));
    const gateway = await startGateway({ OPERATIONS_FILE: manifestFile, OPERATIONS: 'listed' });
    const expectedEvent = { data: { event: { id: 'teammeeting' } } };
    for (const documentId of ['Listed', 'sha256:Listed'])
      expect(await send(gateway, { documentId })).toMatchObject(expectedEvent);
    expect(await send(gateway, { documentId: 'Listed', query: listedQuery })).toMatchObject(expectedEvent);
    expect(await send(gateway, { documentId: 'other' })).toMatchObject(notFoundResponse);
    const { body: answer } = await gateway.app.inject({
      url: `/graphql?documentId=Listed&variables=${encodeURIComponent('{"id":"teammeeting"}')}`,
      headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
    });
    expect(JSON.parse(answer)).toMatchObject(expectedEvent);
    await gateway.close();
  });

  test('that is invalid stops the start with a report of all its errors', async () => {
    writeManifest(manifestEntryOf('{ nothing }'), {});
    await expect(startGateway({ OPERATIONS_FILE: manifestFile })).rejects.toThrow(
      /nothing[\s\S]*id and a body/,
    );
    writeFileSync(manifestFile, JSON.stringify({ first: '{ nothing }', second: 1 }));
    await expect(startGateway({ OPERATIONS_FILE: manifestFile })).rejects.toThrow(
      /first: [\s\S]*second: it must have/,
    );
    for (const text of [
      '[]',
      '{"format":"other","version":1,"operations":[]}',
      JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations: {} }),
    ]) {
      writeFileSync(manifestFile, text);
      await expect(startGateway({ OPERATIONS_FILE: manifestFile })).rejects.toThrow(
        'it must be an apollo-persisted-query-manifest of version 1',
      );
    }
    await expect(startGateway({ OPERATIONS: 'listed' })).rejects.toThrow('needs OPERATIONS_FILE');
  });
});

describe('documentId without a manifest', () => {
  const otherHash = 'a'.repeat(64);

  test('is the SHA-256 of a document sent earlier', async () => {
    const gateway = await startGateway({});
    const documentId = manifestEntryOf(listedQuery).id;
    expect(await send(gateway, { documentId })).toMatchObject(notFoundResponse);
    for (const extraFields of [{ query: listedQuery }, {}, createPersistedQueryFields(documentId)])
      expect(
        await send(gateway, { documentId: `sha256:${documentId.toUpperCase()}`, ...extraFields }),
      ).toMatchObject({
        data: { event: { id: 'teammeeting' } },
      });
    await gateway.close();
  });

  test.each<[string, object, string]>([
    ['a name', { documentId: 'Listed' }, 'documentId must be the SHA-256 of the document'],
    ['the hash of another query', { documentId: otherHash, query: listedQuery }, 'another document'],
    [
      'another hash than sha256Hash',
      { documentId: otherHash, ...createPersistedQueryFields('b'.repeat(64)) },
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
