import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createOrigin, exchange, type Exchange } from '../../../src/upstream/client/exchange.ts';
import { eventually, patienceMs } from '../../eventually.ts';
import { json, silent, startService, text, type Answer } from './client.harness.ts';
import { useForEach } from '../../started.ts';

const maxBytes = 16 * 1024 * 1024;
const service = useForEach(() => startService());
const origin = useForEach(() => createOrigin(service.url));

const ask = (more: Partial<Exchange> = {}, to = origin) =>
  exchange(to, { verb: 'GET', path: '/', headers: {}, timeout: patienceMs, ...more });

test.each<[string, Answer]>([
  ['no head', silent],
  ['a head alone', (response) => void response.writeHead(200).flushHeaders()],
  ['a body that does not end', (response) => void response.writeHead(200).write('{')],
  ['heads that only inform', (response) => response.writeProcessing()],
])('an attempt ends in time with %s', async (_name, answer) => {
  service.answers = [json(200, {}), answer];
  // The connection is there before the time begins: one that is never made is another reason.
  await ask();
  await eventually(async () => expect(Object.keys(origin.options.agent.freeSockets)).toHaveLength(1));
  await expect(ask({ timeout: 50 })).rejects.toMatchObject({ reason: 'timeout' });
});

test('an answer of 16 MiB is read, a longer one is not', async () => {
  service.answers = [text('a'.repeat(maxBytes)), text('a'.repeat(maxBytes + 1))];
  expect((await ask()).text).toHaveLength(maxBytes);
  await expect(ask()).rejects.toMatchObject({ reason: 'tooLong' });
});

test('what is longer once it is unpacked is not read either', async () => {
  service.answers = [maxBytes, maxBytes + 1].map(
    (length): Answer =>
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(length))),
  );
  expect((await ask()).text).toHaveLength(maxBytes);
  await expect(ask()).rejects.toMatchObject({ reason: 'tooLong' });
});

test('a connection that is never made is known from one that broke', async () => {
  await service.stop();
  await expect(ask()).rejects.toMatchObject({ reason: 'unreachable' });
  // RFC 6761: a name that nobody has.
  await expect(ask({}, createOrigin('http://nobody.invalid'))).rejects.toMatchObject({
    reason: 'unreachable',
  });
});

test('a handshake that fails is no connection', async () => {
  const plain = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.resume().end('hello');
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as { readonly port: number };
  await expect(
    ask({ verb: 'POST', body: 'x' }, createOrigin(`https://127.0.0.1:${port}`)),
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

test('a request beyond the 256 connections waits for one, as long as an attempt may take', async () => {
  service.answers = [silent];
  const held = Promise.allSettled(Array.from({ length: 256 }, () => ask()));
  await eventually(async () => expect(service.got).toHaveLength(256));
  await expect(ask({ timeout: 50 })).rejects.toMatchObject({ reason: 'unreachable' });
  origin.close();
  await held;
  expect(service.got).toHaveLength(256);
});
