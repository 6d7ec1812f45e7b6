import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { WebhookParts } from '../../../src/adapters/webhook/publisher.ts';
import { messageOn, noEnd } from '../../contracts/publisher.contract.ts';
import { publisherFor, startReceiver, startSockets, type Receiver } from './receiver.ts';

const receivers: Receiver[] = [];
async function opened(receiver: Promise<Receiver>): Promise<Receiver> {
  receivers.push(await receiver);
  return receiver;
}
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

/** What becomes of a message: its outcome, or the message of the failure. */
async function attempt(
  { url }: Pick<Receiver, 'url'>,
  parts: Partial<WebhookParts> = {},
  signal = noEnd,
): Promise<string> {
  const publisher = publisherFor(url, { timeout: 15_000, ...parts });
  try {
    const delivery = await publisher.publish(
      messageOn('t', { data: JSON.stringify('x'.repeat(100_000)) }),
      signal,
    );
    return 'cause' in delivery ? `${delivery.outcome}: ${delivery.cause.message}` : delivery.outcome;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await publisher.close();
  }
}

const bomb = gzipSync(Buffer.alloc(50_000_000));

/** Writes until nobody reads any more. */
function writeOn(socket: Socket, text: string | Buffer): void {
  const more = (): unknown =>
    !socket.destroyed && (socket.write(text) ? setImmediate(more) : socket.once('drain', more));
  socket.on('data', () => undefined);
  more();
}

/** Writes a piece every few milliseconds. */
function trickle(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('data', () => undefined).on('close', () => clearInterval(timer));
}

const whenAsked =
  (act: (socket: Socket) => void) =>
  (socket: Socket): unknown =>
    socket.once('data', () => act(socket));

/** Until the gateway has closed every connection to it. */
async function dropped(receiver: Receiver): Promise<void> {
  while (receiver.openSockets() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a target that does not answer is given up, and its connection closed:', () => {
  test.each<[string, (socket: Socket) => unknown, string]>([
    ['silent', (socket) => socket.resume(), 'no answer within 0.3 s'],
    ['that does not read', (socket) => setTimeout(() => socket.resume(), 500), 'no answer within 0.3 s'],
    [
      'a byte of the head at a time',
      (socket) => trickle(socket, 'H'),
      'no answer of HTTP (HPE_INVALID_CONSTANT)',
    ],
    [
      'a header at a time',
      whenAsked((socket) => (socket.write('HTTP/1.1 200 OK\r\n'), trickle(socket, 'X: y\r\n'))),
      'no answer within 0.3 s',
    ],
    [
      'a head without an end',
      whenAsked((socket) => (socket.write('HTTP/1.1 200 OK\r\nX: '), writeOn(socket, 'y'.repeat(1000)))),
      'the head of the answer is too long',
    ],
    [
      'an endless version',
      whenAsked((socket) => writeOn(socket, '1'.repeat(65_536))),
      'no answer of HTTP (HPE_INVALID_CONSTANT)',
    ],
    [
      'a flood of 1xx',
      whenAsked((socket) => writeOn(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100))),
      'too many informational answers',
    ],
    [
      '1xx at a time',
      whenAsked((socket) => trickle(socket, 'HTTP/1.1 100 Continue\r\n\r\n')),
      'too many informational answers',
    ],
    [
      '1xx with much in them',
      whenAsked((socket) => trickle(socket, `HTTP/1.1 103 Early Hints\r\nX: ${'y'.repeat(15_000)}\r\n\r\n`)),
      'the answer is too long',
    ],
    [
      'another protocol',
      whenAsked((socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      ),
      'the connection was closed before an answer',
    ],
    [
      'what is no HTTP',
      (socket) => socket.resume().write('220 mail.example.com ESMTP\r\n'),
      'no answer of HTTP (HPE_INVALID_CONSTANT)',
    ],
    [
      'a status that is none',
      whenAsked((socket) => socket.write('HTTP/1.1 abc\r\n\r\n')),
      'no answer of HTTP (HPE_INVALID_STATUS)',
    ],
    [
      'two lengths',
      whenAsked((socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'),
      ),
      'no answer of HTTP (HPE_UNEXPECTED_CONTENT_LENGTH)',
    ],
    [
      'a reset',
      whenAsked((socket) => socket.resetAndDestroy()),
      'the connection was closed before an answer',
    ],
    ['a reset at once', (socket) => socket.resetAndDestroy(), 'the connection was closed before an answer'],
    ['an end', whenAsked((socket) => socket.end()), 'the connection was closed before an answer'],
    [
      'an end in the head',
      whenAsked((socket) => socket.end('HTTP/1.1 200 OK\r\nX: y')),
      'the connection was closed before an answer',
    ],
  ])('%s', async (_what, onSocket, expected) => {
    const receiver = await opened(startSockets(onSocket));
    expect(await attempt(receiver, expected.startsWith('no answer within') ? { timeout: 300 } : {})).toBe(
      expected,
    );
    await dropped(receiver);
    expect(receiver.connections()).toBe(1);
  });

  test('half closed', async () => {
    const receiver = await opened(startSockets((socket) => void socket.resume().end(), true));
    expect(await attempt(receiver)).toBe('the connection was closed before an answer');
    await dropped(receiver);
  });
});

describe('a status counts as soon as it is there, whatever follows:', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  test.each<[string, (socket: Socket) => unknown]>([
    ['an endless body', (socket) => (socket.write(`${head}\r\n`), writeOn(socket, 'x'.repeat(65_536)))],
    [
      'an endless body in chunks',
      (socket) => (
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`),
        writeOn(socket, '1\r\nx\r\n'.repeat(1000))
      ),
    ],
    [
      'a byte of the body at a time',
      (socket) => (socket.write(`${head}Content-Length: 100000\r\n\r\n`), trickle(socket, 'x')),
    ],
    ['a body that is not sent', (socket) => socket.write(`${head}Content-Length: 100000\r\n\r\n`)],
    ['a body that is cut', (socket) => socket.end(`${head}Content-Length: 100000\r\n\r\nx`)],
    [
      'a reset',
      (socket) =>
        socket.write(`${head}Content-Length: 100000\r\n\r\nx`, () =>
          setTimeout(() => socket.resetAndDestroy(), 50),
        ),
    ],
    ['wrong chunks', (socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nno number\r\n`)],
    [
      'a bomb of gzip',
      (socket) => socket.end(Buffer.concat([Buffer.from(`${head}Content-Encoding: gzip\r\n\r\n`), bomb])),
    ],
  ])('%s', async (_what, act) => {
    const receiver = await opened(startSockets((socket) => void whenAsked(act)(socket)));
    const publisher = publisherFor(receiver.url);
    expect(await publisher.publish(messageOn('t'), noEnd)).toEqual({ outcome: 'done' });
    await dropped(receiver);
    await publisher.close();
  });

  test('and its connection is not taken again before the body has ended', async () => {
    const receiver = await opened(
      startSockets(
        (socket) => void socket.on('data', () => socket.write(`${head}Content-Length: 10\r\n\r\n`)),
      ),
    );
    const publisher = publisherFor(receiver.url);
    for (let index = 0; index < 3; index += 1)
      expect(await publisher.publish(messageOn('t'), noEnd)).toEqual({ outcome: 'done' });
    expect(receiver.connections()).toBe(3);
    await publisher.close();
  });

  test('no more than 64 KiB of an answer are read', async () => {
    let sent = 0;
    const receiver = await opened(
      startSockets(
        (socket) =>
          void whenAsked(() => {
            socket.write(`${head}\r\n`);
            // Small pieces, so that little is on its way when the connection ends.
            const timer = setInterval(() => {
              sent += socket.write('x'.repeat(1000)) ? 1000 : 0;
            }, 1);
            socket.on('close', () => clearInterval(timer));
          })(socket),
      ),
    );
    const publisher = publisherFor(receiver.url);
    expect(await publisher.publish(messageOn('t'), noEnd)).toEqual({ outcome: 'done' });
    await dropped(receiver);
    expect(sent).toBeLessThan(300_000);
    await publisher.close();
  });
});

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) is not followed, neither to another address nor to itself',
  async (status) => {
    const inside = await opened(startReceiver());
    const outside = await opened(
      startReceiver((request, response) => {
        response
          .writeHead(status, {
            location: request.headers['x-again'] ? '/' : `http://127.0.0.1:${inside.port}/`,
          })
          .end();
      }),
    );
    const itself = await opened(
      startReceiver((_request, response) => response.writeHead(status, { location: itself.url.href }).end()),
    );
    for (const receiver of [outside, itself]) {
      expect(await attempt(receiver)).toBe(`again: answered with ${status}`);
      expect(receiver.received).toHaveLength(1);
    }
    expect(inside.connections()).toBe(0);
  },
);

test('an attempt ends when the gateway stops', async () => {
  const receiver = await opened(startSockets((socket) => void socket.resume()));
  const stopping = new AbortController();
  const ended = attempt(receiver, {}, stopping.signal);
  while (receiver.connections() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  stopping.abort();
  expect(await ended).toBe('the gateway stops');
  expect(await attempt(receiver, {}, stopping.signal)).toBe('the gateway stops');
});

test('a resolver that does not answer is waited for no longer than the rest, and asked once at a time', async () => {
  let asked = 0;
  const publisher = publisherFor('https://silent.example/', {
    timeout: 100,
    resolve: () => {
      asked += 1;
      return new Promise(() => undefined);
    },
  });
  const attempts = Array.from({ length: 30 }, () => publisher.publish(messageOn('t'), noEnd));
  for (const one of attempts) await expect(one).rejects.toThrow('no answer within 0.1 s');
  expect(asked).toBe(1);
  await publisher.close();
});

test('what is told of a failure holds nothing of the message, the URL or the answer', async () => {
  const said = 'Hunter2';
  const receiver = await opened(
    startSockets((socket) => void socket.once('data', () => socket.write(`${said} HTTP\r\n\r\n`))),
  );
  const publisher = publisherFor(receiver.url);
  const failure: unknown = await publisher
    .publish(messageOn('t', { data: `"${said}"` }), noEnd)
    .catch((error: unknown) => error);
  const told = JSON.stringify(failure, Object.getOwnPropertyNames(failure));
  expect(told).toContain('no answer of HTTP');
  expect(told).not.toMatch(/Hunter2|hidden|cat\.jpg|rawPacket/);
  await publisher.close();
});
