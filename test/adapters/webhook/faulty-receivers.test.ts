import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { WebhookDependencies } from '../../../src/adapters/webhook/publisher.ts';
import { createMessage, neverAborted } from '../../contracts/publisher.contract.ts';
import { eventually } from '../../eventually.ts';
import { createTestPublisher, startReceiver, startSockets, type Receiver } from './receiver.ts';
import { useCloser } from '../../use-resource.ts';

const closeLater = useCloser();
const useReceiver = async (receiver: Promise<Receiver>): Promise<Receiver> => closeLater(await receiver);

/** Publishes a message and describes its outcome or failure. */
async function publishTo(
  { url }: Receiver,
  options?: Partial<WebhookDependencies>,
  signal = neverAborted,
): Promise<string> {
  const publisher = createTestPublisher(url, { timeoutMs: 15_000, ...options });
  try {
    const delivery = await publisher.publish(
      createMessage('t', { data: `"${'x'.repeat(100_000)}"` }),
      signal,
    );
    return 'cause' in delivery ? `${delivery.outcome}: ${delivery.cause.message}` : delivery.outcome;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await publisher.close();
  }
}

const gzipBomb = gzipSync(Buffer.alloc(50_000_000));

/** Writes until the socket is closed. */
function writeEndlessly(socket: Socket, text: string | Buffer): void {
  const writeMore = (): unknown =>
    !socket.destroyed && (socket.write(text) ? setImmediate(writeMore) : socket.once('drain', writeMore));
  socket.on('data', () => undefined);
  writeMore();
}

/** Writes a text every 10 ms. */
function writeSlowly(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('data', () => undefined).on('close', () => clearInterval(timer));
}

const onRequest =
  (act: (socket: Socket) => unknown) =>
  (socket: Socket): unknown =>
    socket.once('data', () => act(socket));
const respond = (text: string) => onRequest((socket) => socket.write(text));
const respondThen = (text: string, act: (socket: Socket) => unknown) =>
  onRequest((socket) => (socket.write(text), act(socket)));

/** Waits until the gateway has closed every connection. */
const waitForClose = (receiver: Receiver): Promise<void> =>
  eventually(async () => expect(receiver.openSockets()).toBe(0));

describe('an attempt without a valid response fails and closes its connection:', () => {
  const timeoutCause = 'no response within 0.3 s';
  const noHttpCause = 'no HTTP response (HPE_INVALID_CONSTANT)';
  const closedEarlyCause = 'the connection was closed before a response';
  const tooManyCause = 'too many informational responses';
  const longHeadCause = 'the headers of the response are too long';
  const longText = 'y'.repeat(1000);
  const statusLine = 'HTTP/1.1 200 OK\r\n';
  const earlyHints = 'HTTP/1.1 103 Early Hints\r\n';
  const manyHints = `${earlyHints}Link: x\r\n\r\n`.repeat(100);
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const twoLengths = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n';

  test.each<[string, (socket: Socket) => unknown, string]>([
    ['a silent server', (socket) => socket.resume(), timeoutCause],
    ['a socket that is not read', (socket) => setTimeout(() => socket.resume(), 500), timeoutCause],
    ['a byte of the head at a time', (socket) => writeSlowly(socket, 'H'), noHttpCause],
    [
      'a header at a time',
      respondThen(statusLine, (socket) => writeSlowly(socket, 'X: y\r\n')),
      timeoutCause,
    ],
    [
      'an endless head',
      respondThen(`${statusLine}X: `, (socket) => writeEndlessly(socket, longText)),
      longHeadCause,
    ],
    ['an endless version', onRequest((socket) => writeEndlessly(socket, '1'.repeat(65_536))), noHttpCause],
    ['a flood of 1xx', onRequest((socket) => writeEndlessly(socket, manyHints)), tooManyCause],
    [
      'one 1xx at a time',
      onRequest((socket) => writeSlowly(socket, 'HTTP/1.1 100 Continue\r\n\r\n')),
      tooManyCause,
    ],
    [
      'long 1xx',
      onRequest((socket) => writeSlowly(socket, `${earlyHints}X: ${longText.repeat(15)}\r\n\r\n`)),
      'the response is too long',
    ],
    ['another protocol', respond(upgrade), closedEarlyCause],
    ['a greeting of SMTP', (socket) => socket.resume().write('220 mail.example.com ESMTP\r\n'), noHttpCause],
    ['an invalid status', respond('HTTP/1.1 abc\r\n\r\n'), 'no HTTP response (HPE_INVALID_STATUS)'],
    ['two lengths', respond(twoLengths), 'no HTTP response (HPE_UNEXPECTED_CONTENT_LENGTH)'],
    ['a reset', onRequest((socket) => socket.resetAndDestroy()), closedEarlyCause],
    ['a reset at once', (socket) => socket.resetAndDestroy(), closedEarlyCause],
    ['an end', onRequest((socket) => socket.end()), closedEarlyCause],
    ['an end in the head', onRequest((socket) => socket.end('HTTP/1.1 200 OK\r\nX: y')), closedEarlyCause],
  ])('%s', async (_case, onSocket, expected) => {
    const receiver = await useReceiver(startSockets(onSocket));
    expect(await publishTo(receiver, expected === timeoutCause ? { timeoutMs: 300 } : {})).toBe(expected);
    await waitForClose(receiver);
    expect(receiver.connections()).toBe(1);
  });

  test('a connection that the server half closes', async () => {
    const receiver = await useReceiver(
      startSockets((socket) => void socket.resume().end(), /* allowHalfOpen */ true),
    );
    expect(await publishTo(receiver)).toBe(closedEarlyCause);
    await waitForClose(receiver);
  });
});

describe('a success status counts, whatever follows it:', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const headWithLength = `${head}Content-Length: 100000\r\n\r\n`;
  const chunkedHead = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const doneResult = { outcome: 'done' };
  /** The connection to reset once the status was read. */
  let socketToReset: Socket | undefined;

  test.each<[string, (socket: Socket) => unknown]>([
    ['an endless body', respondThen(`${head}\r\n`, (socket) => writeEndlessly(socket, 'x'.repeat(65_536)))],
    [
      'endless chunks',
      respondThen(chunkedHead, (socket) => writeEndlessly(socket, '1\r\nx\r\n'.repeat(1000))),
    ],
    ['a byte of the body at a time', respondThen(headWithLength, (socket) => writeSlowly(socket, 'x'))],
    ['a body that is not sent', respond(headWithLength)],
    ['a truncated body', onRequest((socket) => socket.end(`${headWithLength}x`))],
    ['a reset', respondThen(`${headWithLength}x`, (socket) => (socketToReset = socket))],
    ['wrong chunks', respond(`${chunkedHead}no number\r\n`)],
    ['a gzip bomb', respondThen(`${head}Content-Encoding: gzip\r\n\r\n`, (socket) => socket.end(gzipBomb))],
  ])('%s', async (_case, onSocket) => {
    const receiver = await useReceiver(startSockets(onSocket));
    const publisher = createTestPublisher(receiver.url);
    expect(await publisher.publish(createMessage('t'), neverAborted)).toEqual(doneResult);
    socketToReset?.resetAndDestroy();
    socketToReset = undefined;
    await waitForClose(receiver);
    await publisher.close();
  });

  test('and its connection is not reused before the body has ended', async () => {
    const sendHead = (socket: Socket): boolean => socket.write(`${head}Content-Length: 10\r\n\r\n`);
    const receiver = await useReceiver(
      startSockets((socket) => void socket.on('data', () => sendHead(socket))),
    );
    const publisher = createTestPublisher(receiver.url);
    for (let index = 0; index < 3; index += 1)
      expect(await publisher.publish(createMessage('t'), neverAborted)).toEqual(doneResult);
    expect(receiver.connections()).toBe(3);
    await publisher.close();
  });

  test('at most 64 KiB of a response are read', async () => {
    let sentBytes = 0;
    // Small chunks, so that few bytes are in flight when the connection closes.
    const trickleBody = respondThen(`${head}\r\n`, (socket) => {
      const timer = setInterval(() => (sentBytes += socket.write('x'.repeat(1000)) ? 1000 : 0), 1);
      socket.on('close', () => clearInterval(timer));
    });
    const receiver = await useReceiver(startSockets(trickleBody));
    const publisher = createTestPublisher(receiver.url);
    expect(await publisher.publish(createMessage('t'), neverAborted)).toEqual(doneResult);
    await waitForClose(receiver);
    // 64 KiB that the gateway reads, and bytes in flight.
    expect(sentBytes).toBeLessThan(300_000);
    await publisher.close();
  });
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
  const redirectTarget = await useReceiver(startReceiver());
  const startRedirecting = (target: () => Receiver) =>
    useReceiver(
      startReceiver((_, response) => response.writeHead(status, { location: target().url.href }).end()),
    );
  const redirectingReceiver = await startRedirecting(() => redirectTarget);
  const selfRedirectingReceiver: Receiver = await startRedirecting(() => selfRedirectingReceiver);
  for (const receiver of [redirectingReceiver, selfRedirectingReceiver]) {
    expect(await publishTo(receiver)).toBe(`again: answered with ${status}`);
    expect(receiver.received).toHaveLength(1);
  }
  expect(redirectTarget.connections()).toBe(0);
});

test('an attempt ends when the gateway stops', async () => {
  const receiver = await useReceiver(startSockets((socket) => void socket.resume()));
  const stopController = new AbortController();
  const outcome = publishTo(receiver, {}, stopController.signal);
  await eventually(async () => expect(receiver.connections()).toBe(1));
  stopController.abort();
  expect(await outcome).toBe('the gateway stops');
  expect(await publishTo(receiver, {}, stopController.signal)).toBe('the gateway stops');
});

test('a silent resolver is asked once at a time, within the timeout', async () => {
  let lookupCount = 0;
  const resolve = () => new Promise<never>(() => (lookupCount += 1));
  const publisher = createTestPublisher('https://silent.example/', { timeoutMs: 100, resolve });
  const attempts = Array.from({ length: 30 }, () =>
    publisher.publish(createMessage('t'), neverAborted).catch(({ message }: Error) => message),
  );
  expect(new Set(await Promise.all(attempts))).toEqual(new Set(['no response within 0.1 s']));
  expect(lookupCount).toBe(1);
  await publisher.close();
});

test('a failure contains nothing of the message, the URL or the response', async () => {
  const secretText = 'Hunter2';
  const receiver = await useReceiver(startSockets(respond(`${secretText} HTTP\r\n\r\n`)));
  const publisher = createTestPublisher(receiver.url);
  const failure: unknown = await publisher
    .publish(createMessage('t', { data: `"${secretText}"` }), neverAborted)
    .catch((error: unknown) => error);
  const serialized = JSON.stringify(failure, Object.getOwnPropertyNames(failure));
  expect(serialized).toContain('no HTTP response');
  expect(serialized).not.toMatch(/Hunter2|hidden|cat\.jpg|rawPacket/);
  await publisher.close();
});
