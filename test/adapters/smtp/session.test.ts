import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { startMailbox, type Mailbox } from '../../mail/mailbox.ts';
import { mailTo, neverAborted, openPublisherTo, describeOutcome } from './smtp.harness.ts';
import { useCloser } from '../../started.ts';

const folder = mkdtempSync(join(tmpdir(), 'smtp-tls-'));
const files = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const;
const certificateArgs =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=mail.test -addext subjectAltName=IP:127.0.0.1';
const opensslArgs = [...certificateArgs.split(' '), '-keyout', files[0], '-out', files[1]];
execFileSync('openssl', opensslArgs, { stdio: 'ignore' });
const [key, cert] = files.map((file) => readFileSync(file, 'utf8'));
rmSync(folder, { recursive: true });

const to = 'bob@example.com';

const closeLater = useCloser();
const start = async (options?: SMTPServerOptions): Promise<Mailbox> =>
  closeLater(await startMailbox(options));

/** Sends a mail through a new publisher and returns the outcome. */
function send(mailbox: Mailbox, options?: Parameters<typeof openPublisherTo>[1]): Promise<string> {
  const publisher = closeLater(openPublisherTo(mailbox.port, options));
  return describeOutcome(publisher.publish(mailTo(to), neverAborted));
}

describe('TLS', () => {
  test.each([
    ['by STARTTLS', false],
    ['from the start', true],
  ])('%s checks the certificate', async (_, secure) => {
    const secured: boolean[] = [];
    const mailbox = await start({
      key,
      cert,
      secure,
      disabledCommands: ['AUTH'],
      onMailFrom: (_address, session, callback) => (secured.push(session.secure), callback()),
    });
    expect(await send(mailbox, { server: { secure } })).toBe('pause: self-signed certificate');
    expect(await send(mailbox, { server: { secure }, tls: { ca: cert } })).toBe('done');
    expect([mailbox.mails.length, secured]).toEqual([1, [true]]);
  });

  test('is required for a password, except on this machine', async () => {
    const signedIn: unknown[] = [];
    const mailbox = await start({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, callback) => (
        signedIn.push([username, password]),
        callback(null, { user: username })
      ),
    });
    const server = { user: 'ada', password: 'p:ä%' };
    expect(await send(mailbox, { server })).toBe('done');
    // The address reaches this machine, but is not recognised as loopback.
    expect(await send(mailbox, { server: { ...server, host: '0.0.0.0' } })).toMatch(/^pause: /);
    expect([mailbox.mails.length, signedIn]).toEqual([1, [['ada', 'p:ä%']]]);
  });
});

describe('a server that requires a sign-in', () => {
  const refuseSignIn = (code: number): SMTPServerOptions => ({
    disabledCommands: ['STARTTLS'],
    onAuth: (_auth, _session, callback) =>
      callback(Object.assign(new Error('ada is not known'), { responseCode: code })),
  });
  const server = { user: 'ada', password: 'wrong' };

  test.each([535, 454, 534])('and refuses it with %d pauses all mails', async (code) => {
    const mailbox = await start(refuseSignIn(code));
    const publisher = closeLater(openPublisherTo(mailbox.port, { server }));
    expect(await publisher.publish(mailTo(to), neverAborted)).toMatchObject({
      outcome: 'pause',
      isOutage: true,
      cause: { message: `answered with ${code}: the sign-in failed`, smtpCode: code },
    });
  });

  test('and gets none makes the mail be tried again', async () => {
    expect(await send(await start(refuseSignIn(535)))).toBe('again: answered with 530');
  });

  test('but does not offer it gets no mail', async () => {
    const mailbox = await start();
    expect(await send(mailbox, { server })).toMatch(/^pause: answered with 50\d: the sign-in failed$/);
    expect(mailbox.mails).toEqual([]);
  });
});
