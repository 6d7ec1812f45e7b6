import type { BucketStore } from '../bucket/bucket.store.ts';
import type { CalendarStore } from '../calendar/calendar.store.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Log } from '../core/runtime/log.ts';
import type { EventStore } from '../event/event.store.ts';
import type { Mail } from '../mail/mail.ts';
import type { MessageLog, OutgoingMessage } from '../notification/message.store.ts';
import type { NotificationStore } from '../notification/notification.store.ts';
import type { NotificationRecord } from '../notification/notification.ts';
import type { Outbox, OutboxRules } from '../outbox/outbox.store.ts';
import type { DestinationStates } from '../outbox/states.store.ts';
import { watched, type Watcher } from '../telemetry/watched.ts';

/** The stores that a seed fills. */
export interface SeededStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<NotificationRecord>;
}

export interface Stores extends SeededStores {
  readonly messages: MessageLog;
  readonly outbox: Outbox<OutgoingMessage | Mail>;
  readonly destinations: DestinationStates;
}

// Adapters are loaded where they are configured only: with their packages they are a third of all modules.
export const openDatabase = async (
  { databaseUrl, databasePool: connections }: Config,
  clock: Clock,
  log: Log,
  outbox?: OutboxRules,
) =>
  databaseUrl === undefined
    ? undefined
    : (await import('../adapters/postgres/open.ts')).openPostgres<NotificationRecord>(databaseUrl, {
        clock,
        log,
        connections,
        outbox,
      });

/** The stores, with their calls timed and traced. */
export function watchedStores(
  { calendars, events, buckets, notifications, messages, outbox, destinations }: Stores,
  watcher: Watcher,
  inDatabase: boolean,
): Stores {
  const system = inDatabase ? { 'db.system.name': 'postgresql' } : undefined;
  return {
    calendars: watched('calendars', calendars, watcher, system),
    events: watched('events', events, watcher, system),
    buckets: watched('buckets', buckets, watcher, system),
    notifications: watched('notifications', notifications, watcher, system),
    messages,
    outbox: watched('outbox', outbox, watcher, system),
    destinations: watched('destinations', destinations, watcher, system),
  };
}
