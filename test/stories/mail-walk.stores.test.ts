import { alice, bob } from '../event/event.harness.ts';
import { startMailbox, type ReceivedMail } from '../mail/mailbox.ts';
import { readMail } from '../mail/mail-reading.ts';
import { stores } from '../stores.ts';
import { guest, openMailing, sender } from './mail-walk.harness.ts';
import { mailDifferences, steps, runSteps } from './mail-walk.steps.ts';
import { useForAll } from '../use-resource.ts';

const calendarLink = /\n\nThe event in your calendar: https:\S+\s*$/;
const compareByRecipient = (a: ReceivedMail, b: ReceivedMail): number =>
  String(a.to) < String(b.to) ? -1 : 1;

describe.each(stores)('from an invitation to the end of a series, over $name', ({ useEnvironments }) => {
  const environment = useEnvironments();

  describe('mails report each change:', () => {
    const mailing = useForAll(async () => openMailing(await environment()));
    let id = '';
    const allMails: ReceivedMail[] = [];

    test.each(steps)('$description', async (step) => {
      let notifiedCount = 0;
      const newMails = await mailing.gateway.collectMails(async () => {
        const { problems, warningTexts, event, ...outcome } = await step.run(mailing.gateway, id);
        expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
        if (id === '') id = event.id;
        ({ notifiedCount } = outcome);
      });
      const mails = [...newMails].sort(compareByRecipient);
      allMails.push(...mails);
      const recipients = Object.keys(step.texts).sort();
      expect(mails.map(({ to }) => to)).toEqual(recipients.map((address) => [address]));
      expect(notifiedCount).toBe(mails.length);
      for (const mail of mails) {
        const [to = ''] = mail.to;
        const difference = mailDifferences[`${step.description} ${to}`];
        const { method = 'REQUEST', subject } = { ...step, ...difference };
        const { guests, ...values } = { ...step.event, ...difference?.event };
        const reading = readMail(mail);
        const [firstEvent, ...instances] = reading.events;
        expect([to, reading.method, mail.email.subject]).toEqual([to, method, subject]);
        expect(mail.email.text?.replace(calendarLink, '').trimEnd()).toBe(step.texts[to]);
        expect(firstEvent).toMatchObject({ organizer: alice, ...values });
        expect(firstEvent?.attendees.map(({ address, status }) => `${address} ${status}`)).toEqual(guests);
        expect(instances).toMatchObject(step.instances ?? []);
        expect(calendarLink.test(mail.email.text ?? '')).toBe(to !== guest && firstEvent?.status !== null);
      }
    });

    test('each mail has one recipient, and the organizer or the guest as Reply-To', () => {
      for (const { from, to, email, calendar } of allMails) {
        const isReply = calendar.getFirstPropertyValue('method') === 'REPLY';
        expect({ from, to: email.to, cc: email.cc, bcc: email.bcc, replyTo: email.replyTo }).toEqual({
          from: sender,
          to: [expect.objectContaining({ address: to[0] })],
          cc: undefined,
          bcc: undefined,
          replyTo: [expect.objectContaining({ address: isReply ? bob : alice })],
        });
        const autoSubmittedHeader = { key: 'auto-submitted', value: 'auto-generated' };
        expect(email.headers).toContainEqual(expect.objectContaining(autoSubmittedHeader));
      }
      expect(new Set(allMails.map(({ email }) => email.messageId)).size).toBe(allMails.length);
      const events = allMails.flatMap(({ calendar }) => calendar.getAllSubcomponents('vevent'));
      expect(new Set(events.map((event) => event.getFirstPropertyValue('uid'))).size).toBe(1);
    });
  });

  test('each change is accepted while the mail server hangs', async () => {
    // A mail server that accepts connections, but never responds.
    const mailbox = await startMailbox({ onConnect: () => undefined });
    const { gateway, stop } = await openMailing(await environment(), mailbox);
    let waitingMails = 0;
    await runSteps(gateway, async ({ texts }, { problems, notifiedCount }) => {
      expect([problems, notifiedCount]).toEqual([[], Object.keys(texts).length]);
      waitingMails += notifiedCount;
      expect(await gateway.countWaitingMails()).toBe(waitingMails);
    });
    await mailbox.stop();
    await stop();
  });
});
