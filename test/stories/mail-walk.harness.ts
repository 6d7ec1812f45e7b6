import type { Replacements } from '../../src/app.ts';
import { startEvents } from '../event/event.harness.ts';
import { eventually } from '../eventually.ts';
import { startMailbox, type Mailbox, type ReceivedMail } from '../mail/mailbox.ts';

export const sender = 'calendar@mail.example';
export const guest = 'gus@elsewhere.example';

const wanda = { email: 'wanda@example.com', role: 'writer' };
/** Calendars of Alice in Berlin, Bob in New York and Carol in Tokyo; Wanda writes to all of them. */
export const homes = [
  ['alice@example.com', 'Europe/Berlin'],
  ['bob@example.com', 'America/New_York'],
  ['carol@example.com', 'Asia/Tokyo'],
].map(([owner = '', timeZone = '']) => ({
  id: owner,
  owner,
  timeZone,
  acl: [wanda],
  events: [] as object[],
}));

/** A mailbox, and a gateway that mails its guests there. */
type Mailing = Awaited<ReturnType<typeof openMailing>>;
export type MailGateway = Mailing['gateway'];

/** Opens both; the gateway has the calendars above unless the replacements have a seed. */
export async function openMailing(
  env: Readonly<Record<string, string>> = {},
  given?: Mailbox,
  replacements: Replacements = {},
) {
  const mailbox = given ?? (await startMailbox());
  const gateway = await startEvents(
    { seed: { calendars: homes }, ...replacements },
    { SMTP_URL: mailbox.url, MAIL_FROM: `Calendar <${sender}>`, ...env },
  );
  const waiting = async (): Promise<number> => (await gateway.stores.outbox.backlog({ only: 'mail' })).count;
  return {
    mailbox,
    gateway: {
      ...gateway,
      /** How many mails wait. */
      waiting,
      /** The mails that something caused: all that were stored have reached their server by then. */
      async mailsOf(work: () => Promise<unknown>) {
        const before = mailbox.mails.length;
        await work();
        await eventually(async () => expect(await waiting()).toBe(0));
        return mailbox.mails.slice(before);
      },
    },
    async stop() {
      await gateway.close();
      await mailbox.stop();
    },
  };
}

/** To whom, by which method and under which subject, in the order of receivers. */
export const headsOf = (mails: readonly ReceivedMail[]): string[] =>
  mails
    .map(({ to, calendar, email }) =>
      [...to, calendar.getFirstPropertyValue('method') as string, email.subject].join(' '),
    )
    .sort();

/** The one mail to somebody. */
export function mailTo(mails: readonly ReceivedMail[], address: string): ReceivedMail {
  const found = mails.filter(({ to }) => to.includes(address));
  if (found.length !== 1) throw new Error(`${found.length} mails to ${address}`);
  return found[0] as ReceivedMail;
}
