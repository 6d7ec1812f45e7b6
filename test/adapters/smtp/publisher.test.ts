import { install } from '@sinonjs/fake-timers';
import type { SMTPServerOptions } from 'smtp-server';
import { createConnectionPool } from '../../../src/adapters/smtp/connection.ts';
import { encodeMail } from '../../../src/adapters/smtp/message.ts';
import { renderMail } from '../../../src/mail/render.ts';
import { eventually, maxWaitMs } from '../../eventually.ts';
import { startMailbox, type Mailbox } from '../../mail/mailbox.ts';
import { mailTo, neverAborted, openPublisherTo, describeOutcome } from './smtp.harness.ts';

const bob = 'bob@example.com';
const from = { address: 'gateway@example.com' };

let mailbox: Mailbox;
let publisher: ReturnType<typeof openPublisherTo>;
async function startMailboxAndPublisher(
  serverOptions?: SMTPServerOptions,
  options?: Parameters<typeof openPublisherTo>[1],
): Promise<void> {
  mailbox = await startMailbox(serverOptions);
  publisher = openPublisherTo(mailbox.port, options);
}
afterEach(async () => {
  await publisher.close();
  await mailbox.stop();
});
/** Sends a mail to a recipient and describes the outcome. */
const sendMail = (to = bob): Promise<string> => describeOutcome(publisher.publish(mailTo(to), neverAborted));
const waitForNoConnections = (): Promise<void> =>
  eventually(async () => expect(mailbox.connections.open).toBe(0));

describe('a mail', () => {
  beforeEach(() => startMailboxAndPublisher());

  test('is written in a turn of its own, so that many mails do not block the event loop', async () => {
    let turnCount = 0;
    let isCounting = true;
    const countTurn = (): void => void ((turnCount += 1), isCounting && setImmediate(countTurn));
    countTurn();
    const turnsOfWrites: number[] = [];
    const mails = Array.from({ length: 10 }, (_, index) => {
      const { data, ...mail } = mailTo(`guest${index}@example.com`);
      return {
        ...mail,
        get data() {
          turnsOfWrites.push(turnCount);
          return data;
        },
      };
    });
    const outcomes = await Promise.all(
      mails.map((mail) => describeOutcome(publisher.publish(mail, neverAborted))),
    );
    isCounting = false;
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    expect([turnsOfWrites.length, new Set(turnsOfWrites).size]).toEqual([10, 10]);
  });

  test('reaches its recipient as text, HTML and calendar object only', async () => {
    const mail = mailTo(bob);
    expect(await describeOutcome(publisher.publish(mail, neverAborted))).toBe('done');
    const [received] = mailbox.mails;
    expect(received).toMatchObject({ from: 'gateway@example.com', to: ['bob@example.com'] });
    expect(received?.email).toMatchObject({
      from: { address: 'gateway@example.com', name: 'Gäteway' },
      to: [{ address: 'bob@example.com' }],
      replyTo: [{ address: 'alice@example.com', name: 'Alice "A." Müller' }],
      subject: expect.stringMatching(/^Invitation: Prüfung, .* 🎉 .* muss$/),
      date: '2026-11-23T10:00:00.000Z',
      messageId: `<${mail.id}@example.com>`,
    });
    const rawMail = received?.raw.toString('latin1') ?? '';
    const [head = ''] = rawMail.split('\r\n\r\n');
    expect(head).toMatch(/^[\x00-\x7f]*$/);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(head).not.toMatch(/^B?cc:/im);
    const contentTypes = [...rawMail.matchAll(/^Content-Type: ([^\r]*(?:\r\n [^\r]*)*)/gm)].map(
      ([, type = '']) => type,
    );
    expect(contentTypes.map((type) => type.replaceAll(/\s+/g, ' ').replace(/boundary=.*/, '…'))).toEqual([
      'multipart/alternative; …',
      'text/plain; charset=utf-8',
      'text/html; charset=utf-8',
      'text/calendar; charset=utf-8; method=REQUEST',
    ]);
    expect(rawMail).not.toMatch(/content-disposition/i);
    expect(rawMail.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(received?.calendarText).toMatch(/^BEGIN:VCALENDAR\r\n(?:[^\r\n]*\r\n)+$/);
    expect(received?.calendar.getFirstSubcomponent('vevent')?.getFirstPropertyValue('summary')).toContain(
      '🎉',
    );
  });

  test.each(['=?utf-8?q?Hi=0D=0ABcc:_evil@example.org?=', 'x'.repeat(8000)])(
    'shows %p unchanged, in header lines of permitted length',
    async (summary) => {
      const organizer = { email: 'alice@example.com', displayName: summary };
      await publisher.publish(mailTo(bob, { organizer, event: { summary, sequence: 0 } }), neverAborted);
      const [received] = mailbox.mails;
      // Long or encoded-looking texts get a zero-width space at their end, so that they are encoded and folded.
      const displayedTexts = [received?.email.subject, received?.email.replyTo?.[0]?.name].map((text) =>
        text?.replace(/\u200b$/, ''),
      );
      expect(displayedTexts).toEqual([`Invitation: ${summary}`, summary]);
      const [head = ''] = received?.raw.toString('latin1').split('\r\n\r\n') ?? [];
      // RFC 5322, section 2.1.1: at most 998 characters in a line.
      expect(Math.max(...head.split('\r\n').map(({ length }) => length))).toBeLessThan(998);
    },
  );

  test('has the same bytes in each attempt of any gateway', async () => {
    const mail = mailTo(bob);
    await publisher.publish(mail, neverAborted);
    const otherPublisher = openPublisherTo(mailbox.port);
    await otherPublisher.publish(mail, neverAborted);
    await otherPublisher.close();
    const [first, second] = mailbox.mails;
    expect(second?.raw.toString()).toBe(first?.raw.toString());
  });

  test("has no Reply-To if the organizer's address needs SMTPUTF8", async () => {
    const encodeHead = async (email: string): Promise<string | undefined> => {
      const { bytes } = await encodeMail(renderMail(mailTo(bob, { organizer: { email } }), from), 'id');
      return bytes.toString().split('\r\n\r\n')[0];
    };
    expect(await encodeHead('jörg@example.com')).toMatch(/^(?!.*^Reply-To:)[\x00-\x7f]*$/ms);
    expect(await encodeHead('joerg@bücher.example')).toMatch(/^Reply-To: joerg@xn--bcher-kva\.example\r$/m);
  });

  test('names an international domain in ASCII, in the header and in the envelope', async () => {
    const { to, bytes } = await encodeMail(renderMail(mailTo('bob@bücher.example'), from), 'id');
    expect(to).toBe('bob@xn--bcher-kva.example');
    expect(bytes.toString()).toContain('To: bob@xn--bcher-kva.example\r\n');
  });

  test.each([
    ['temporarily', 451, 'again: answered with 451'],
    ['permanently', 550, 'never: answered with 550'],
  ])('that is refused %s does not close the connection for other mails', async (_, code, outcome) => {
    mailbox.setReplyCode(bob, code);
    expect([await sendMail(), await sendMail('carol@example.com')]).toEqual([outcome, 'done']);
    mailbox.setReplyCode(bob, 250);
    expect(await sendMail()).toBe('done');
    expect(mailbox.mails.map(({ to }) => to[0])).toEqual(['carol@example.com', bob]);
    expect(mailbox.connections.total).toBe(1);
  });

  test('that cannot be written is tried again, and the cause has none of its text', async () => {
    const attempt = publisher.publish({ ...mailTo(bob), data: 'secret text' }, neverAborted);
    await expect(attempt).rejects.toThrow(/^the mail cannot be written \(SyntaxError\)$/);
  });
});

test.each([
  ['larger than the server accepts', { size: 500 }, bob],
  ['to an address that no SMTP command can hold', {}, '"a>b"@example.com'],
])('a mail %s is dropped', async (_, options, to) => {
  await startMailboxAndPublisher(options);
  expect(await sendMail(to)).toBe('never: the server cannot be sent this mail');
  expect(mailbox.mails).toEqual([]);
});

describe('connections', () => {
  test('are as many as concurrent mails, and are reused', async () => {
    // No connection is idle for so long, even on a slow machine.
    await startMailboxAndPublisher({}, { limits: { maxIdleMs: maxWaitMs } });
    const guests = Array.from({ length: 10 }, (_, index) => `guest${index}@example.com`);
    for (let round = 0; round < 3; round += 1) await Promise.all(guests.map(sendMail));
    expect([mailbox.mails.length, mailbox.connections]).toEqual([30, { open: 10, total: 10, maxOpen: 10 }]);
  });

  test('are closed after being idle', async () => {
    await startMailboxAndPublisher({}, { limits: { maxIdleMs: 10 } });
    await sendMail();
    await waitForNoConnections();
    expect([await sendMail(), mailbox.connections.total]).toEqual(['done', 2]);
  });

  test('are not closed while in use, however long they were idle before', async () => {
    await startMailboxAndPublisher();
    const fakeTimers = install({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const pool = createConnectionPool(1000);
      let quitCount = 0;
      const connection = {
        isOpen: () => true,
        send: async () => undefined,
        close: () => undefined,
        quit: () => void (quitCount += 1),
      };
      pool.add(connection);
      pool.release(connection);
      fakeTimers.tick(999);
      expect(pool.takeIdle()).toBe(connection);
      fakeTimers.tick(1000);
      expect(quitCount).toBe(0);
      pool.release(connection);
      fakeTimers.tick(1000);
      expect(quitCount).toBe(1);
    } finally {
      fakeTimers.uninstall();
    }
  });

  test('are closed with the publisher', async () => {
    await startMailboxAndPublisher();
    await sendMail();
    await publisher.close();
    await waitForNoConnections();
    expect(await sendMail()).toBe('again: the gateway stops');
  });

  test('that the server closed meanwhile are replaced', async () => {
    await startMailboxAndPublisher();
    await Promise.all([sendMail(), sendMail('carol@example.com')]);
    await mailbox.stop();
    await mailbox.start();
    expect(await sendMail()).toBe('done');
  });
});
