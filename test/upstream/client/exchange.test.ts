import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  createOrigin,
  sendRequest,
  type OutgoingRequest,
} from '../../../src/upstream/client/http-exchange.ts';
import { eventually, maxWaitMs } from '../../eventually.ts';
import { json, silent, startService, text, type Answer } from './client.harness.ts';
import { useForEach } from '../../use-resource.ts';

const maxBytes = 16 * 1024 * 1024;
const service = useForEach(() => startService());
const origin = useForEach(() => createOrigin(service.url));

const sendToOrigin = (options: Partial<OutgoingRequest> = {}, target = origin) =>
  sendRequest(target, { httpMethod: 'GET', path: '/', headers: {}, timeoutMs: maxWaitMs, ...options });

test.each<[string, Answer]>([
  ['no response', silent],
  ['headers alone', (response) => void response.writeHead(200).flushHeaders()],
  ['a body that does not end', (response) => void response.writeHead(200).write('{')],
  ['informational responses only', (response) => response.writeProcessing()],
])('an attempt times out with %s', async (_name, answer) => {
  service.answers = [json(200, {}), answer];
  // Connects first: a connection that is never made has another reason.
  await sendToOrigin();
  await eventually(async () => expect(Object.keys(origin.options.agent.freeSockets)).toHaveLength(1));
  await expect(sendToOrigin({ timeoutMs: 50 })).rejects.toMatchObject({ reason: 'timeout' });
});

test('a body of 16 MiB is read, a longer one is not', async () => {
  service.answers = [text('a'.repeat(maxBytes)), text('a'.repeat(maxBytes + 1))];
  expect((await sendToOrigin()).text).toHaveLength(maxBytes);
  await expect(sendToOrigin()).rejects.toMatchObject({ reason: 'tooLong' });
});

test('a body that is longer after decompression is not read', async () => {
  service.answers = [maxBytes, maxBytes + 1].map(
    (length): Answer =>
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(length))),
  );
  expect((await sendToOrigin()).text).toHaveLength(maxBytes);
  await expect(sendToOrigin()).rejects.toMatchObject({ reason: 'tooLong' });
});

test('a service that cannot be reached, or whose host does not resolve, is unreachable', async () => {
  await service.stop();
  await expect(sendToOrigin()).rejects.toMatchObject({ reason: 'unreachable' });
  // `.invalid` never resolves (RFC 6761).
  await expect(sendToOrigin({}, createOrigin('http://nobody.invalid'))).rejects.toMatchObject({
    reason: 'unreachable',
  });
});

test('a failed TLS handshake counts as no connection', async () => {
  const plainServer = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.resume().end('hello');
  });
  await new Promise<void>((resolve) => plainServer.listen(0, '127.0.0.1', resolve));
  const { port } = plainServer.address() as { readonly port: number };
  await expect(
    sendToOrigin({ httpMethod: 'POST', body: 'x' }, createOrigin(`https://127.0.0.1:${port}`)),
  ).rejects.toMatchObject({ reason: 'unreachable' });
  await new Promise((resolve) => plainServer.close(resolve));
});

test('a redirect is an answer and is not followed', async () => {
  service.answers = [json(307, {}, { location: `${service.url}/elsewhere` })];
  expect(await sendToOrigin({ headers: { authorization: 'Bearer x' } })).toMatchObject({ status: 307 });
  expect(service.received).toHaveLength(1);
});

test('a request beyond 256 connections waits for one until its timeout', async () => {
  service.answers = [silent];
  const pending = Promise.allSettled(Array.from({ length: 256 }, () => sendToOrigin()));
  await eventually(async () => expect(service.received).toHaveLength(256));
  await expect(sendToOrigin({ timeoutMs: 50 })).rejects.toMatchObject({ reason: 'unreachable' });
  origin.close();
  await pending;
  expect(service.received).toHaveLength(256);
});
