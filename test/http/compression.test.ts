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

  const postQuery = (query: string, encoding?: string) => {
    const headers = { authorization, ...(encoding !== undefined && { 'accept-encoding': encoding }) };
    return gateway.app.inject({ method: 'POST', url: '/graphql', headers, payload: { query } });
  };

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip;q=0.5, br', 'br', brotliDecompressSync],
    ['deflate, gzip', 'gzip', gunzipSync],
  ])('of 1 kB or more is compressed for Accept-Encoding: %s', async (accept, encoding, decompress) => {
    const plainResponse = await postQuery(introspectionQuery);
    const compressedResponse = await postQuery(introspectionQuery, accept);
    expect(compressedResponse.headers['content-encoding']).toBe(encoding);
    expect(compressedResponse.rawPayload.length).toBeLessThan(plainResponse.rawPayload.length / 2);
    expect(compressedResponse.headers['content-length']).toBe(String(compressedResponse.rawPayload.length));
    expect(decompress(compressedResponse.rawPayload).toString()).toBe(plainResponse.body);
    for (const { headers } of [plainResponse, compressedResponse])
      expect(headers.vary).toBe('Origin, Accept, Accept-Encoding');
  });

  test.each([undefined, '', 'identity', 'deflate', 'gzip;q=0', 'br;q=0.1, identity'])(
    'is sent uncompressed for Accept-Encoding: %s',
    async (accept) => {
      const { headers, body } = await postQuery(introspectionQuery, accept);
      expect(headers['content-encoding']).toBeUndefined();
      expect(JSON.parse(body)).toHaveProperty('data.__schema');
    },
  );

  test('of less than 1 kB is sent uncompressed', async () => {
    const { headers, body } = await postQuery('{ __typename }', 'gzip');
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin, Accept']);
    expect(JSON.parse(body)).toEqual({ data: { __typename: 'Query' } });
  });

  test('with a file of the explorer is compressed, but not a range of it', async () => {
    const { app } = await compose(readConfig({}), {
      logTarget: { write: (line) => expect(line).toBeUndefined() },
      includesProcessMetrics: false,
    });
    const getExplorerFile = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      app.inject({ method, url: '/explorer/main.js', headers: { host: 'localhost', ...headers } });
    const plainFile = await getExplorerFile({});
    for (const [encoding, decompress] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const compressedFile = await getExplorerFile({ 'accept-encoding': encoding });
      expect(compressedFile.headers).toMatchObject({
        'content-encoding': encoding,
        vary: 'Origin, Accept-Encoding',
      });
      expect(compressedFile.headers['content-length']).toBeUndefined();
      expect(decompress(compressedFile.rawPayload).equals(plainFile.rawPayload)).toBe(true);
    }
    const rangeResponse = await getExplorerFile({ 'accept-encoding': 'br', range: 'bytes=0-9999' });
    expect([rangeResponse.statusCode, rangeResponse.headers['content-encoding']]).toEqual([206, undefined]);
    expect(rangeResponse.rawPayload).toHaveLength(10_000);
    expect((await getExplorerFile({ 'accept-encoding': 'br' }, 'HEAD')).rawPayload).toHaveLength(0);
    await app.close();
  });
});
