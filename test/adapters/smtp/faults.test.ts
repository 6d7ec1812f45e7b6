import type { Socket } from 'node:net';
import { eventually } from '../../eventually.ts';
import { startMailbox } from '../../mail/mailbox.ts';
import { startSockets } from '../webhook/receiver.ts';
import { answering, mailTo, noEnd, publisherTo, told } from './smtp.harness.ts';

const to = 'bob@example.com';
const breaks = (socket: Socket): void => void socket.destroy();
const says =
  (text: string) =>
  (socket: Socket): void =>
    void socket.end(`${text}\r\n`);
/** A line that never ends, a byte at a time. */
const trickles = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('2'), 2);
  socket.on('close', () => clearInterval(timer));
};
const isSilent = (): void => undefined;

/** What becomes of a mail to a server that answers so, within some time. */
async function outcomeWith(answers: Parameters<typeof answering>[0], attempt = 10_000): Promise<string> {
  const server = await startSockets(answering(answers));
  const publisher = publisherTo(server.port, { limits: { attempt } });
  const outcome = await told(publisher.publish(mailTo(to), noEnd));
  if (!/^done|answered with [345]/.test(outcome))
    await eventually(async () => expect(server.openSockets()).toBe(0));
  await publisher.close();
  await server.close();
  return outcome;
}

const signIn = [503, 530, 534, 535, 538];

describe('of a mail', () => {
  test.each<readonly [string, string, string]>([
    ['MAIL', '550 no <bob@example.com>', 'never: answered with 550'],
    ['RCPT', '553 no', 'never: answered with 553'],
    ['DATA', '554 no', 'never: answered with 554'],
    ['.', '552 no', 'never: answered with 552'],
    ['.', '451 later', 'again: answered with 451'],
    ['MAIL', '421 too many', 'again: answered with 421'],
    ...signIn.map((code) => ['RCPT', `${code} sign in`, `again: answered with ${code}`] as const),
    ['.', '350 what', 'again: answered with 350'],
  ])('%s answered with "%s" means %s', async (word, answer, outcome) => {
    expect(await outcomeWith({ [word]: answer })).toBe(outcome);
  });
});

describe('a connection', () => {
  const closed = 'the connection was closed before an answer';

  test.each<[string, Parameters<typeof answering>[0], string]>([
    ['is broken before the mail is taken', { '.': breaks }, `again: ${closed}`],
    ['is broken behind the answer that the mail is taken', { '.': says('250 taken') }, 'done'],
    ['says goodbye behind the answer that the mail is taken', { '.': says('250 taken\r\n421 bye') }, 'done'],
    ['is broken in the middle of the mail', { DATA: breaks }, `again: ${closed}`],
    ['is broken at once', { greeting: breaks }, `pause: ${closed}`],
    ['gets no greeting', { greeting: isSilent }, 'pause: no answer in time'],
    ['gets a greeting that does not end', { greeting: trickles }, 'pause: no answer in time'],
    ['is refused by the greeting', { greeting: '554 go away' }, 'pause: answered with 554'],
    ['gets no answer to the mail', { '.': isSilent }, 'again: no answer in time'],
    ['gets an answer to the mail that does not end', { '.': trickles }, 'again: no answer in time'],
    ['gets an answer that is none', { MAIL: 'x'.repeat(2_000_000) }, 'again: no answer of SMTP'],
  ])('that %s: %s', async (_, answers, outcome) => {
    if (!outcome.endsWith('in time')) return expect(await outcomeWith(answers)).toBe(outcome);
    // The limit is that of connecting too: on a busy machine an attempt may end before the answer that is missing.
    await eventually(async () => expect(await outcomeWith(answers, 500)).toBe(outcome));
  });

  test('that the gateway waits for ends with the signal', async () => {
    for (const word of ['greeting', '.']) {
      let isReached = false;
      const server = await startSockets(answering({ [word]: () => (isReached = true) }));
      const publisher = publisherTo(server.port);
      const ending = new AbortController();
      const outcome = told(publisher.publish(mailTo(to), ending.signal));
      await eventually(async () => expect(isReached).toBe(true));
      ending.abort();
      expect(await outcome).toBe('again: the gateway stops');
      await eventually(async () => expect(server.openSockets()).toBe(0));
      await server.close();
      await publisher.close();
    }
  });
});

describe('while the server is away', () => {
  test('there are growing pauses, one for all attempts of the same time; the next mail behind it is sent', async () => {
    let now = 1_000_000;
    const mailbox = await startMailbox();
    const limits = { pauses: { first: 1000, longest: 3000 } };
    const publisher = publisherTo(mailbox.port, { clock: () => now, limits });
    await mailbox.stop();
    const pauses = (): Promise<number[]> =>
      Promise.all(
        ['bob@example.com', 'carol@example.com'].map(async (address) => {
          const found = await publisher.publish(mailTo(address), noEnd);
          return found.outcome === 'pause' && found.isOutage ? found.until - now : NaN;
        }),
      );
    for (const pause of [1000, 2000, 3000, 3000]) {
      expect(await pauses()).toEqual([pause, pause]);
      now += pause;
    }
    await mailbox.start();
    expect(await told(publisher.publish(mailTo(to), noEnd))).toBe('done');
    await mailbox.stop();
    now += 10_000;
    expect(await pauses()).toEqual([1000, 1000]);
    await publisher.close();
  });

  test('it is said why', async () => {
    const [gone, unknown] = [publisherTo(1), publisherTo(25, { server: { host: 'no-such-host.invalid' } })];
    expect(await told(gone.publish(mailTo(to), noEnd))).toBe('pause: the connection was refused');
    expect(await told(unknown.publish(mailTo(to), noEnd))).toMatch(
      /^pause: (the name cannot be resolved|the connection failed \(EAI_AGAIN\))$/,
    );
  });
});

test('a server that wants fewer connections gets the other mails on those that it takes', async () => {
  let isSending = false;
  const answers: Parameters<typeof answering>[0][] = [
    { '.': () => (isSending = true) },
    { greeting: '421 no' },
  ];
  let connections = 0;
  const server = await startSockets((socket) => answering(answers[connections++] ?? {})(socket));
  const publisher = publisherTo(server.port);
  const first = told(publisher.publish(mailTo(to), noEnd));
  await eventually(async () => expect(isSending).toBe(true));
  expect(await told(publisher.publish(mailTo(to), noEnd))).toBe('again: answered with 421');
  await publisher.close();
  expect(await first).toBe('again: the gateway stops');
  await server.close();
});

test('a connection that cannot be used for another mail is ended, and another one taken', async () => {
  const server = await startSockets(answering({ RCPT: '450 later', RSET: '500 what' }));
  const publisher = publisherTo(server.port);
  for (let count = 0; count < 2; count += 1)
    expect(await told(publisher.publish(mailTo(to), noEnd))).toBe('again: answered with 450');
  expect(server.connections()).toBe(2);
  await publisher.close();
  await server.close();
});
