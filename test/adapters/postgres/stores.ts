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
import type { CalendarStore } from '../../../src/calendar/calendar.store.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import type { OutgoingMessage, StoredNotification } from '../../../src/notification/notification.store.ts';
import type { LogUnderTest } from '../../contracts/message-log.contract.ts';
import type { DestinationStates } from '../../../src/outbox/outbox.store.ts';
import type { StoreRules } from '../../contracts/notification-store.contract.ts';
import type { MailStores } from '../../contracts/mail-samples.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { patienceMs } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { createMigratedDatabase, emptyDatabase, type TestDatabase } from '../../postgres-server.ts';
import { addBucket } from '../../contracts/samples.ts';

/** Database of a worker, whose suites run one after the other; it is removed with its server. */
let shared: Promise<TestDatabase> | undefined;

/**
 * Stores over that database, for use in a `describe`. Each `make…` empties the tables first; `eventStores` are those of
 * one more gateway, on what is stored.
 */
export function sharedServer() {
  let database: DatabasePool | undefined;
  let listener: Listener | undefined;
  let [epoch, url] = ['', ''];
  const announcers: Announcer[] = [];
  const closeAnnouncers = () => Promise.all(announcers.splice(0).map((announcer) => announcer.close()));

  beforeAll(async () => {
    ({ url } = await (shared ??= createMigratedDatabase()));
    // Long limits: what is promised holds on a slow machine too.
    const limits = { ...defaultLimits, connectMs: patienceMs, statementMs: patienceMs };
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

  interface Opened {
    readonly database: DatabasePool;
    readonly listener: Listener;
    readonly url: string;
  }

  function opened(): Opened {
    if (!database || !listener) throw new Error('the server is not started');
    return { database, listener, url };
  }

  async function empty(): Promise<Opened> {
    await closeAnnouncers();
    await emptyDatabase((text) => opened().database.query({ text }));
    // A new object: caches by database know nothing of what was stored before.
    database = { ...opened().database };
    return opened();
  }

  function eventStores(clock: Clock, rules?: StoreRules): MailStores {
    const parts = opened();
    const announcer = createAnnouncer(parts.database);
    announcers.push(announcer);
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
    database: () => opened().database,
    empty,
  };
}
