import pg from 'pg';
import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely';
import { StartError } from '../../../core/errors.ts';
import type { DatabasePool } from '../database.ts';
import { failureOf } from '../failures.ts';
import { distributeTables } from '../distribute-tables.ts';
import { tables } from './0001-tables.ts';
import { byOriginal } from './0002-exceptions-by-original.ts';
import { orderAndBounds } from './0003-order-and-bounds.ts';
import { byAudience, byteByByte } from './0004-visibility-and-addresses.ts';
import { deliveries } from './0005-deliveries.ts';
import { narrowReads } from './0006-narrow-reads.ts';
import { changingBuckets } from './0007-buckets.ts';
import { changingCalendars } from './0008-calendars.ts';
import { destinationStates } from './0009-destinations.ts';
import { mails } from './0010-mails.ts';
import { entryVersions } from './0011-entry-versions.ts';
import { oneOutbox } from './0012-one-outbox.ts';
import { channels } from './0013-channels.ts';

interface MigrationStep {
  readonly name: string;
  /** Oldest gateway, by the number of its last known step, that works on the tables after this step. */
  readonly fitsFrom: number;
  readonly statements: readonly string[];
}

/**
 * Migrations in order. A released step is never changed; changes need a new step. A step only adds: a later release removes
 * what became unused, so that gateways of two consecutive releases work on one database.
 */
export const steps: readonly MigrationStep[] = [
  { name: '0001 calendars, events, buckets, messages', fitsFrom: 1, statements: tables },
  { name: '0002 exceptions by their original start', fitsFrom: 1, statements: byOriginal },
  {
    name: '0003 message log in order, digests of long identifiers, bounds',
    fitsFrom: 3,
    statements: orderAndBounds,
  },
  {
    name: '0004 changes by whom they show to, addresses byte by byte',
    fitsFrom: 4,
    statements: [...byAudience, ...byteByByte],
  },
  { name: '0005 deliveries by destination', fitsFrom: 4, statements: deliveries },
  { name: '0006 narrow reads', fitsFrom: 4, statements: narrowReads },
  { name: '0007 buckets that are made, changed and deleted', fitsFrom: 4, statements: changingBuckets },
  { name: '0008 calendars that change', fitsFrom: 4, statements: changingCalendars },
  { name: '0009 states of destinations', fitsFrom: 4, statements: destinationStates },
  { name: '0010 mails', fitsFrom: 4, statements: mails },
  { name: '0011 versions in entries', fitsFrom: 4, statements: entryVersions },
  { name: '0012 one outbox', fitsFrom: 12, statements: oneOutbox },
  { name: '0013 channels', fitsFrom: 12, statements: channels },
];

/** Name of the row in `settings` with the number of the oldest gateway that works on the tables. */
const oldestGatewayKey = 'oldest gateway';

/** Migrates the tables; one of several starting gateways does it. Throws StartError if the tables need a newer gateway. */
export async function migrate(
  { pool }: Pick<DatabasePool, 'pool'>,
  knownSteps: readonly MigrationStep[] = steps,
): Promise<void> {
  // Has no timeouts, unlike requests: a step may read every row of a large table.
  const untimedPool = new pg.Pool({
    ...pool.options,
    max: 2,
    statement_timeout: 0,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  untimedPool.on('error', () => undefined);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: untimedPool }) });
  // Called by the migrator while it holds its lock, so no other gateway adds steps meanwhile.
  const getMigrations = async (): Promise<Record<string, Migration>> =>
    Object.fromEntries<Migration>([
      ...knownSteps.map((step) => [step.name, toMigration(step)] as const),
      ...(await findUnknownSteps(untimedPool, knownSteps)).map((name) => [name, unknownMigration] as const),
    ]);
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations } }).migrateToLatest();
    if (error) throw failureOf(error);
    await distributeTables(untimedPool);
  } finally {
    await db.destroy();
  }
}

const toMigration = ({ statements, fitsFrom }: MigrationStep): Migration => ({
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db);
    await sql`INSERT INTO settings VALUES (${oldestGatewayKey}, ${String(fitsFrom)}) ON CONFLICT (name) DO UPDATE
      SET value = greatest(settings.value::integer, excluded.value::integer)::text`.execute(db);
  },
});

const unknownMigration: Migration = { up: () => Promise.reject(new Error('a step of a newer gateway')) };

async function findUnknownSteps(pool: pg.Pool, knownSteps: readonly MigrationStep[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM kysely_migration');
  const names = rows.map(({ name }) => name).filter((name) => !knownSteps.some((step) => step.name === name));
  if (names.length === 0) return [];
  const {
    rows: [oldestGateway],
  } = await pool.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [oldestGatewayKey]);
  // Tables without a number fit only gateways that know all applied steps.
  const minStep = Number(oldestGateway?.value ?? rows.length);
  if (minStep > knownSteps.length)
    throw new StartError(
      `its tables need a gateway of schema ${minStep} or newer, and this one is of schema ${knownSteps.length}: start a newer version`,
    );
  return names;
}
