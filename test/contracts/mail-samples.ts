import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { ChangeTarget, EventStore, ChangeState } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import type { Mail, MailMethod } from '../../src/mail/mail.ts';
import { mailServerName, type Claim, type Outbox, type OutboxItem } from '../../src/outbox/outbox.store.ts';
import { decideOn, withCore, alice } from './event-samples.ts';
import type { StoreRules } from './notification-store.contract.ts';

/** Stores that share their data. */
export interface MailStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly outbox: Outbox<OutboxItem>;
}

/** Creates empty stores. */
export type MakeMailStores = (clock: Clock, rules?: StoreRules) => MailStores | Promise<MailStores>;

let lastNumber = 0;
/** Creates a unique mail, by default with its own body. */
export function mailTo(
  to: string,
  {
    event = 'lunch',
    method = 'REQUEST',
    data,
  }: { readonly event?: string; readonly method?: MailMethod; readonly data?: string } = {},
): Mail {
  lastNumber += 1;
  return {
    id: `mail-${lastNumber}`,
    orderingKey: `${event} ${to}`,
    data: data ?? `{"event":"${event} ${lastNumber}"}`,
    attributes: { method, reason: 'updated', trace: '', to, zone: 'Europe/Berlin', link: '', event },
  };
}

/** Creates mails to `count` guests with one body. */
export const mailsToMany = (count: number, data = '{"event":"lunch"}'): Mail[] =>
  Array.from({ length: count }, (_, index) => mailTo(`guest${index}@example.org`, { data }));

/** Changes an event with mails, which may depend on the loaded state, and returns these mails. */
export const changeWithMails = (
  store: EventStore,
  record: EventRecord,
  createMails: (state: ChangeState) => readonly Mail[],
  target: Partial<ChangeTarget> = {},
): Promise<readonly Mail[]> =>
  decideOn(store, record, { mailSender: 'alice', ...target }, (state) => {
    const mails = createMails(state);
    return {
      next: withCore(state.event as EventRecord, { summary: `${mails.length}` }),
      mails,
      result: mails,
    };
  });

/** Claims mails for the mail server, with a lease of 30 seconds. */
export const claimMails = (outbox: Outbox<OutboxItem>, limit = 1000): Promise<readonly Claim<OutboxItem>[]> =>
  outbox.claim([{ destination: mailServerName, limit }], 30_000);

/** Settles mails as delivered. `owner`: the home of their event. */
export const completeMails = (
  outbox: Outbox<OutboxItem>,
  mails: readonly OutboxItem[],
  owner: string = alice,
): Promise<unknown> =>
  outbox.settle(mails.map(({ id }) => ({ id, owner, destination: mailServerName, outcome: 'done' })));
