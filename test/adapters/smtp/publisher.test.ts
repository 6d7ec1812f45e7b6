import { messageOf } from '../../../src/adapters/smtp/message.ts';
import { renderMail } from '../../../src/mail/render.ts';
import { startMailbox, type Mailbox } from '../../mail/mailbox.ts';
import { mailTo, noEnd, publisherTo, told } from './smtp.harness.ts';

describe('a mail', () => {
  let mailbox: Mailbox;
  beforeEach(async () => void (mailbox = await startMailbox()));
  afterEach(() => mailbox.stop());

  test('is written by itself: between two there is other work, though many are to be sent at once', async () => {
    const publisher = publisherTo(mailbox.port);
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
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
    expect(new Set(await Promise.all(mails.map((mail) => told(publisher.publish(mail, noEnd)))))).toEqual(
      new Set(['done']),
    );
    isCounting = false;
    expect([written.length, new Set(written).size]).toEqual([10, 10]);
    await publisher.close();
  });

  test('reaches its one receiver as text, HTML and calendar object, and nothing beside them', async () => {
    const publisher = publisherTo(mailbox.port);
    const mail = mailTo('bob@example.com');
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
    expect(
      [...raw.matchAll(/^Content-Type: ([^\r]*(?:\r\n [^\r]*)*)/gm)].map(([, type = '']) =>
        type.replaceAll(/\s+/g, ' ').replace(/boundary=.*/, '…'),
      ),
    ).toEqual([
      'multipart/alternative; …',
      'text/plain; charset=utf-8',
      'text/html; charset=utf-8',
      'text/calendar; charset=utf-8; method=REQUEST',
    ]);
    expect(raw).not.toMatch(/content-disposition/i);
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(got?.calendarText).toMatch(/^BEGIN:VCALENDAR\r\n(?:[^\r\n]*\r\n)+$/);
    expect(got?.calendar.getFirstSubcomponent('vevent')?.getFirstPropertyValue('summary')).toContain('🎉');
    await publisher.close();
  });

  test.each([['=?utf-8?q?Hi=0D=0ABcc:_evil@example.org?='], ['x'.repeat(8000)]])(
    'shows %p as it was written, in lines that servers take',
    async (summary) => {
      const publisher = publisherTo(mailbox.port);
      const before = mailbox.mails.length;
      const organizer = { email: 'alice@example.com', displayName: summary };
      await publisher.publish(
        mailTo('bob@example.com', { organizer, event: { summary, sequence: 0 } }),
        noEnd,
      );
      const got = mailbox.mails[before];
      expect([
        got?.email.subject?.replace(/\u200b$/, ''),
        got?.email.replyTo?.[0]?.name?.replace(/\u200b$/, ''),
      ]).toEqual([`Invitation: ${summary}`, summary]);
      expect(
        Math.max(
          ...(got?.raw.toString('latin1').split('\r\n\r\n')[0] ?? '')
            .split('\r\n')
            .map(({ length }) => length),
        ),
      ).toBeLessThan(998);
      await publisher.close();
    },
  );

  test('is the same to the byte in each attempt, whoever sends it', async () => {
    const mail = mailTo('bob@example.com');
    for (const publisher of [publisherTo(mailbox.port), publisherTo(mailbox.port)]) {
      await publisher.publish(mail, noEnd);
      await publisher.close();
    }
    const [first, second] = mailbox.mails;
    expect(second?.raw.toString()).toBe(first?.raw.toString());
  });

  test('of an organizer whose address cannot be written in ASCII has no Reply-To, so that every server takes it', async () => {
    const headOf = async (email: string): Promise<string | undefined> =>
      (
        await messageOf(
          renderMail(mailTo('bob@example.com', { organizer: { email } }), { address: 'gateway@example.com' }),
          'id',
        )
      ).bytes
        .toString()
        .split('\r\n\r\n')[0];
    expect(await headOf('jörg@example.com')).toMatch(/^(?!.*^Reply-To:)[\x00-\x7f]*$/ms);
    expect(await headOf('joerg@bücher.example')).toMatch(/^Reply-To: joerg@xn--bcher-kva\.example\r$/m);
  });

  test('to an international domain names it in ASCII, in the envelope too', async () => {
    const { to, bytes } = await messageOf(
      renderMail(mailTo('bob@bücher.example'), { address: 'gateway@example.com' }),
      'id',
    );
    expect([to, bytes.toString()]).toEqual([
      'bob@xn--bcher-kva.example',
      expect.stringContaining('To: bob@xn--bcher-kva.example\r\n'),
    ]);
  });

  test.each([
    ['temporarily', 451, 'again: answered with 451'],
    ['for good', 550, 'never: answered with 550'],
  ])('that is refused %s is followed by others on the same connection', async (_, code, outcome) => {
    const publisher = publisherTo(mailbox.port);
    mailbox.answer('bob@example.com', code);
    expect([
      await told(publisher.publish(mailTo('bob@example.com'), noEnd)),
      await told(publisher.publish(mailTo('carol@example.com'), noEnd)),
    ]).toEqual([outcome, 'done']);
    mailbox.answer('bob@example.com', 250);
    expect(await told(publisher.publish(mailTo('bob@example.com'), noEnd))).toBe('done');
    expect([mailbox.mails.map(({ to }) => to[0]), mailbox.connections.all]).toEqual([
      ['carol@example.com', 'bob@example.com'],
      1,
    ]);
    await publisher.close();
  });

  test('that cannot be written is tried again, and the reason says nothing of it', async () => {
    const publisher = publisherTo(mailbox.port);
    await expect(
      publisher.publish({ ...mailTo('bob@example.com'), data: 'secret text' }, noEnd),
    ).rejects.toThrow(/^the mail cannot be written \(SyntaxError\)$/);
    await publisher.close();
  });
});

test.each([
  ['larger than the server takes', { size: 500 }, 'bob@example.com'],
  ['to an address that no command can hold', {}, '"a>b"@example.com'],
])('a mail %s is given up, and the next one sent', async (_, options, to) => {
  const mailbox = await startMailbox(options);
  const publisher = publisherTo(mailbox.port);
  expect(await told(publisher.publish(mailTo(to), noEnd))).toBe('never: the server cannot be sent this mail');
  expect(mailbox.mails).toEqual([]);
  await publisher.close();
  await mailbox.stop();
});

describe('connections', () => {
  test('are as many as there are mails at the same time, and are used again', async () => {
    const mailbox = await startMailbox();
    const publisher = publisherTo(mailbox.port);
    const ten = async (): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          publisher.publish(mailTo(`guest${index}@example.com`), noEnd),
        ),
      );
    for (let round = 0; round < 3; round += 1) await ten();
    expect([mailbox.mails.length, mailbox.connections]).toEqual([30, { open: 10, all: 10, most: 10 }]);
    await publisher.close();
    await mailbox.stop();
  });

  test('are ended once they were idle for a while', async () => {
    const mailbox = await startMailbox();
    const publisher = publisherTo(mailbox.port, { limits: { idle: 10 } });
    await publisher.publish(mailTo('bob@example.com'), noEnd);
    while (mailbox.connections.open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await told(publisher.publish(mailTo('bob@example.com'), noEnd))).toBe('done');
    expect(mailbox.connections.all).toBe(2);
    await publisher.close();
    await mailbox.stop();
  });

  test('end with the publisher', async () => {
    const mailbox = await startMailbox();
    const publisher = publisherTo(mailbox.port);
    await publisher.publish(mailTo('bob@example.com'), noEnd);
    await publisher.close();
    while (mailbox.connections.open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await told(publisher.publish(mailTo('bob@example.com'), noEnd))).toBe('again: the gateway stops');
    await mailbox.stop();
  });

  test('that the server has ended meanwhile are no failure', async () => {
    const mailbox = await startMailbox();
    const publisher = publisherTo(mailbox.port);
    await Promise.all(
      ['bob', 'carol'].map((name) => publisher.publish(mailTo(`${name}@example.com`), noEnd)),
    );
    await mailbox.stop();
    await mailbox.start();
    expect(await told(publisher.publish(mailTo('bob@example.com'), noEnd))).toBe('done');
    await publisher.close();
    await mailbox.stop();
  });
});
