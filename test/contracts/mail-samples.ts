import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { ChangeTarget, EventStore, ChangeState } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import type { Mail, MailMethod } from '../../src/mail/mail.ts';
import { mail, type Claim, type Outbox, type OutboxItem } from '../../src/outbox/outbox.store.ts';
import { alice, decideOn, withCore } from './event-samples.ts';
import type { StoreRules } from './notification-store.contract.ts';

/** Stores that belong together. */
export interface MailStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly outbox: Outbox<OutboxItem>;
}

/** Makes empty stores that tell the time by `clock`. */
export type MakeMailStores = (clock: Clock, rules?: StoreRules) => MailStores | Promise<MailStores>;

let last = 0;
/** A mail that no other is, with a body of its own unless told. */
export function mailTo(
  to: string,
  {
    event = 'lunch',
    method = 'REQUEST',
    data,
  }: { readonly event?: string; readonly method?: MailMethod; readonly data?: string } = {},
): Mail {
  last += 1;
  return {
    id: `mail-${last}`,
    orderingKey: `${event} ${to}`,
    data: data ?? `{"event":"${event} ${last}"}`,
    attributes: { method, reason: 'updated', trace: '', to, zone: 'Europe/Berlin', link: '', event },
  };
}

/** Mails to so many guests, with one body. */
export const mailsToMany = (count: number, data = '{"event":"lunch"}'): Mail[] =>
  Array.from({ length: count }, (_, index) => mailTo(`guest${index}@example.org`, { data }));

/** Changes an event, with mails that may go by what was found. */
export const changeWith = (
  store: EventStore,
  record: EventRecord,
  mailsOf: (found: ChangeState) => readonly Mail[],
  target: Partial<ChangeTarget> = {},
): Promise<readonly Mail[]> =>
  decideOn(store, record, { mailsBy: 'alice', ...target }, (found) => {
    const mails = mailsOf(found);
    return {
      next: withCore(found.event as EventRecord, { summary: `${mails.length}` }),
      mails,
      result: mails,
    };
  });

export const claimMails = (outbox: Outbox<OutboxItem>, limit = 1000): Promise<readonly Claim<OutboxItem>[]> =>
  outbox.claim([{ destination: mail, limit }], 30_000);

export const completeMails = (
  outbox: Outbox<OutboxItem>,
  mails: readonly OutboxItem[],
  owner: string = alice,
): Promise<unknown> =>
  outbox.settle(mails.map(({ id }) => ({ id, owner, destination: mail, outcome: 'done' })));
