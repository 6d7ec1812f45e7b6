import { alice, bob } from '../event/event.harness.ts';
import { readMail } from '../mail/reading.ts';
import { startMailbox, type ReceivedMail } from '../mail/mailbox.ts';
import { guest, sender, type Mailing } from './mail-walk.harness.ts';
import { others, steps } from './mail-walk.steps.ts';

const link = /\n\nThe event in your calendar: https:\S+\s*$/;
const byReceiver = (one: ReceivedMail, other: ReceivedMail): number =>
  String(one.to) < String(other.to) ? -1 : 1;

/** From an invitation to the end of a series and back. `open` gives a gateway over a store of its own. */
export function mailWalk(open: (mailbox?: Mailing['mailbox']) => Promise<Mailing>): void {
  describe('the walk of a series', () => {
    let mailing: Mailing;
    let id = '';
    const sent: ReceivedMail[] = [];
    beforeAll(async () => {
      mailing = await open();
    });
    afterAll(() => mailing.stop());

    test.each(steps.map((step) => [step.does, step] as const))('%s', async (does, step) => {
      let counted = 0;
      const mails = [
        ...(await mailing.gateway.mailsOf(async () => {
          const { problems, notes, told, event } = await step.run(mailing.gateway, id);
          expect({ problems, notes }).toEqual({ problems: [], notes: [] });
          if (id === '') id = event.id;
          counted = told;
        })),
      ].sort(byReceiver);
      sent.push(...mails);
      expect(mails.map(({ to }) => to)).toEqual(
        Object.keys(step.texts)
          .sort()
          .map((address) => [address]),
      );
      expect(counted).toBe(mails.length);
      for (const mail of mails) {
        const [to = ''] = mail.to;
        const { method = step.method, subject = step.subject, event = {} } = others[`${does} ${to}`] ?? {};
        const { guests, ...values } = { ...step.event, ...event };
        const reading = readMail(mail);
        const [first, ...instances] = reading.events;
        expect([to, reading.method, mail.email.subject]).toEqual([to, method, subject]);
        expect(mail.email.text?.replace(link, '').trimEnd()).toBe(step.texts[to]);
        expect(first).toMatchObject({ organizer: alice, ...values });
        expect(first?.attendees.map(({ address, status }) => `${address} ${status}`)).toEqual(guests);
        expect(instances).toEqual(
          (step.instances ?? []).map((instance) => expect.objectContaining(instance)),
        );
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
        expect(email.headers).toContainEqual(
          expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
        );
      }
      expect(new Set(sent.map(({ email }) => email.messageId)).size).toBe(sent.length);
      expect(
        new Set(
          sent.flatMap(({ calendar }) =>
            calendar.getAllSubcomponents('vevent').map((event) => event.getFirstPropertyValue('uid')),
          ),
        ).size,
      ).toBe(1);
    });
  });

  test('each change of it is answered while the mail server hangs', async () => {
    // It takes connections and says nothing.
    const mailbox = await startMailbox({ onConnect: () => undefined });
    const { gateway } = await open(mailbox);
    let id = '';
    let mails = 0;
    for (const { run, texts } of steps) {
      const { problems, told, event } = await run(gateway, id);
      if (id === '') id = event.id;
      expect([problems, told]).toEqual([[], Object.keys(texts).length]);
      mails += told;
      expect(await gateway.waiting()).toBe(mails);
    }
    await mailbox.stop();
    await gateway.close();
  });
}
