import type { Clock } from '../../../src/core/runtime/clock.ts';
import { openDatabase, type Database, type DatabasePool } from '../../../src/adapters/postgres/database.ts';
import { createPostgresEventStore } from '../../../src/adapters/postgres/events/event-store.ts';
import { startListener, type Listener } from '../../../src/adapters/postgres/listen.ts';
import { migrate } from '../../../src/adapters/postgres/migrations.ts';
import { createPostgresNotificationStore } from '../../../src/adapters/postgres/notifications/notification-store.ts';
import type { EventStore } from '../../../src/event/event.store.ts';
import type { NotificationStore, StoredNotification } from '../../../src/notification/notification.store.ts';
import { startPostgres, type PostgresServer } from '../../postgres-server.ts';

/** A server of the suite's own; each store that is made begins with empty tables. */
export function sharedServer() {
  let server: PostgresServer | undefined;
  let database: DatabasePool | undefined;
  let listener: Listener | undefined;
  let epoch = '';

  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
    database = openDatabase(server.url);
    await migrate(database);
    listener = await startListener(server.url);
    const [row] = await database.query({ text: "SELECT value FROM settings WHERE name = 'epoch'" });
    epoch = row?.value as string;
  }, 60_000);
  afterAll(async () => {
    await listener?.close();
    await database?.close();
    await server?.remove();
  }, 60_000);

  async function empty(): Promise<{ readonly database: Database; readonly listener: Listener }> {
    if (!database || !listener) throw new Error('the server is not started');
    const tables = ['calendars', 'primaries', 'access', 'events', 'places', 'requests', 'buckets', 'notifications', 'topics', 'queues', 'outbox', 'published'];
    await database.query({ text: `TRUNCATE ${tables.join(', ')}` });
    return { database, listener };
  }

  return {
    makeEventStore: async (clock: Clock): Promise<EventStore> => createPostgresEventStore({ ...(await empty()), clock, epoch }),
    makeNotificationStore: async <N extends StoredNotification>(clock: Clock): Promise<NotificationStore<N>> =>
      createPostgresNotificationStore<N>((await empty()).database, clock),
    empty,
  };
}
