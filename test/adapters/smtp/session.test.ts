import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { startMailbox, type Mailbox } from '../../mail/mailbox.ts';
import { mailTo, noEnd, publisherTo, told } from './smtp.harness.ts';
import { useCloser } from '../../started.ts';

const folder = mkdtempSync(join(tmpdir(), 'smtp-tls-'));
const files = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const;
const ofCertificate =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=mail.test -addext subjectAltName=IP:127.0.0.1';
const made = [...ofCertificate.split(' '), '-keyout', files[0], '-out', files[1]];
execFileSync('openssl', made, { stdio: 'ignore' });
const [key, cert] = files.map((file) => readFileSync(file, 'utf8'));
rmSync(folder, { recursive: true });

const to = 'bob@example.com';

const closeLater = useCloser();
const start = async (options?: SMTPServerOptions): Promise<Mailbox> =>
  closeLater(await startMailbox(options));

/** Sends a mail through a new publisher and returns the outcome. */
function send(mailbox: Mailbox, parts?: Parameters<typeof publisherTo>[1]): Promise<string> {
  const publisher = closeLater(publisherTo(mailbox.port, parts));
  return told(publisher.publish(mailTo(to), noEnd));
}

describe('TLS', () => {
  test.each([
    ['as soon as it is offered', false],
    ['from the start', true],
  ])('%s: the certificate is checked', async (_, secure) => {
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

  test('is required for a password, but on this machine', async () => {
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
    // Another name of this machine, which does not say so.
    expect(await send(mailbox, { server: { ...server, host: '0.0.0.0' } })).toMatch(/^pause: /);
    expect([mailbox.mails.length, signedIn]).toEqual([1, [['ada', 'p:ä%']]]);
  });
});

describe('a server that wants a sign-in', () => {
  const refusing = (code: number): SMTPServerOptions => ({
    disabledCommands: ['STARTTLS'],
    onAuth: (_auth, _session, callback) =>
      callback(Object.assign(new Error('ada is not known'), { responseCode: code })),
  });
  const server = { user: 'ada', password: 'wrong' };

  test.each([535, 454, 534])('and refuses it with %d is away for all mails, which stay', async (code) => {
    const mailbox = await start(refusing(code));
    const publisher = closeLater(publisherTo(mailbox.port, { server }));
    expect(await publisher.publish(mailTo(to), noEnd)).toMatchObject({
      outcome: 'pause',
      isOutage: true,
      cause: { message: `answered with ${code}: the sign-in failed`, smtpCode: code },
    });
  });

  test('and gets none loses no mail', async () => {
    expect(await send(await start(refusing(535)))).toBe('again: answered with 530');
  });

  test('and offers none does not get a mail of who was to sign in', async () => {
    const mailbox = await start();
    expect(await send(mailbox, { server })).toMatch(/^pause: answered with 50\d: the sign-in failed$/);
    expect(mailbox.mails).toEqual([]);
  });
});
