import type { RequestRecordLimits } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import type { OutboxRules } from '../../outbox/outbox.store.ts';
import { createMemoryCalendarStore } from './calendar-store.ts';
import { createMemoryChannelStore } from './channel-store.ts';
import { createMemoryDestinationStates, createMemoryOutbox } from './outbox.ts';
import { createMemoryEventStore } from './event-store.ts';
import { createMessageLog } from './message-log.ts';
import { createMemoryStorage } from './buckets-and-notifications.ts';

/** Rules that deviate from the defaults: for the outbox, and limits of request records. */
interface MemoryStoreRules {
  readonly outbox?: Partial<OutboxRules>;
  readonly requests?: RequestRecordLimits;
}

/** Creates all stores in the memory of one process, without data. They share outbox and message log. */
export function createMemoryStores(clock: Clock, rules: MemoryStoreRules = {}) {
  const calendars = createMemoryCalendarStore(clock, rules.requests);
  const messages = createMessageLog(clock);
  const outbox = createMemoryOutbox<OutgoingMessage>({
    ...rules.outbox,
    clock,
    onFirstDelivery: messages.add,
  });
  const events = createMemoryEventStore(clock, calendars, outbox);
  return {
    calendars,
    events,
    channels: createMemoryChannelStore(clock, events),
    ...createMemoryStorage(clock, outbox, messages.notifyBucketChanged, rules.requests),
    messages,
    outbox,
    destinations: createMemoryDestinationStates(),
  };
}
