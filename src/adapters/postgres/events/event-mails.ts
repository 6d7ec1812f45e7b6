import type { Mail } from '../../../mail/mail.ts';
import type { ChangeTarget, Found } from '../../../event/event.store.ts';
import { defaultOutboxRules, mail, type OutboxRules } from '../../../outbox/outbox.store.ts';
import type { Row, Statement } from '../database.ts';
import { countsFrom, mailedText, mailerKey, mailsLeft, type Mailer } from '../mailed.ts';
import { readWaiting, roomIn, type Waiting } from '../outbox/outbox-bytes.ts';
import { addToOutbox, type OutboxAddition } from '../outbox/outbox-write.ts';

/** What was loaded for the mails of a change. */
export interface LoadedMails {
  readonly waiting: Waiting;
  readonly mailer: Mailer | undefined;
}

export const mailedStatement = (caller: string): Statement => ({
  name: 'mailed',
  text: `SELECT 'mailed' AS kind, counts AS body FROM (${mailedText('$1')}) AS c`,
  values: [mailerKey(caller)],
});

/** `all`: bytes that wait over all owners, where rows do not tell. */
export function readMails(
  rows: readonly Row[],
  home: string | undefined,
  { mailsBy: caller }: ChangeTarget,
  all?: ReadonlyMap<string, number>,
): LoadedMails {
  const waiting = rows
    .filter(({ kind, a }) => kind === 'waiting' && (a === '' || a === home))
    .map(({ a, n }) => ({ destination: mail, owner: a === '' ? 'all' : 'own', bytes: n }));
  return {
    waiting: readWaiting(waiting, all),
    mailer:
      caller === undefined
        ? undefined
        : { caller, counts: countsFrom(rows.find(({ kind }) => kind === 'mailed')) },
  };
}

/** The same with the room for mails, where it was asked for. */
export const withMailRoom = (
  found: Found,
  { waiting, mailer }: LoadedMails,
  { roomOf }: Pick<OutboxRules, 'roomOf'>,
  now: number,
): Found =>
  found.calendar && mailer
    ? {
        ...found,
        mailRoom: { bytes: roomIn(waiting.get(mail), roomOf(mail)), mails: mailsLeft(mailer.counts, now) },
      }
    : found;

export interface MailWriting {
  readonly rules: Partial<OutboxRules>;
  readonly now: number;
  readonly isSpread: boolean;
}

/** Statements that store the mails of a change under its home. They need no check of the bytes: what finds no room is not sent. */
export function writeMails(
  home: string,
  mails: readonly Mail[],
  { waiting, mailer }: LoadedMails,
  { rules, now, isSpread }: MailWriting,
): OutboxAddition {
  const { roomOf } = { ...defaultOutboxRules, ...rules };
  return addToOutbox(home, mails, {
    waiting,
    now,
    mailer,
    isSpread,
    rules: { destinationsOf: () => [mail], roomOf: (name) => ({ ...roomOf(name), whenFull: 'drop' }) },
  });
}
