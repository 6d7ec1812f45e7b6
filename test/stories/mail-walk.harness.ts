import type { Replacements } from '../../src/app.ts';
import { startEventGateway } from '../event/event.harness.ts';
import { eventually } from '../eventually.ts';
import { startMailbox, type Mailbox, type ReceivedMail } from '../mail/mailbox.ts';

export const sender = 'calendar@mail.example';
export const guest = 'gus@elsewhere.example';

const wanda = { email: 'wanda@example.com', role: 'writer' };
/** Calendars of Alice in Berlin, Bob in New York and Carol in Tokyo; Wanda writes to all of them. */
export const seedCalendars = [
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

/** A mailbox, and a gateway that sends its mails there. */
type Mailing = Awaited<ReturnType<typeof openMailing>>;
export type MailGateway = Mailing['gateway'];

/** Starts a mailbox and a gateway, by default with `seedCalendars`. */
export async function openMailing(
  env: Readonly<Record<string, string>> = {},
  existingMailbox?: Mailbox,
  replacements: Replacements = {},
) {
  const mailbox = existingMailbox ?? (await startMailbox());
  const gateway = await startEventGateway(
    { seed: { calendars: seedCalendars }, ...replacements },
    { SMTP_URL: mailbox.url, MAIL_FROM: `Calendar <${sender}>`, ...env },
  );
  const countWaiting = async (): Promise<number> =>
    (await gateway.stores.outbox.backlog({ only: 'mail' })).count;
  return {
    mailbox,
    gateway: {
      ...gateway,
      /** Number of mails in the outbox. */
      countWaitingMails: countWaiting,
      /** Runs work, waits until all mails are sent, and returns those it caused. */
      async collectMails(makeChanges: () => Promise<unknown>) {
        const mailCountBefore = mailbox.mails.length;
        await makeChanges();
        await eventually(async () => expect(await countWaiting()).toBe(0));
        return mailbox.mails.slice(mailCountBefore);
      },
    },
    async stop() {
      await gateway.close();
      await mailbox.stop();
    },
  };
}

/** Lists recipient, method and subject of each mail, sorted. */
export const summarizeMails = (mails: readonly ReceivedMail[]): string[] =>
  mails
    .map(({ to, calendar, email }) =>
      [...to, calendar.getFirstPropertyValue('method') as string, email.subject].join(' '),
    )
    .sort();

/** Finds the only mail to an address. */
export function findMailTo(mails: readonly ReceivedMail[], address: string): ReceivedMail {
  const matchingMails = mails.filter(({ to }) => to.includes(address));
  if (matchingMails.length !== 1) throw new Error(`${matchingMails.length} mails to ${address}`);
  return matchingMails[0] as ReceivedMail;
}
