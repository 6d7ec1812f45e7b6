import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, tokenFor, type TestGateway } from '../../../harness.ts';

const body = 'query Listed($id: String!) { event(calendarId: "primary", eventId: $id) { id summary } }';
const operationOf = (text: string, id = createHash('sha256').update(text).digest('hex')) => ({
  id,
  name: 'Listed',
  type: 'query',
  body: text,
});
const folder = mkdtempSync(join(tmpdir(), 'operations-'));
const file = join(folder, 'manifest.json');
const write = (...operations: object[]): void =>
  writeFileSync(file, JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }));

afterAll(() => rmSync(folder, { recursive: true }));

const persistedBy = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });
const notFound = { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };

async function sent({ app }: TestGateway, payload: object) {
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

const byHash = (gateway: TestGateway, text: string) => sent(gateway, persistedBy(operationOf(text).id));

describe('a list of operations', () => {
  test.each(['on', 'off', 'eager'])(
    'is known by hash at once (%s), and others are allowed',
    async (compiled) => {
      const shared =
        'query Shared($id: String!) { event(calendarId: "primary", eventId: $id) { ...Names } } fragment Names on Event { id }';
      const about = '{ __type(name: "Event") { name } }';
      write(
        ...[body, shared, about, 'subscription { calendarChanged(calendarId: "primary") { changedAt } }'].map(
          (text) => operationOf(text),
        ),
      );
      const gateway = await startGateway({ OPERATIONS_FILE: file, COMPILED_OPERATIONS: compiled });
      for (const text of [body, shared])
        expect(await byHash(gateway, text)).toMatchObject({ data: { event: { id: 'teammeeting' } } });
      expect(await byHash(gateway, about)).toEqual({ data: { __type: { name: 'Event' } } });
      for (let again = 0; again < 2; again += 1) {
        expect((await gateway.ask('{ calendars { id } }')).errors).toBeUndefined();
        expect((await gateway.ask('{ nothing }')).errors?.[0]?.message).toMatch(/nothing/);
      }
      await gateway.close();
    },
  );

  test('may be all that runs', async () => {
    write(operationOf(body));
    const gateway = await startGateway({ OPERATIONS_FILE: file, OPERATIONS: 'listed' });
    expect((await gateway.ask(body, { id: 'teammeeting' })).errors).toBeUndefined();
    const other = await gateway.ask('{ calendars { id } }');
    expect(other.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'forbidden' });
    expect(other.data).toBeUndefined();
    await gateway.close();
  });

  test.each<[string, object]>([
    [
      'an Apollo manifest',
      { format: 'apollo-persisted-query-manifest', version: 1, operations: [operationOf(body, 'Listed')] },
    ],
    ["graphql-codegen's persisted-documents.json, or Relay's map", { Listed: body }],
  ])('is read from %s, whose keys are names for documentId', async (_form, manifest) => {
    writeFileSync(file, JSON.stringify(manifest));
    const gateway = await startGateway({ OPERATIONS_FILE: file, OPERATIONS: 'listed' });
    const found = { data: { event: { id: 'teammeeting' } } };
    for (const documentId of ['Listed', 'sha256:Listed'])
      expect(await sent(gateway, { documentId })).toMatchObject(found);
    expect(await sent(gateway, { documentId: 'Listed', query: body })).toMatchObject(found);
    expect(await sent(gateway, { documentId: 'other' })).toMatchObject(notFound);
    const { body: answer } = await gateway.app.inject({
      url: `/graphql?documentId=Listed&variables=${encodeURIComponent('{"id":"teammeeting"}')}`,
      headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
    });
    expect(JSON.parse(answer)).toMatchObject(found);
    await gateway.close();
  });

  test('stops the start when it cannot be used, and says all that is wrong', async () => {
    write(operationOf('{ nothing }'), {});
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
  test('is the SHA-256 of a document that was sent before', async () => {
    const gateway = await startGateway({});
    const documentId = operationOf(body).id;
    expect(await sent(gateway, { documentId })).toMatchObject(notFound);
    for (const more of [{ query: body }, {}, persistedBy(documentId)])
      expect(
        await sent(gateway, { documentId: `sha256:${documentId.toUpperCase()}`, ...more }),
      ).toMatchObject({
        data: { event: { id: 'teammeeting' } },
      });
    await gateway.close();
  });

  test.each<[string, object, string]>([
    ['a name', { documentId: 'Listed' }, 'documentId must be the SHA-256 of the document'],
    ['another hash than that of the query', { documentId: 'a'.repeat(64), query: body }, 'another document'],
    [
      'another hash than sha256Hash',
      { documentId: 'a'.repeat(64), ...persistedBy('b'.repeat(64)) },
      'another document',
    ],
    ['empty', { documentId: '' }, '1 to 256 characters'],
    ['only a prefix', { documentId: 'sha256:' }, 'SHA-256'],
    ['too long', { documentId: 'a'.repeat(257) }, '1 to 256 characters'],
    ['a number', { documentId: 1 }, '1 to 256 characters'],
  ])('is refused if it is %s', async (_case, payload, message) => {
    const gateway = await startGateway({});
    const { errors } = await sent(gateway, payload);
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    await gateway.close();
  });
});
