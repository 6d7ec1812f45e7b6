import { exchange, listen } from '../../http/raw.ts';
import { startRest, type RestGateway } from './rest.harness.ts';

const head = (line: string, more = ''): string => `${line}\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;

describe('the REST face on the wire', () => {
  let gateway: RestGateway;
  let port: number;
  beforeAll(async () => {
    gateway = await startRest();
    port = await listen(gateway);
  });
  afterAll(() => gateway.close());

  test.each([
    [
      'a head that is too long',
      head('GET /calendar/v3/colors HTTP/1.1', `X: ${'a'.repeat(20_000)}\r\n`),
      431,
    ],
    ['a request line that is none', 'GET /storage/v1/b x HTTP/1.1\r\n\r\n', 400],
    ['a target with a scheme and a host', head('GET http://evil.example/calendar/v3/nothing HTTP/1.1'), 404],
  ])('refuses %s in its own form', async (_what, bytes, status) => {
    const { status: got, body } = await exchange(port, bytes);
    expect([got, (JSON.parse(body) as { error: object }).error]).toEqual([
      status,
      expect.objectContaining({ code: status }),
    ]);
  });
});
