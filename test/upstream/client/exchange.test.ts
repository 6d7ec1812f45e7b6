import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { exchange, type Exchange } from '../../../src/upstream/client/exchange.ts';
import { createOrigin, type Origin } from '../../../src/upstream/client/origin.ts';
import { json, silent, startService, type Answer, type FakeService } from './service.ts';

const most = 16 * 1024 * 1024;
let service: FakeService;
let origin: Origin;
beforeEach(async () => {
  service = await startService();
  origin = createOrigin(service.url);
});
afterEach(async () => {
  origin.close();
  await service.stop();
});

const ask = (more: Partial<Exchange> = {}) =>
  exchange(origin, { verb: 'GET', path: '/', headers: {}, timeout: 60_000, ...more });

test.each<[string, Answer]>([
  ['no head', silent],
  ['a head alone', (response) => void response.writeHead(200).flushHeaders()],
  ['a body that does not end', (response) => void response.writeHead(200).write('{')],
  ['heads that only inform', (response) => response.writeProcessing()],
])('an attempt ends in time with %s', async (_name, answer) => {
  service.answers = [answer];
  await expect(ask({ timeout: 50 })).rejects.toMatchObject({ reason: 'timeout' });
});

test('an answer of 16 MiB is read, a longer one is not', async () => {
  service.answers = [
    (response) => void response.end('a'.repeat(most)),
    (response) => void response.end('a'.repeat(most + 1)),
  ];
  expect((await ask()).text).toHaveLength(most);
  await expect(ask()).rejects.toMatchObject({ reason: 'tooLong' });
});

test('what is longer once it is unpacked is not read either', async () => {
  service.answers = [most, most + 1].map(
    (length): Answer =>
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(length))),
  );
  expect((await ask()).text).toHaveLength(most);
  await expect(ask()).rejects.toMatchObject({ reason: 'tooLong' });
});

test('a connection that is never made is known from one that broke', async () => {
  await service.stop();
  await expect(ask()).rejects.toMatchObject({ reason: 'unreachable' });
  // RFC 6761: a name that nobody has.
  await expect(
    exchange(createOrigin('http://nobody.invalid'), { verb: 'GET', path: '/', headers: {}, timeout: 60_000 }),
  ).rejects.toMatchObject({ reason: 'unreachable' });
});

test('a handshake that fails is no connection', async () => {
  const plain = createServer(
    (socket: Socket) =>
      void socket
        .on('error', () => undefined)
        .resume()
        .end('hello'),
  );
  const port = await new Promise<number>((resolve) =>
    plain.listen(0, '127.0.0.1', () => resolve((plain.address() as { port: number }).port)),
  );
  await expect(
    exchange(createOrigin(`https://127.0.0.1:${port}`), {
      verb: 'POST',
      path: '/',
      headers: {},
      body: 'x',
      timeout: 60_000,
    }),
  ).rejects.toMatchObject({ reason: 'unreachable' });
  await new Promise((resolve) => plain.close(resolve));
});

test('an exchange ends with its signal', async () => {
  const leaving = new AbortController();
  service.answers = [() => leaving.abort()];
  await expect(ask({ signal: leaving.signal })).rejects.toMatchObject({ reason: 'gone' });
  await expect(ask({ signal: leaving.signal })).rejects.toMatchObject({ reason: 'gone' });
});

test('a redirect is an answer like others: it leads nowhere', async () => {
  service.answers = [json(307, {}, { location: `${service.url}/elsewhere` })];
  expect(await ask({ headers: { authorization: 'Bearer x' } })).toMatchObject({ status: 307 });
  expect(service.got).toHaveLength(1);
});

test('requests beyond the connections wait for one, as long as an attempt may take', async () => {
  service.answers = [silent];
  const ended = await Promise.allSettled(
    Array.from({ length: 257 }, (_, index) => ask({ timeout: index === 256 ? 50 : 1000 })),
  );
  expect(ended.at(-1)).toMatchObject({ reason: { reason: 'unreachable' } });
  expect(service.got).toHaveLength(256);
});
