import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { WebhookParts } from '../../../src/adapters/webhook/publisher.ts';
import { messageOn, noEnd } from '../../contracts/publisher.contract.ts';
import { eventually } from '../../eventually.ts';
import { publisherFor, startReceiver, startSockets, type Receiver } from './receiver.ts';
import { useCloser } from '../../started.ts';

const closeLater = useCloser();
const opened = async (receiver: Promise<Receiver>): Promise<Receiver> => closeLater(await receiver);

/** What becomes of a message: its outcome, or the message of the failure. */
async function attempt({ url }: Receiver, parts?: Partial<WebhookParts>, signal = noEnd): Promise<string> {
  const publisher = publisherFor(url, { timeout: 15_000, ...parts });
  try {
    const delivery = await publisher.publish(messageOn('t', { data: `"${'x'.repeat(100_000)}"` }), signal);
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
  (act: (socket: Socket) => unknown) =>
  (socket: Socket): unknown =>
    socket.once('data', () => act(socket));
const answers = (text: string) => whenAsked((socket) => socket.write(text));
const answersThen = (text: string, act: (socket: Socket) => unknown) =>
  whenAsked((socket) => (socket.write(text), act(socket)));

/** Until the gateway has closed every connection to it. */
const dropped = (receiver: Receiver): Promise<void> =>
  eventually(async () => expect(receiver.openSockets()).toBe(0));

describe('a target that does not answer is given up, and its connection closed:', () => {
  const late = 'no answer within 0.3 s';
  const noHttp = 'no answer of HTTP (HPE_INVALID_CONSTANT)';
  const closed = 'the connection was closed before an answer';
  const tooMany = 'too many informational answers';
  const longHead = 'the head of the answer is too long';
  const ys = 'y'.repeat(1000);
  const hints = 'HTTP/1.1 103 Early Hints\r\n';
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const twoLengths = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n';

  test.each<[string, (socket: Socket) => unknown, string]>([
    ['silent', (socket) => socket.resume(), late],
    ['that does not read', (socket) => setTimeout(() => socket.resume(), 500), late],
    ['a byte of the head at a time', (socket) => trickle(socket, 'H'), noHttp],
    ['a header at a time', answersThen('HTTP/1.1 200 OK\r\n', (socket) => trickle(socket, 'X: y\r\n')), late],
    ['an endless head', answersThen('HTTP/1.1 200 OK\r\nX: ', (socket) => writeOn(socket, ys)), longHead],
    ['an endless version', whenAsked((socket) => writeOn(socket, '1'.repeat(65_536))), noHttp],
    [
      'a flood of 1xx',
      whenAsked((socket) => writeOn(socket, `${hints}Link: x\r\n\r\n`.repeat(100))),
      tooMany,
    ],
    ['1xx at a time', whenAsked((socket) => trickle(socket, 'HTTP/1.1 100 Continue\r\n\r\n')), tooMany],
    [
      'long 1xx',
      whenAsked((socket) => trickle(socket, `${hints}X: ${ys.repeat(15)}\r\n\r\n`)),
      'the answer is too long',
    ],
    ['another protocol', answers(upgrade), closed],
    ['what is no HTTP', (socket) => socket.resume().write('220 mail.example.com ESMTP\r\n'), noHttp],
    ['a status that is none', answers('HTTP/1.1 abc\r\n\r\n'), 'no answer of HTTP (HPE_INVALID_STATUS)'],
    ['two lengths', answers(twoLengths), 'no answer of HTTP (HPE_UNEXPECTED_CONTENT_LENGTH)'],
    ['a reset', whenAsked((socket) => socket.resetAndDestroy()), closed],
    ['a reset at once', (socket) => socket.resetAndDestroy(), closed],
    ['an end', whenAsked((socket) => socket.end()), closed],
    ['an end in the head', whenAsked((socket) => socket.end('HTTP/1.1 200 OK\r\nX: y')), closed],
  ])('%s', async (_what, onSocket, expected) => {
    const receiver = await opened(startSockets(onSocket));
    expect(await attempt(receiver, expected === late ? { timeout: 300 } : {})).toBe(expected);
    await dropped(receiver);
    expect(receiver.connections()).toBe(1);
  });

  test('half closed', async () => {
    const receiver = await opened(startSockets((socket) => void socket.resume().end(), true));
    expect(await attempt(receiver)).toBe(closed);
    await dropped(receiver);
  });
});

describe('a status counts as soon as it is there, whatever follows:', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const long = `${head}Content-Length: 100000\r\n\r\n`;
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const done = { outcome: 'done' };
  /** The connection of the last row, to be reset once the status has counted. */
  let held: Socket | undefined;

  test.each<[string, (socket: Socket) => unknown]>([
    ['an endless body', answersThen(`${head}\r\n`, (socket) => writeOn(socket, 'x'.repeat(65_536)))],
    ['endless chunks', answersThen(chunked, (socket) => writeOn(socket, '1\r\nx\r\n'.repeat(1000)))],
    ['a byte of the body at a time', answersThen(long, (socket) => trickle(socket, 'x'))],
    ['a body that is not sent', answers(long)],
    ['a body that is cut', whenAsked((socket) => socket.end(`${long}x`))],
    ['a reset', answersThen(`${long}x`, (socket) => (held = socket))],
    ['wrong chunks', answers(`${chunked}no number\r\n`)],
    ['a bomb of gzip', answersThen(`${head}Content-Encoding: gzip\r\n\r\n`, (socket) => socket.end(bomb))],
  ])('%s', async (_what, onSocket) => {
    const receiver = await opened(startSockets(onSocket));
    const publisher = publisherFor(receiver.url);
    expect(await publisher.publish(messageOn('t'), noEnd)).toEqual(done);
    held?.resetAndDestroy();
    held = undefined;
    await dropped(receiver);
    await publisher.close();
  });

  test('and its connection is not taken again before the body has ended', async () => {
    const answer = (socket: Socket): boolean => socket.write(`${head}Content-Length: 10\r\n\r\n`);
    const receiver = await opened(startSockets((socket) => void socket.on('data', () => answer(socket))));
    const publisher = publisherFor(receiver.url);
    for (let index = 0; index < 3; index += 1)
      expect(await publisher.publish(messageOn('t'), noEnd)).toEqual(done);
    expect(receiver.connections()).toBe(3);
    await publisher.close();
  });

  test('no more than 64 KiB of an answer are read', async () => {
    let sent = 0;
    // Small pieces, so that little is on its way when the connection ends.
    const trickleOn = answersThen(`${head}\r\n`, (socket) => {
      const timer = setInterval(() => (sent += socket.write('x'.repeat(1000)) ? 1000 : 0), 1);
      socket.on('close', () => clearInterval(timer));
    });
    const receiver = await opened(startSockets(trickleOn));
    const publisher = publisherFor(receiver.url);
    expect(await publisher.publish(messageOn('t'), noEnd)).toEqual(done);
    await dropped(receiver);
    expect(sent).toBeLessThan(300_000);
    await publisher.close();
  });
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed, wherever to', async (status) => {
  const inside = await opened(startReceiver());
  const leadingTo = (target: () => Receiver) =>
    opened(startReceiver((_, answer) => answer.writeHead(status, { location: target().url.href }).end()));
  const outside = await leadingTo(() => inside);
  const itself: Receiver = await leadingTo(() => itself);
  for (const receiver of [outside, itself]) {
    expect(await attempt(receiver)).toBe(`again: answered with ${status}`);
    expect(receiver.received).toHaveLength(1);
  }
  expect(inside.connections()).toBe(0);
});

test('an attempt ends when the gateway stops', async () => {
  const receiver = await opened(startSockets((socket) => void socket.resume()));
  const stopping = new AbortController();
  const ended = attempt(receiver, {}, stopping.signal);
  await eventually(async () => expect(receiver.connections()).toBe(1));
  stopping.abort();
  expect(await ended).toBe('the gateway stops');
  expect(await attempt(receiver, {}, stopping.signal)).toBe('the gateway stops');
});

test('a resolver that does not answer is waited for no longer than the rest, and asked once at a time', async () => {
  let asked = 0;
  const resolve = () => new Promise<never>(() => (asked += 1));
  const publisher = publisherFor('https://silent.example/', { timeout: 100, resolve });
  const attempts = Array.from({ length: 30 }, () =>
    publisher.publish(messageOn('t'), noEnd).catch(({ message }: Error) => message),
  );
  expect(new Set(await Promise.all(attempts))).toEqual(new Set(['no answer within 0.1 s']));
  expect(asked).toBe(1);
  await publisher.close();
});

test('what is told of a failure holds nothing of the message, the URL or the answer', async () => {
  const said = 'Hunter2';
  const receiver = await opened(startSockets(answers(`${said} HTTP\r\n\r\n`)));
  const publisher = publisherFor(receiver.url);
  const failure: unknown = await publisher
    .publish(messageOn('t', { data: `"${said}"` }), noEnd)
    .catch((error: unknown) => error);
  const told = JSON.stringify(failure, Object.getOwnPropertyNames(failure));
  expect(told).toContain('no answer of HTTP');
  expect(told).not.toMatch(/Hunter2|hidden|cat\.jpg|rawPacket/);
  await publisher.close();
});
