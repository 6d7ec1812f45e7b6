import type { Clock } from '../../../src/core/runtime/clock.ts';
import { createAnnouncer, type Announcer } from '../../../src/adapters/postgres/announce.ts';
import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/bucket-store.ts';
import { defaultLimits, openDatabase, type DatabasePool } from '../../../src/adapters/postgres/database.ts';
import { createPostgresCalendarStore } from '../../../src/adapters/postgres/calendars/calendar-store.ts';
import { createPostgresEventStore } from '../../../src/adapters/postgres/events/event-store.ts';
import { isSpread, withLayout } from '../../../src/adapters/postgres/spread/layout.ts';
import { startListener, type Listener } from '../../../src/adapters/postgres/listen.ts';
import { migrate } from '../../../src/adapters/postgres/migrations/migrations.ts';
import {
  createPostgresMessageLog,
  trimPublished,
} from '../../../src/adapters/postgres/notifications/message-log.ts';
import { createPostgresDestinationStates } from '../../../src/adapters/postgres/outbox/destination-states.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import { createPostgresNotificationStore } from '../../../src/adapters/postgres/notifications/notification-store.ts';
import type { CalendarStore } from '../../../src/calendar/calendar.store.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import type { StoredNotification } from '../../../src/notification/notification.store.ts';
import type { LogUnderTest } from '../../contracts/message-log.contract.ts';
import type { DestinationStates } from '../../../src/outbox/states.store.ts';
import type { OutgoingMessage } from '../../../src/notification/message.store.ts';
import type { StoreRules } from '../../contracts/notification-store.contract.ts';
import type { MailStores } from '../../contracts/mail-samples.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { patienceMs } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { createDatabase, type TestDatabase } from '../../postgres-server.ts';
import { addBucket } from '../../contracts/samples.ts';

export type Layout = 'as it is' | 'spread';

/** For `describe.each`: suites run for both on one server; a cluster has but one. */
export const layouts: readonly Layout[] = process.env.CITUS_URL ? ['spread'] : ['as it is', 'spread'];

/**
 * A server of the suite's own; each store that is made begins with empty tables. `spread`: stores ask as on a cluster of Citus, one
 * shard at a time, of whichever server.
 */
export function sharedServer(layout: Layout = 'as it is') {
  let server: TestDatabase | undefined;
  let database: DatabasePool | undefined;
  let listener: Listener | undefined;
  let epoch = '';

  beforeAll(async () => {
    server = await createDatabase();
    // What is promised holds on a slow machine too.
    database = openDatabase(server.url, silentLog, {
      ...defaultLimits,
      connectMs: patienceMs,
      statementMs: patienceMs,
    });
    await migrate(database);
    database = layout === 'spread' ? { ...database, isSpread: true } : await withLayout(database);
    listener = await startListener(server.url, silentLog, database);
    const [row] = await database.query({ text: "SELECT value FROM settings WHERE name = 'epoch'" });
    epoch = row?.value as string;
  });
  afterAll(async () => {
    await listener?.close();
    await database?.close();
    await server?.remove();
  });

  let announcer: Announcer | undefined;

  function opened(): { readonly database: DatabasePool; readonly listener: Listener } {
    if (!database || !listener) throw new Error('the server is not started');
    return { database, listener };
  }

  async function empty(): Promise<{ readonly database: DatabasePool; readonly listener: Listener }> {
    await announcer?.close(); // of the test before
    const tables = [
      'calendars',
      'primaries',
      'access',
      'events',
      'places',
      'requests',
      'buckets',
      'bucket_ids',
      'managers',
      'made',
      'mailed',
      'notifications',
      'topics',
      'queues',
      'outbox',
      'outbox_bytes',
      'delivery_queues',
      'deliveries',
      'delivery_bodies',
      'delivery_bytes',
      'destinations',
      'published',
    ];
    // Over many shards, of which most are empty, it is the faster one of both.
    const text = (await isSpread(opened().database.pool))
      ? tables.map((table) => `DELETE FROM ${table}`).join('; ')
      : `TRUNCATE ${tables.join(', ')}`;
    await opened().database.query({ text });
    // Nothing is known of it that was counted before.
    database = { ...opened().database };
    return opened();
  }

  /** Stores of one more gateway, on what there is. */
  function eventStores(clock: Clock, rules?: StoreRules): MailStores {
    const parts = opened();
    announcer = createAnnouncer(parts.database);
    return {
      calendars: createPostgresCalendarStore({ ...parts, announce: () => undefined, clock }),
      events: createPostgresEventStore({
        ...parts,
        announce: announcer.announce,
        clock,
        epoch,
        outbox: rules?.outbox,
      }),
      outbox: createPostgresOutbox<Mail>(parts.database, clock),
    };
  }

  return {
    async makeStores<N extends StoredNotification>(clock: Clock, rules?: StoreRules) {
      const { database, listener } = await empty();
      return {
        buckets: createPostgresBucketStore(database, clock, rules),
        notifications: createPostgresNotificationStore<N>(database, clock, rules),
        outbox: createPostgresOutbox<OutgoingMessage>(database, clock),
        messages: createPostgresMessageLog(database, listener, clock),
      };
    },
    async makeDestinationStates(): Promise<DestinationStates> {
      return createPostgresDestinationStates((await empty()).database);
    },
    async makeCalendarStore(clock: Clock): Promise<CalendarStore> {
      return createPostgresCalendarStore({
        database: (await empty()).database,
        announce: () => undefined,
        clock,
      });
    },
    async makeEventStores(clock: Clock, rules?: StoreRules): Promise<MailStores> {
      await empty();
      return eventStores(clock, rules);
    },
    eventStores,
    /** The log, and what relays do: they take messages out of an outbox. */
    async makeMessageLog(clock: Clock): Promise<LogUnderTest> {
      const { database, listener } = await empty();
      const store = createPostgresNotificationStore(database, clock);
      const outbox = createPostgresOutbox(database, clock);
      await addBucket(createPostgresBucketStore(database, clock), sampleBucket('photos'));
      return {
        log: createPostgresMessageLog(database, listener, clock),
        async publish(messages) {
          await store.changeNotifications({ bucket: 'photos' }, () => ({ messages, result: undefined }));
          await outbox.complete(messages.map(({ id }) => ({ id, destination: 'broker' })));
        },
        trim: async () => {
          for (const statement of trimPublished(clock())) await database.query(statement);
        },
      };
    },
    database: () => opened().database,
    empty,
  };
}
