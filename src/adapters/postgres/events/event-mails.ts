import type { Mail } from '../../../mail/mail.ts';
import type { Found } from '../../../event/event.store.ts';
import { mail, type OutboxRules } from '../../../outbox/outbox.store.ts';
import type { Row, Statement } from '../database.ts';
import { countMails, countsFrom, mailedText, mailerKey, mailsLeft, type Mailer } from '../mailed.ts';
import type { Addition } from '../outbox/limits.ts';
import { addToOutbox, type OutboxAddition } from '../outbox/store.ts';

export const mailedStatement = (caller: string): Statement => ({
  name: 'mailed',
  text: `SELECT 'mailed' AS kind, counts AS body FROM (${mailedText('$1')}) AS c`,
  values: [mailerKey(caller)],
});

/** A caller, with what was loaded of the mails that they caused. */
export const mailerFrom = (rows: readonly Row[], caller: string): Mailer => ({
  caller,
  counts: countsFrom(rows.find(({ kind }) => kind === 'mailed')),
});

/** The same with the room for mails that are stored with a calendar. */
export const withMailRoom = (
  found: Found,
  home: string | undefined,
  { counts }: Mailer,
  { free, now }: { readonly free: Addition['free']; readonly now: number },
): Found =>
  found.calendar
    ? { ...found, mailRoom: { bytes: free(mail, home ?? ''), mails: mailsLeft(counts, now) } }
    : found;

export interface MailWriting {
  readonly free: Addition['free'];
  /** By whom mails are counted; absent where they are nobody's. */
  readonly mailer: Mailer | undefined;
  readonly roomOf: OutboxRules['roomOf'];
  readonly now: number;
}

/** Statements that store the mails of a change under its home. What finds no room is not sent. */
export function writeMails(
  home: string,
  mails: readonly Mail[],
  { free, mailer, roomOf, now }: MailWriting,
): OutboxAddition {
  const rules: OutboxRules = {
    destinationsOf: () => [mail],
    roomOf: (name) => ({ ...roomOf(name), whenFull: 'drop' }),
    onDropped: () => undefined,
  };
  const added = addToOutbox(home, mails, { free, rules, now });
  if (!mailer || added.statements.length === 0) return added;
  return { ...added, statements: [...added.statements, countMails(mailer, mails.length, now)] };
}
