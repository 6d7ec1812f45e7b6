import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { startMailbox, type Mailbox } from '../../mail/mailbox.ts';
import { mailTo, neverAborted, openPublisherTo, describeOutcome } from './smtp.harness.ts';
import { useCloser } from '../../use-resource.ts';

// Creates a self-signed certificate for 127.0.0.1, with its key.
const folder = mkdtempSync(join(tmpdir(), 'smtp-tls-'));
const tlsFiles = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const;
const certificateArgs =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=mail.test -addext subjectAltName=IP:127.0.0.1';
const opensslArgs = [...certificateArgs.split(' '), '-keyout', tlsFiles[0], '-out', tlsFiles[1]];
execFileSync('openssl', opensslArgs, { stdio: 'ignore' });
const [key, cert] = tlsFiles.map((file) => readFileSync(file, 'utf8'));
rmSync(folder, { recursive: true });

const recipient = 'bob@example.com';

const closeLater = useCloser();
const startServer = async (options?: SMTPServerOptions): Promise<Mailbox> =>
  closeLater(await startMailbox(options));

/** Sends a mail through a new publisher and returns the outcome. */
function sendMail(mailbox: Mailbox, options?: Parameters<typeof openPublisherTo>[1]): Promise<string> {
  const publisher = closeLater(openPublisherTo(mailbox.port, options));
  return describeOutcome(publisher.publish(mailTo(recipient), neverAborted));
}

describe('TLS', () => {
  test.each([
    ['by STARTTLS', false],
    ['from the start', true],
  ])('%s checks the certificate', async (_, secure) => {
    const secureFlags: boolean[] = [];
    const mailbox = await startServer({
      key,
      cert,
      secure,
      disabledCommands: ['AUTH'],
      onMailFrom: (_address, session, callback) => (secureFlags.push(session.secure), callback()),
    });
    expect(await sendMail(mailbox, { server: { secure } })).toBe('pause: self-signed certificate');
    expect(await sendMail(mailbox, { server: { secure }, tls: { ca: cert } })).toBe('done');
    expect([mailbox.mails.length, secureFlags]).toEqual([1, [true]]);
  });

  test('is required for a password, except on this machine', async () => {
    const signIns: unknown[] = [];
    const mailbox = await startServer({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, callback) => (
        signIns.push([username, password]),
        callback(null, { user: username })
      ),
    });
    const server = { user: 'ada', password: 'p:ä%' };
    expect(await sendMail(mailbox, { server })).toBe('done');
    // The address reaches this machine, but is not recognised as loopback.
    expect(await sendMail(mailbox, { server: { ...server, host: '0.0.0.0' } })).toMatch(/^pause: /);
    expect([mailbox.mails.length, signIns]).toEqual([1, [['ada', 'p:ä%']]]);
  });
});

describe('a server that requires a sign-in', () => {
  const refuseSignIn = (code: number): SMTPServerOptions => ({
    disabledCommands: ['STARTTLS'],
    onAuth: (_auth, _session, callback) =>
      callback(Object.assign(new Error('ada is not known'), { responseCode: code })),
  });
  const wrongCredentials = { user: 'ada', password: 'wrong' };

  test.each([535, 454, 534])('pauses all mails if it refuses the sign-in with %d', async (code) => {
    const mailbox = await startServer(refuseSignIn(code));
    const publisher = closeLater(openPublisherTo(mailbox.port, { server: wrongCredentials }));
    expect(await publisher.publish(mailTo(recipient), neverAborted)).toMatchObject({
      outcome: 'pause',
      isOutage: true,
      cause: { message: `answered with ${code}: the sign-in failed`, smtpCode: code },
    });
  });

  test('delays the mail if the gateway has no password', async () => {
    expect(await sendMail(await startServer(refuseSignIn(535)))).toBe('again: answered with 530');
  });

  test('gets no mail if it does not offer the sign-in', async () => {
    const mailbox = await startServer();
    expect(await sendMail(mailbox, { server: wrongCredentials })).toMatch(
      /^pause: answered with 50\d: the sign-in failed$/,
    );
    expect(mailbox.mails).toEqual([]);
  });
});
