import type { SMTPServerOptions } from 'smtp-server';
import { messageOf } from '../../../src/adapters/smtp/message.ts';
import { renderMail } from '../../../src/mail/render.ts';
import { eventually, patienceMs } from '../../eventually.ts';
import { startMailbox, type Mailbox } from '../../mail/mailbox.ts';
import { mailTo, noEnd, publisherTo, told } from './smtp.harness.ts';

const bob = 'bob@example.com';
const from = { address: 'gateway@example.com' };

let mailbox: Mailbox;
let publisher: ReturnType<typeof publisherTo>;
async function start(options?: SMTPServerOptions, parts?: Parameters<typeof publisherTo>[1]): Promise<void> {
  mailbox = await startMailbox(options);
  publisher = publisherTo(mailbox.port, parts);
}
afterEach(async () => {
  await publisher.close();
  await mailbox.stop();
});
const send = (to = bob): Promise<string> => told(publisher.publish(mailTo(to), noEnd));
const noConnections = (): Promise<void> => eventually(async () => expect(mailbox.connections.open).toBe(0));

describe('a mail', () => {
  beforeEach(() => start());

  test('is written by itself: between two there is other work, though many are to be sent at once', async () => {
    let turns = 0;
    let isCounting = true;
    const count = (): void => void ((turns += 1), isCounting && setImmediate(count));
    count();
    const written: number[] = [];
    const mails = Array.from({ length: 10 }, (_, index) => {
      const { data, ...mail } = mailTo(`guest${index}@example.com`);
      return {
        ...mail,
        get data() {
          written.push(turns);
          return data;
        },
      };
    });
    const outcomes = await Promise.all(mails.map((mail) => told(publisher.publish(mail, noEnd))));
    isCounting = false;
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    expect([written.length, new Set(written).size]).toEqual([10, 10]);
  });

  test('reaches its one receiver as text, HTML and calendar object, and nothing beside them', async () => {
    const mail = mailTo(bob);
    expect(await told(publisher.publish(mail, noEnd))).toBe('done');
    const [got] = mailbox.mails;
    expect(got).toMatchObject({ from: 'gateway@example.com', to: ['bob@example.com'] });
    expect(got?.email).toMatchObject({
      from: { address: 'gateway@example.com', name: 'Gäteway' },
      to: [{ address: 'bob@example.com' }],
      replyTo: [{ address: 'alice@example.com', name: 'Alice "A." Müller' }],
      subject: expect.stringMatching(/^Invitation: Prüfung, .* 🎉 .* muss$/),
      date: '2026-11-23T10:00:00.000Z',
      messageId: `<${mail.id}@example.com>`,
    });
    const raw = got?.raw.toString('latin1') ?? '';
    const [head = ''] = raw.split('\r\n\r\n');
    expect(head).toMatch(/^[\x00-\x7f]*$/);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(head).not.toMatch(/^B?cc:/im);
    const types = [...raw.matchAll(/^Content-Type: ([^\r]*(?:\r\n [^\r]*)*)/gm)].map(([, type = '']) => type);
    expect(types.map((type) => type.replaceAll(/\s+/g, ' ').replace(/boundary=.*/, '…'))).toEqual([
      'multipart/alternative; …',
      'text/plain; charset=utf-8',
      'text/html; charset=utf-8',
      'text/calendar; charset=utf-8; method=REQUEST',
    ]);
    expect(raw).not.toMatch(/content-disposition/i);
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(got?.calendarText).toMatch(/^BEGIN:VCALENDAR\r\n(?:[^\r\n]*\r\n)+$/);
    expect(got?.calendar.getFirstSubcomponent('vevent')?.getFirstPropertyValue('summary')).toContain('🎉');
  });

  test.each(['=?utf-8?q?Hi=0D=0ABcc:_evil@example.org?=', 'x'.repeat(8000)])(
    'shows %p as it was written, in lines that servers take',
    async (summary) => {
      const organizer = { email: 'alice@example.com', displayName: summary };
      await publisher.publish(mailTo(bob, { organizer, event: { summary, sequence: 0 } }), noEnd);
      const [got] = mailbox.mails;
      const shown = [got?.email.subject, got?.email.replyTo?.[0]?.name].map((text) =>
        text?.replace(/\u200b$/, ''),
      );
      expect(shown).toEqual([`Invitation: ${summary}`, summary]);
      const [head = ''] = got?.raw.toString('latin1').split('\r\n\r\n') ?? [];
      expect(Math.max(...head.split('\r\n').map(({ length }) => length))).toBeLessThan(998);
    },
  );

  test('is the same to the byte in each attempt, whoever sends it', async () => {
    const mail = mailTo(bob);
    await publisher.publish(mail, noEnd);
    const other = publisherTo(mailbox.port);
    await other.publish(mail, noEnd);
    await other.close();
    const [first, second] = mailbox.mails;
    expect(second?.raw.toString()).toBe(first?.raw.toString());
  });

  test('of an organizer whose address cannot be written in ASCII has no Reply-To, so that every server takes it', async () => {
    const headOf = async (email: string): Promise<string | undefined> => {
      const { bytes } = await messageOf(renderMail(mailTo(bob, { organizer: { email } }), from), 'id');
      return bytes.toString().split('\r\n\r\n')[0];
    };
    expect(await headOf('jörg@example.com')).toMatch(/^(?!.*^Reply-To:)[\x00-\x7f]*$/ms);
    expect(await headOf('joerg@bücher.example')).toMatch(/^Reply-To: joerg@xn--bcher-kva\.example\r$/m);
  });

  test('to an international domain names it in ASCII, in the envelope too', async () => {
    const { to, bytes } = await messageOf(renderMail(mailTo('bob@bücher.example'), from), 'id');
    expect(to).toBe('bob@xn--bcher-kva.example');
    expect(bytes.toString()).toContain('To: bob@xn--bcher-kva.example\r\n');
  });

  test.each([
    ['temporarily', 451, 'again: answered with 451'],
    ['for good', 550, 'never: answered with 550'],
  ])('that is refused %s is followed by others on the same connection', async (_, code, outcome) => {
    mailbox.answer(bob, code);
    expect([await send(), await send('carol@example.com')]).toEqual([outcome, 'done']);
    mailbox.answer(bob, 250);
    expect(await send()).toBe('done');
    expect(mailbox.mails.map(({ to }) => to[0])).toEqual(['carol@example.com', bob]);
    expect(mailbox.connections.all).toBe(1);
  });

  test('that cannot be written is tried again, and the reason says nothing of it', async () => {
    const published = publisher.publish({ ...mailTo(bob), data: 'secret text' }, noEnd);
    await expect(published).rejects.toThrow(/^the mail cannot be written \(SyntaxError\)$/);
  });
});

test.each([
  ['larger than the server takes', { size: 500 }, bob],
  ['to an address that no command can hold', {}, '"a>b"@example.com'],
])('a mail %s is given up', async (_, options, to) => {
  await start(options);
  expect(await send(to)).toBe('never: the server cannot be sent this mail');
  expect(mailbox.mails).toEqual([]);
});

describe('connections', () => {
  test('are as many as there are mails at the same time, and are used again', async () => {
    // None is idle for so long, however slow the machine is.
    await start({}, { limits: { idle: patienceMs } });
    const guests = Array.from({ length: 10 }, (_, index) => `guest${index}@example.com`);
    for (let round = 0; round < 3; round += 1) await Promise.all(guests.map(send));
    expect([mailbox.mails.length, mailbox.connections]).toEqual([30, { open: 10, all: 10, most: 10 }]);
  });

  test('are ended once they were idle for a while', async () => {
    await start({}, { limits: { idle: 10 } });
    await send();
    await noConnections();
    expect([await send(), mailbox.connections.all]).toEqual(['done', 2]);
  });

  test('end with the publisher', async () => {
    await start();
    await send();
    await publisher.close();
    await noConnections();
    expect(await send()).toBe('again: the gateway stops');
  });

  test('that the server has ended meanwhile are no failure', async () => {
    await start();
    await Promise.all([send(), send('carol@example.com')]);
    await mailbox.stop();
    await mailbox.start();
    expect(await send()).toBe('done');
  });
});
