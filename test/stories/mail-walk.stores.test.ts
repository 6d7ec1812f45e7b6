import { alice, bob } from '../event/event.harness.ts';
import { startMailbox, type ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/reading.ts';
import { stores } from '../stores.ts';
import { guest, openMailing, sender } from './mail-walk.harness.ts';
import { others, steps, walk } from './mail-walk.steps.ts';
import { useForAll } from '../started.ts';

const link = /\n\nThe event in your calendar: https:\S+\s*$/;
const byReceiver = (one: ReceivedMail, other: ReceivedMail): number =>
  String(one.to) < String(other.to) ? -1 : 1;

describe.each(stores)('from an invitation to the end of a series, over $name', ({ useEnvironments }) => {
  const environment = useEnvironments();

  describe('mails tell of each change:', () => {
    const mailing = useForAll(async () => openMailing(await environment()));
    let id = '';
    const sent: ReceivedMail[] = [];

    test.each(steps)('$does', async (step) => {
      let counted = 0;
      const got = await mailing.gateway.mailsOf(async () => {
        const { problems, notes, told, event } = await step.run(mailing.gateway, id);
        expect({ problems, notes }).toEqual({ problems: [], notes: [] });
        if (id === '') id = event.id;
        counted = told;
      });
      const mails = [...got].sort(byReceiver);
      sent.push(...mails);
      const receivers = Object.keys(step.texts).sort();
      expect(mails.map(({ to }) => to)).toEqual(receivers.map((address) => [address]));
      expect(counted).toBe(mails.length);
      for (const mail of mails) {
        const [to = ''] = mail.to;
        const other = others[`${step.does} ${to}`];
        const { method = 'REQUEST', subject } = { ...step, ...other };
        const { guests, ...values } = { ...step.event, ...other?.event };
        const reading = readMail(mail);
        const [first, ...instances] = reading.events;
        expect([to, reading.method, mail.email.subject]).toEqual([to, method, subject]);
        expect(mail.email.text?.replace(link, '').trimEnd()).toBe(step.texts[to]);
        expect(first).toMatchObject({ organizer: alice, ...values });
        expect(first?.attendees.map(({ address, status }) => `${address} ${status}`)).toEqual(guests);
        expect(instances).toMatchObject(step.instances ?? []);
        expect(link.test(mail.email.text ?? '')).toBe(to !== guest && first?.status !== null);
      }
    });

    test('each mail is for one receiver, and answers to it go to the organizer or the guest', () => {
      for (const { from, to, email, calendar } of sent) {
        const isReply = calendar.getFirstPropertyValue('method') === 'REPLY';
        expect({ from, to: email.to, cc: email.cc, bcc: email.bcc, replyTo: email.replyTo }).toEqual({
          from: sender,
          to: [expect.objectContaining({ address: to[0] })],
          cc: undefined,
          bcc: undefined,
          replyTo: [expect.objectContaining({ address: isReply ? bob : alice })],
        });
        const automatic = { key: 'auto-submitted', value: 'auto-generated' };
        expect(email.headers).toContainEqual(expect.objectContaining(automatic));
      }
      expect(new Set(sent.map(({ email }) => email.messageId)).size).toBe(sent.length);
      const events = sent.flatMap(({ calendar }) => calendar.getAllSubcomponents('vevent'));
      expect(new Set(events.map((event) => event.getFirstPropertyValue('uid'))).size).toBe(1);
    });
  });

  test('each change is answered while the mail server hangs', async () => {
    // This server takes connections and says nothing.
    const mailbox = await startMailbox({ onConnect: () => undefined });
    const { gateway, stop } = await openMailing(await environment(), mailbox);
    let mails = 0;
    await walk(gateway, async ({ texts }, { problems, told }) => {
      expect([problems, told]).toEqual([[], Object.keys(texts).length]);
      mails += told;
      expect(await gateway.waiting()).toBe(mails);
    });
    await mailbox.stop();
    await stop();
  });
});
