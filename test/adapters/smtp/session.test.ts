import { startMailbox } from '../../mail/mailbox.ts';
import { makeCertificate, mailTo, noEnd, publisherTo, told } from './smtp.harness.ts';

const { key, cert } = makeCertificate();
const tls = { ca: cert };
const to = 'bob@example.com';

describe('TLS', () => {
  test.each([
    ['as soon as it is offered', false],
    ['from the start', true],
  ])('%s: the certificate is checked', async (_, secure) => {
    const secured: boolean[] = [];
    const mailbox = await startMailbox({
      key,
      cert,
      secure,
      disabledCommands: ['AUTH'],
      onMailFrom: (_address, session, callback) => (secured.push(session.secure), callback()),
    });
    const [careful, trusting] = [
      publisherTo(mailbox.port, { server: { secure } }),
      publisherTo(mailbox.port, { server: { secure }, tls }),
    ];
    expect([
      await told(careful.publish(mailTo(to), noEnd)),
      await told(trusting.publish(mailTo(to), noEnd)),
    ]).toEqual(['pause: self-signed certificate', 'done']);
    expect([mailbox.mails.length, secured]).toEqual([1, [true]]);
    await Promise.all([careful.close(), trusting.close()]);
    await mailbox.stop();
  });

  test('is required for a password, but on this machine', async () => {
    const signedIn: unknown[] = [];
    const mailbox = await startMailbox({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, callback) => (
        signedIn.push([username, password]),
        callback(null, { user: username })
      ),
    });
    const server = { user: 'ada', password: 'p:ä%' };
    // Another name of this machine, which does not say so.
    const [here, elsewhere] = [
      publisherTo(mailbox.port, { server }),
      publisherTo(mailbox.port, { server: { ...server, host: '0.0.0.0' } }),
    ];
    expect([
      await told(here.publish(mailTo(to), noEnd)),
      await told(elsewhere.publish(mailTo(to), noEnd)),
    ]).toEqual(['done', expect.stringMatching(/^pause: /)]);
    expect([mailbox.mails.length, signedIn]).toEqual([1, [['ada', 'p:ä%']]]);
    await Promise.all([here.close(), elsewhere.close()]);
    await mailbox.stop();
  });
});

describe('a server that wants a sign-in', () => {
  const onAuth =
    (code: number) =>
    (_auth: unknown, _session: unknown, callback: (error: Error) => void): void =>
      callback(Object.assign(new Error('ada is not known'), { responseCode: code }));

  test.each([535, 454, 534])('and refuses it with %d is away for all mails, which stay', async (code) => {
    const mailbox = await startMailbox({ disabledCommands: ['STARTTLS'], onAuth: onAuth(code) });
    const publisher = publisherTo(mailbox.port, { server: { user: 'ada', password: 'wrong' } });
    expect(await publisher.publish(mailTo(to), noEnd)).toMatchObject({
      outcome: 'pause',
      isOutage: true,
      cause: { message: `answered with ${code}: the sign-in failed`, smtpCode: code },
    });
    await publisher.close();
    await mailbox.stop();
  });

  test('and gets none loses no mail', async () => {
    const mailbox = await startMailbox({ disabledCommands: ['STARTTLS'], onAuth: onAuth(535) });
    const publisher = publisherTo(mailbox.port);
    expect(await told(publisher.publish(mailTo(to), noEnd))).toBe('again: answered with 530');
    await publisher.close();
    await mailbox.stop();
  });

  test('and offers none does not get a mail of who was to sign in', async () => {
    const mailbox = await startMailbox();
    const publisher = publisherTo(mailbox.port, { server: { user: 'ada', password: 'x' } });
    expect([await told(publisher.publish(mailTo(to), noEnd)), mailbox.mails]).toEqual([
      expect.stringMatching(/^pause: answered with 50\d: the sign-in failed$/),
      [],
    ]);
    await publisher.close();
    await mailbox.stop();
  });
});
