import type { Clock } from '../../../src/core/runtime/clock.ts';
import {
  type Announcer,
  createAnnouncer,
  type Listener,
  startListener,
} from '../../../src/adapters/postgres/listen.ts';
import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/store.ts';
import { defaultLimits, openDatabase, type DatabasePool } from '../../../src/adapters/postgres/database.ts';
import { createPostgresCalendarStore } from '../../../src/adapters/postgres/calendars/store.ts';
import { createPostgresChannelStore } from '../../../src/adapters/postgres/channels/store.ts';
import { createPostgresEventStore } from '../../../src/adapters/postgres/events/store.ts';
import {
  createPostgresMessageLog,
  createPostgresNotificationStore,
  trimPublished,
} from '../../../src/adapters/postgres/notifications/store.ts';
import {
  createPostgresDestinationStates,
  createPostgresOutbox,
} from '../../../src/adapters/postgres/outbox/outbox.ts';
import { trimRequests } from '../../../src/adapters/postgres/request-records.ts';
import type { CalendarStore } from '../../../src/calendar/calendar.store.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import type { LogUnderTest } from '../../contracts/message-log.contract.ts';
import type { DestinationStateStore } from '../../../src/outbox/outbox.store.ts';
import type { StoreRules } from '../../contracts/notification-store.contract.ts';
import type { ChannelStores } from '../../contracts/channel-store.contract.ts';
import type { MailStores } from '../../contracts/mail-samples.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { maxWaitMs } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { createMigratedDatabase, emptyDatabase, type TestDatabase } from '../../postgres-server.ts';
import { putBucket } from '../../contracts/samples.ts';

/** The database of a Jest worker, shared by its suites, which run one after the other. */
let sharedDatabase: Promise<TestDatabase> | undefined;

/**
 * Provides stores on the worker's database, for use in a `describe`. Each `make…` empties the tables first;
 * `createEventStores` adds stores of another gateway on the same data.
 */
export function useSharedServer() {
  let database: DatabasePool | undefined;
  let listener: Listener | undefined;
  let [epoch, url] = ['', ''];
  const announcers: Announcer[] = [];
  const closeAnnouncers = () => Promise.all(announcers.splice(0).map((announcer) => announcer.close()));

  beforeAll(async () => {
    ({ url } = await (sharedDatabase ??= createMigratedDatabase()));
    // Long timeouts, for slow machines.
    const limits = { ...defaultLimits, maxConnectMs: maxWaitMs, maxStatementMs: maxWaitMs };
    database = openDatabase(url, silentLog, limits);
    listener = await startListener(url, silentLog, database);
    const [row] = await database.query({ text: "SELECT value FROM settings WHERE name = 'epoch'" });
    epoch = row?.value as string;
  });
  afterAll(async () => {
    await closeAnnouncers();
    await listener?.close();
    await database?.close();
  });

  /** The worker's database while a suite runs. */
  interface OpenServer {
    readonly database: DatabasePool;
    readonly listener: Listener;
    readonly url: string;
  }

  function requireServer(): OpenServer {
    if (!database || !listener) throw new Error('the server is not started');
    return { database, listener, url };
  }

  /** Empties all tables, and returns the server without caches. */
  async function resetServer(): Promise<OpenServer> {
    await closeAnnouncers();
    await emptyDatabase((text) => requireServer().database.query({ text }));
    // A new object, so that caches keyed by database start empty.
    database = { ...requireServer().database };
    return requireServer();
  }

  function createEventStores(clock: Clock, rules?: StoreRules): MailStores {
    const server = requireServer();
    const announcer = createAnnouncer(server.database);
    announcers.push(announcer);
    return {
      calendars: createPostgresCalendarStore(server.database, () => undefined, clock),
      events: createPostgresEventStore({
        ...server,
        announce: announcer.announce,
        clock,
        epoch,
        outbox: rules?.outbox,
      }),
      outbox: createPostgresOutbox<Mail>(server.database, clock),
    };
  }

  return {
    async makeStores(clock: Clock, rules?: StoreRules) {
      const { database, listener } = await resetServer();
      return {
        buckets: createPostgresBucketStore(database, clock),
        notifications: createPostgresNotificationStore(database, clock, rules?.outbox),
        outbox: createPostgresOutbox<OutgoingMessage>(database, clock),
        messages: createPostgresMessageLog(database, listener, clock),
        trimRequests: async () => {
          for (const statement of trimRequests(clock(), rules?.requests)) await database.query(statement);
        },
      };
    },
    async makeDestinationStates(): Promise<DestinationStateStore> {
      return createPostgresDestinationStates((await resetServer()).database);
    },
    async makeCalendarStore(clock: Clock): Promise<CalendarStore> {
      return createPostgresCalendarStore((await resetServer()).database, () => undefined, clock);
    },
    async makeEventStores(clock: Clock, rules?: StoreRules): Promise<MailStores> {
      await resetServer();
      return createEventStores(clock, rules);
    },
    createEventStores,
    async makeChannelStores(clock: Clock): Promise<ChannelStores> {
      await resetServer();
      return {
        ...createEventStores(clock),
        channels: createPostgresChannelStore(requireServer().database, clock),
      };
    },
    /** The message log, with publishing as a relay does it: by settling items of an outbox. */
    async makeMessageLog(clock: Clock): Promise<LogUnderTest> {
      const { database, listener } = await resetServer();
      const store = createPostgresNotificationStore(database, clock);
      const outbox = createPostgresOutbox(database, clock);
      await putBucket(createPostgresBucketStore(database, clock), sampleBucket('photos'));
      return {
        log: createPostgresMessageLog(database, listener, clock),
        async publish(messages) {
          await store.changeNotifications({ bucket: 'photos' }, () => ({ messages, result: undefined }));
          await outbox.settle(
            messages.map(({ id, topic }) => ({
              id,
              topic,
              owner: 'photos',
              destination: 'broker',
              outcome: 'done',
            })),
          );
        },
        trim: async () => {
          for (const statement of trimPublished(clock())) await database.query(statement);
        },
      };
    },
    database: () => requireServer().database,
    resetServer,
  };
}
