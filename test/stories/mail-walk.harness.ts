import type { Replacements } from '../../src/compose.ts';
import { startEvents, type EventGateway } from '../event/event.harness.ts';
import { eventually } from '../eventually.ts';
import { startMailbox, type Mailbox, type ReceivedMail } from '../mail/mailbox.ts';

export const sender = 'calendar@mail.example';
export const guest = 'gus@elsewhere.example';

/** Calendars of Alice in Berlin, Bob in New York and Carol in Tokyo; Wanda writes to all of them. */
export const homes = (
  [
    ['alice@example.com', 'Europe/Berlin'],
    ['bob@example.com', 'America/New_York'],
    ['carol@example.com', 'Asia/Tokyo'],
  ] as const
).map(([owner, timeZone]) => ({
  id: owner,
  owner,
  timeZone,
  acl: [{ email: 'wanda@example.com', role: 'writer' }],
  events: [] as object[],
}));

/** A gateway that mails its guests. */
export interface MailGateway extends EventGateway {
  /** The mails that something caused: all that were stored have reached their server by then. */
  mailsOf(work: () => Promise<unknown>): Promise<readonly ReceivedMail[]>;
  /** How many mails wait. */
  waiting(): Promise<number>;
}

export const mailEnv = (url: string): Record<string, string> => ({
  SMTP_URL: url,
  MAIL_FROM: `Calendar <${sender}>`,
});

export async function startMailing(
  mailbox: Pick<Mailbox, 'url' | 'mails'>,
  { env = {}, ...replacements }: Replacements & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<MailGateway> {
  const gateway = await startEvents(
    { seed: { calendars: homes }, ...replacements },
    { ...mailEnv(mailbox.url), ...env },
  );
  const waiting = async (): Promise<number> => (await gateway.stores.outbox.backlog({ only: 'mail' })).count;
  return {
    ...gateway,
    waiting,
    async mailsOf(work) {
      const before = mailbox.mails.length;
      await work();
      await eventually(async () => expect(await waiting()).toBe(0));
      return mailbox.mails.slice(before);
    },
  };
}

/** What tests of stories share: a mailbox and a gateway over a store. */
export interface Mailing {
  readonly mailbox: Mailbox;
  readonly gateway: MailGateway;
  stop(): Promise<void>;
}

export async function openMailing(
  env: Readonly<Record<string, string>> = {},
  given?: Mailbox,
  replacements: Replacements = {},
): Promise<Mailing> {
  const mailbox = given ?? (await startMailbox());
  const gateway = await startMailing(mailbox, { env, ...replacements });
  return {
    mailbox,
    gateway,
    async stop() {
      await gateway.close();
      await mailbox.stop();
    },
  };
}

/** To whom, under which subject and by which method, in the order of receivers. */
export const headsOf = (mails: readonly ReceivedMail[]): string[] =>
  mails
    .map(
      (mail) =>
        `${mail.to.join(' ')} ${mail.calendar.getFirstPropertyValue('method') as string} ${mail.email.subject}`,
    )
    .sort();

/** The one mail to somebody. */
export const mailTo = (mails: readonly ReceivedMail[], address: string): ReceivedMail => {
  const found = mails.filter(({ to }) => to.includes(address));
  if (found.length !== 1) throw new Error(`${found.length} mails to ${address}`);
  return found[0] as ReceivedMail;
};
