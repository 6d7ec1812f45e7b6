import { Kysely, Migrator, PostgresDialect, sql, type Migration } from 'kysely';
import pg from 'pg';
import { StartError } from '../../../core/kernel/errors.ts';
import type { DatabasePool } from '../database.ts';
import { failureOf } from '../failures.ts';
import { spreadTables } from '../layout.ts';
import { steps, type MigrationStep } from './steps.ts';

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
