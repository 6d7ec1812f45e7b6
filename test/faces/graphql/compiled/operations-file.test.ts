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

async function byHash({ app }: TestGateway, text: string) {
  const extensions = { persistedQuery: { version: 1, sha256Hash: operationOf(text).id } };
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await tokenFor('alice@example.com')}`,
  };
  const { body: answer } = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers,
    payload: JSON.stringify({ extensions, variables: { id: 'teammeeting' } }),
  });
  return JSON.parse(answer) as { data?: unknown; errors?: { extensions: { code: string } }[] };
}

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

  test('stops the start when it cannot be used, and says all that is wrong', async () => {
    write(operationOf('{ nothing }'), operationOf(body, 'a'.repeat(64)), {});
    await expect(startGateway({ OPERATIONS_FILE: file })).rejects.toThrow(
      /nothing[\s\S]*SHA-256[\s\S]*id and a body/,
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
