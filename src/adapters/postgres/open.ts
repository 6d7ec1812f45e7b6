import { StartError } from '../../core/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import type { OutboxRules } from '../../outbox/outbox.store.ts';
import { type Announcer, createAnnouncer, startListener } from './listen.ts';
import { createPostgresBucketStore } from './buckets/store.ts';
import { createPostgresCalendarStore } from './calendars/store.ts';
import { createPostgresChannelStore } from './channels/store.ts';
import { defaultLimits, openDatabase, type Database, type DatabasePool } from './database.ts';
import { createPostgresEventStore } from './events/store.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createPostgresMessageLog, createPostgresNotificationStore } from './notifications/store.ts';
import { migrate } from './migrations/migrations.ts';
import { createPostgresDestinationStates, createPostgresOutbox } from './outbox/outbox.ts';
import { startClaimSession } from './outbox/claim-session.ts';
import { fillOnce } from './seeding.ts';

interface PostgresDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly maxConnections: number;
  readonly outbox?: OutboxRules | undefined;
}

/** Opens and migrates a database. The message of its StartError omits the URL, which may hold a password. */
export async function openPostgres(
  url: string,
  { clock, log, maxConnections, outbox }: PostgresDependencies,
) {
  const database = await openMigrated(url, log, maxConnections);
  const settings = await database.query({ text: 'SELECT name, value FROM settings' });
  const settingOf = (name: string): string => settings.find((row) => row.name === name)?.value as string;
  const listener = await startListener(url, log, database);
  const session = await startClaimSession(url, log, database);
  const stopHousekeeping = startHousekeeping(database, clock, log);
  const announcer = createAnnouncer(database);
  /** Creates the stores that a seed fills. */
  const createStores = (storeDatabase: Database, announce: Announcer['announce']) => ({
    calendars: createPostgresCalendarStore(storeDatabase, announce, clock),
    events: createPostgresEventStore({
      database: storeDatabase,
      listener,
      announce,
      clock,
      epoch: settingOf('epoch'),
      outbox,
    }),
    buckets: createPostgresBucketStore(storeDatabase, clock),
    notifications: createPostgresNotificationStore(storeDatabase, clock, outbox),
  });
  return {
    ...createStores(database, announcer.announce),
    channels: createPostgresChannelStore(database, clock),
    messages: createPostgresMessageLog(database, listener, clock),
    outbox: createPostgresOutbox<OutgoingMessage>(database, clock, session),
    destinations: createPostgresDestinationStates(database),
    /** Secret that all gateways on this database share. */
    secret: settingOf('secret'),
    /** Loads a seed into an empty database, atomically. */
    fillOnce: (load: ((stores: ReturnType<typeof createStores>) => Promise<void>) | undefined) =>
      fillOnce(url, log, load && ((transaction) => load(createStores(transaction, () => undefined)))),
    async close() {
      stopHousekeeping();
      await announcer.close();
      await session.close();
      await listener.close();
      await database.close();
    },
  };
}

/** Migrates a database and closes it again. */
export async function migrateOnly(url: string, log: Log): Promise<void> {
  await (await openMigrated(url, log, 1)).close();
}

/** Opens a database and migrates it. Closes it again if that fails. */
async function openMigrated(url: string, log: Log, connections: number): Promise<DatabasePool> {
  const database = openDatabase(url, log, { ...defaultLimits, maxConnections: connections });
  try {
    // Connects by the pool itself: its error is not converted, so that `reasonFor` finds the code.
    (await database.pool.connect()).release();
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw new StartError(`DATABASE_URL: the database cannot be used: ${reasonFor(error)}`, { cause: error });
  }
}

/** Completes "the database cannot be used" for an operator. */
function reasonFor(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'there is no server at its host and port.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host is not known.';
  if (code === '28P01' || code === '28000') return 'the server refuses the user or the password.';
  if (code === '3D000') return 'the server has no such database.';
  return `${message}.`;
}
