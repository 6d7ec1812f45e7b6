import pg from 'pg';
import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely';
import { StartError } from '../../../core/errors.ts';
import type { DatabasePool } from '../database.ts';
import { failureOf } from '../failures.ts';
import { spreadTables } from '../layout.ts';
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

/** A step on the way from an empty database to today's tables. */
interface MigrationStep {
  /** Begins with its number. */
  readonly name: string;
  /** The oldest gateway, by the number of the last step that it knows, which works rightly on the tables after this step. */
  readonly fitsFrom: number;
  readonly statements: readonly string[];
}

/**
 * In their order. A step that was released is never changed: what is to be different is one more step. A step only adds;
 * what it makes superfluous is taken away by a step of a later release, so that gateways of two neighbouring releases work
 * on one database.
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
];

/** Under this name `settings` has the number of the oldest gateway that works rightly on the tables. */
const oldest = 'oldest gateway';

/**
 * Brings the tables up to date. Safe when several gateways start at once: one does it, the others wait for it. Steps that
 * this gateway does not know are left alone. Throws StartError where the tables need a newer gateway.
 */
export async function migrate(
  { pool }: Pick<DatabasePool, 'pool'>,
  known: readonly MigrationStep[] = steps,
): Promise<void> {
  // Without the time limits of requests: a step may look at every row of a large table.
  const patient = new pg.Pool({
    ...pool.options,
    max: 2,
    statement_timeout: 0,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  patient.on('error', () => undefined);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: patient }) });
  // The migrator asks for the steps once it has its lock: nobody else adds any meanwhile.
  const getMigrations = async (): Promise<Record<string, Migration>> =>
    Object.fromEntries<Migration>([
      ...known.map((step) => [step.name, migrationOf(step)] as const),
      ...(await unknownSteps(patient, known)).map((name) => [name, leftAlone] as const),
    ]);
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations } }).migrateToLatest();
    if (error) throw failureOf(error);
    await spreadTables(patient);
  } finally {
    await db.destroy();
  }
}

const migrationOf = ({ statements, fitsFrom }: MigrationStep): Migration => ({
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db);
    await sql`INSERT INTO settings VALUES (${oldest}, ${String(fitsFrom)}) ON CONFLICT (name) DO UPDATE
      SET value = greatest(settings.value::integer, excluded.value::integer)::text`.execute(db);
  },
});

const leftAlone: Migration = { up: () => Promise.reject(new Error('a step of a newer gateway')) };

/** The names of steps that a newer gateway has carried out. */
async function unknownSteps(pool: pg.Pool, known: readonly MigrationStep[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM kysely_migration');
  const names = rows.map(({ name }) => name).filter((name) => !known.some((step) => step.name === name));
  if (names.length === 0) return [];
  const {
    rows: [needed],
  } = await pool.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [oldest]);
  // Without a number, the tables fit those alone who know all of their steps.
  const number = Number(needed?.value ?? rows.length);
  if (number > known.length)
    throw new StartError(
      `its tables need a gateway of schema ${number} or newer, and this one is of schema ${known.length}: start a newer version`,
    );
  return names;
}
