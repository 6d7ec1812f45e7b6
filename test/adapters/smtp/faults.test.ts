import type { Socket } from 'node:net';
import { eventually } from '../../eventually.ts';
import { startMailbox } from '../../mail/mailbox.ts';
import { startSockets } from '../webhook/receiver.ts';
import { replyToLines, mailTo, neverAborted, openPublisherTo, describeOutcome } from './smtp.harness.ts';

const recipient = 'bob@example.com';
const breakConnection = (socket: Socket): void => void socket.destroy();
const sendAndEnd =
  (text: string) =>
  (socket: Socket): void =>
    void socket.end(`${text}\r\n`);
/** Sends an endless line, a byte at a time. */
const sendEndlessLine = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('2'), 2);
  socket.on('close', () => clearInterval(timer));
};
const staySilent = (): void => undefined;

/** Sends a mail to a server with the given replies and describes the outcome. */
async function sendToServer(
  replies: Parameters<typeof replyToLines>[0],
  attemptMs = 10_000,
): Promise<string> {
  const server = await startSockets(replyToLines(replies));
  const publisher = openPublisherTo(server.port, { limits: { maxAttemptMs: attemptMs } });
  const outcome = await describeOutcome(publisher.publish(mailTo(recipient), neverAborted));
  if (!/^done|answered with [345]/.test(outcome))
    await eventually(async () => expect(server.openSockets()).toBe(0));
  await publisher.close();
  await server.close();
  return outcome;
}

/** Replies that ask for a sign-in. They say nothing about the mail, so that it is tried again. */
const signInCodes = [503, 530, 534, 535, 538];

describe('a mail command', () => {
  test.each<readonly [string, string, string]>([
    ['MAIL', '550 no <bob@example.com>', 'never: answered with 550'],
    ['RCPT', '553 no', 'never: answered with 553'],
    ['DATA', '554 no', 'never: answered with 554'],
    ['.', '552 no', 'never: answered with 552'],
    ['.', '451 later', 'again: answered with 451'],
    ['MAIL', '421 too many', 'again: answered with 421'],
    ...signInCodes.map((code) => ['RCPT', `${code} sign in`, `again: answered with ${code}`] as const),
    ['.', '350 what', 'again: answered with 350'],
  ])('%s answered with "%s" means %s', async (command, reply, outcome) => {
    expect(await sendToServer({ [command]: reply })).toBe(outcome);
  });
});

describe('a connection', () => {
  const closedCause = 'the connection was closed before a response';

  test.each<[string, Parameters<typeof replyToLines>[0], string]>([
    ['breaks before the mail is accepted', { '.': breakConnection }, `again: ${closedCause}`],
    ['breaks after the mail was accepted', { '.': sendAndEnd('250 taken') }, 'done'],
    ['says goodbye after the mail was accepted', { '.': sendAndEnd('250 taken\r\n421 bye') }, 'done'],
    ['breaks in the middle of the mail', { DATA: breakConnection }, `again: ${closedCause}`],
    ['breaks at once', { greeting: breakConnection }, `pause: ${closedCause}`],
    ['gets no greeting', { greeting: staySilent }, 'pause: no response in time'],
    ['gets an endless greeting', { greeting: sendEndlessLine }, 'pause: no response in time'],
    ['is refused by the greeting', { greeting: '554 go away' }, 'pause: answered with 554'],
    ['gets no answer to the mail', { '.': staySilent }, 'again: no response in time'],
    ['gets an endless answer to the mail', { '.': sendEndlessLine }, 'again: no response in time'],
    ['gets an answer that is not SMTP', { MAIL: 'x'.repeat(2_000_000) }, 'again: no SMTP response'],
  ])('that %s: %s', async (_, replies, outcome) => {
    if (!outcome.endsWith('in time')) return expect(await sendToServer(replies)).toBe(outcome);
    // The limit includes connecting, so that on a busy machine an attempt may end too early.
    await eventually(async () => expect(await sendToServer(replies, 500)).toBe(outcome));
  });

  test('that waits for a reply ends when the gateway stops', async () => {
    for (const word of ['greeting', '.']) {
      let isReached = false;
      const server = await startSockets(replyToLines({ [word]: () => (isReached = true) }));
      const publisher = openPublisherTo(server.port);
      const endController = new AbortController();
      const outcome = describeOutcome(publisher.publish(mailTo(recipient), endController.signal));
      await eventually(async () => expect(isReached).toBe(true));
      endController.abort();
      expect(await outcome).toBe('again: the gateway stops');
      await eventually(async () => expect(server.openSockets()).toBe(0));
      await server.close();
      await publisher.close();
    }
  });
});

describe('while the server is away', () => {
  test('pauses grow, concurrent attempts share one, and mails are sent after it', async () => {
    let now = 1_000_000;
    const mailbox = await startMailbox();
    const limits = { pauses: { firstMs: 1000, maxMs: 3000 } };
    const publisher = openPublisherTo(mailbox.port, { clock: () => now, limits });
    await mailbox.stop();
    const attemptDuringOutage = (): Promise<number[]> =>
      Promise.all(
        ['bob@example.com', 'carol@example.com'].map(async (address) => {
          const delivery = await publisher.publish(mailTo(address), neverAborted);
          return delivery.outcome === 'pause' && delivery.isOutage ? delivery.until - now : NaN;
        }),
      );
    for (const pauseMs of [1000, 2000, 3000, 3000]) {
      expect(await attemptDuringOutage()).toEqual([pauseMs, pauseMs]);
      now += pauseMs;
    }
    await mailbox.start();
    expect(await describeOutcome(publisher.publish(mailTo(recipient), neverAborted))).toBe('done');
    await mailbox.stop();
    now += 10_000;
    expect(await attemptDuringOutage()).toEqual([1000, 1000]);
    await publisher.close();
  });

  test('the cause is reported', async () => {
    const [closedPortPublisher, unknownHostPublisher] = [
      openPublisherTo(1),
      openPublisherTo(25, { server: { host: 'no-such-host.invalid' } }),
    ];
    expect(await describeOutcome(closedPortPublisher.publish(mailTo(recipient), neverAborted))).toBe(
      'pause: the connection was refused',
    );
    expect(await describeOutcome(unknownHostPublisher.publish(mailTo(recipient), neverAborted))).toMatch(
      /^pause: (the name cannot be resolved|the connection failed \(EAI_AGAIN\))$/,
    );
  });
});

test('a server that refuses a further connection gets later mails on those it accepted', async () => {
  let isSending = false;
  const repliesByConnection: Parameters<typeof replyToLines>[0][] = [
    { '.': () => (isSending = true) },
    { greeting: '421 no' },
  ];
  let connectionCount = 0;
  const server = await startSockets((socket) =>
    replyToLines(repliesByConnection[connectionCount++] ?? {})(socket),
  );
  const publisher = openPublisherTo(server.port);
  const first = describeOutcome(publisher.publish(mailTo(recipient), neverAborted));
  await eventually(async () => expect(isSending).toBe(true));
  expect(await describeOutcome(publisher.publish(mailTo(recipient), neverAborted))).toBe(
    'again: answered with 421',
  );
  await publisher.close();
  expect(await first).toBe('again: the gateway stops');
  await server.close();
});

test('a connection that cannot be reset is closed and replaced', async () => {
  const server = await startSockets(replyToLines({ RCPT: '450 later', RSET: '500 what' }));
  const publisher = openPublisherTo(server.port);
  for (let count = 0; count < 2; count += 1)
    expect(await describeOutcome(publisher.publish(mailTo(recipient), neverAborted))).toBe(
      'again: answered with 450',
    );
  expect(server.connections()).toBe(2);
  await publisher.close();
  await server.close();
});
