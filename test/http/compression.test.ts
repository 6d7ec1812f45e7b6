import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { tokenFor, useGateway } from '../harness.ts';

const introspectionQuery = '{ __schema { types { name description } } }';

describe('a response', () => {
  const gateway = useGateway();
  let authorization: string;
  beforeAll(async () => {
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });

  const post = (query: string, encoding?: string) => {
    const headers = { authorization, ...(encoding !== undefined && { 'accept-encoding': encoding }) };
    return gateway.app.inject({ method: 'POST', url: '/graphql', headers, payload: { query } });
  };

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip;q=0.5, br', 'br', brotliDecompressSync],
    ['deflate, gzip', 'gzip', gunzipSync],
  ])('of 1 kB or more is compressed for Accept-Encoding: %s', async (accept, encoding, decompress) => {
    const plain = await post(introspectionQuery);
    const packed = await post(introspectionQuery, accept);
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(packed.headers['content-length']).toBe(String(packed.rawPayload.length));
    expect(decompress(packed.rawPayload).toString()).toBe(plain.body);
    for (const { headers } of [plain, packed]) expect(headers.vary).toBe('Origin, Accept, Accept-Encoding');
  });

  test.each([undefined, '', 'identity', 'deflate', 'gzip;q=0', 'br;q=0.1, identity'])(
    'is sent uncompressed for Accept-Encoding: %s',
    async (accept) => {
      const { headers, body } = await post(introspectionQuery, accept);
      expect(headers['content-encoding']).toBeUndefined();
      expect(JSON.parse(body)).toHaveProperty('data.__schema');
    },
  );

  test('of less than 1 kB is sent uncompressed', async () => {
    const { headers, body } = await post('{ __typename }', 'gzip');
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin, Accept']);
    expect(JSON.parse(body)).toEqual({ data: { __typename: 'Query' } });
  });

  test('with a file of the explorer is compressed, but not a range of it', async () => {
    const { app } = await compose(readConfig({}), {
      logTarget: { write: (line) => expect(line).toBeUndefined() },
      includesProcessMetrics: false,
    });
    const get = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      app.inject({ method, url: '/explorer/main.js', headers: { host: 'localhost', ...headers } });
    const plain = await get({});
    for (const [encoding, decompress] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const packed = await get({ 'accept-encoding': encoding });
      expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Origin, Accept-Encoding' });
      expect(packed.headers['content-length']).toBeUndefined();
      expect(decompress(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    }
    const rangeResponse = await get({ 'accept-encoding': 'br', range: 'bytes=0-9999' });
    expect([rangeResponse.statusCode, rangeResponse.headers['content-encoding']]).toEqual([206, undefined]);
    expect(rangeResponse.rawPayload).toHaveLength(10_000);
    expect((await get({ 'accept-encoding': 'br' }, 'HEAD')).rawPayload).toHaveLength(0);
    await app.close();
  });
});
