import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isStorable } from '../../core/text/characters.ts';
import type { Connection, Database, Read, Row, Statement } from './database.ts';
import { isConflict, unavailable } from './failures.ts';

const inUse = "hashtext('resource-gateway in use')";

/** Held by each gateway on the session that listens, as long as that lasts; `mine` is false while the tables are rebuilt. */
export const lockInUse: Statement = {
  title: 'lock in use',
  text: `SELECT pg_try_advisory_lock_shared(${inUse}) AS mine`,
};

/** `mine` is false while a gateway uses the database. */
export const lockForRebuild: Statement = {
  title: 'lock for rebuild',
  text: `SELECT pg_try_advisory_lock(${inUse}) AS mine`,
};

/** Adds a value to those of a statement, and gives its placeholder. */
export type Parameter = (value: unknown, type: string) => string;

const names = new Map<string, string>();

/** A statement that is put together of parts, with a name for each text. There are as many texts as forms of requests: some dozens. */
export function namedByText(title: string, textWith: (parameter: Parameter) => string): Statement {
  const values: unknown[] = [];
  const text = textWith((value, type) => `$${values.push(value)}::${type}`);
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `${title} ${hash('sha256', text, 'hex').slice(0, 16)}`));
  return { name, title, text, values };
}

/** Texts of more rows are so many that they are not kept prepared. */
const mostPrepared = 4;

/** Inserts some rows of one shard: with VALUES, for no rows from elsewhere are led to it. The title stands for all but the number of rows. */
export function insertRows<T>(
  title: string,
  into: string,
  rows: readonly T[],
  cells: (row: T, parameter: Parameter) => readonly string[],
  rest = '',
): Statement {
  const values: unknown[] = [];
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`;
  const lists = rows.map((row) => `(${cells(row, parameter).join(', ')})`);
  return {
    title,
    ...(rows.length <= mostPrepared && { name: `${title}, ${rows.length}` }),
    text: `INSERT INTO ${into} VALUES ${lists.join(', ')} ${rest}`,
    values,
  };
}

/** The rows of a statement for each value of a column that its table is distributed by: each goes to one shard. */
export const queryByKeys = async <K>(
  database: Database,
  keys: readonly K[],
  statement: (key: K) => Statement,
): Promise<readonly Row[]> => (await database.read(keys.map(statement))).flat();

/** An identifier as a parameter of a query. Those that cannot be stored find nothing, as the empty one does. */
export const lookupKey = (id: string): string => (isStorable(id) ? id : '');

/** An index takes 2,704 bytes a row. */
const mostBytes = 1024;
const digested = 'sha256:';

/** The form in which an identifier of any length is stored in an index, and looked up: itself, or a digest where it is too long. */
export function indexKey(id: string): string {
  const isDigested = Buffer.byteLength(id) > mostBytes || id.startsWith(digested);
  return isDigested ? `${digested}${hash('sha256', id, 'hex')}` : lookupKey(id);
}

/** The order in which all transactions lock. */
export const compareKeys = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Statements that are carried out all or none. */
export interface Writes {
  readonly statements: readonly Statement[];
  /** The same in two parts, where it changes one record and its entry on one calendar. */
  readonly parts?: (() => Parts) | undefined;
}

/** A transaction with several changes has the records of all of them first. */
interface Parts {
  readonly recordKey: string;
  readonly record: Statement;
  readonly calendarId: string;
  readonly entries: Statement;
}

/** What a decision comes to; without statements there is nothing to store. */
interface Plan<T> extends Writes {
  readonly result: T;
}

/** Stores a change, without locks before it; false where a check of its statements failed. `waitsFor`: see `Database.use`. */
export type Storing = (writes: Writes, waitsFor?: string) => Promise<boolean>;

interface ChangeSteps<S, T> {
  /** Loads what the decision is made on, step by step: not all of it is of one moment, so what is stored checks what was read. */
  readonly load: (read: Read) => Promise<S>;
  /** Locks, in one order everywhere, what others were faster to change. */
  readonly lock: (state: S) => readonly Statement[];
  /** Runs again when a check of its plan fails; without a plan, more has to be loaded first. */
  readonly decide: (state: S) => Plan<T> | undefined;
  /** How it is stored at first; by itself, unless said otherwise. */
  readonly store?: Storing;
  /** What all changes wait for that are about the same: see `Database.use`. */
  readonly waitsFor: (state: S) => string | undefined;
}

export const begin: Statement = { title: 'begin', text: 'BEGIN' };
export const commit: Statement = { title: 'commit', text: 'COMMIT' };
const rollback: Statement = { title: 'roll back', text: 'ROLLBACK' };

/**
 * The end of a statement, behind its part `done`: raises an error, which aborts the transaction, unless that part has
 * `count` rows. A division by zero, since plain SQL has nothing else that raises an error on a condition.
 */
export const failUnless = (count: string): string =>
  `SELECT 1 / (CASE WHEN count(*) = ${count} THEN 1 ELSE 0 END) AS done FROM done`;

/** A statement that fails, and its transaction with it, unless `change` (an INSERT, UPDATE or SELECT) has `count` rows. */
export const assertRowCount = (change: string, count = '1'): string =>
  `WITH done AS (${change}) ${failUnless(count)}`;

/** A statement that fails, and its transaction with it, unless it has so many rows: one, unless said otherwise. */
export const checked = ({ name = '', text, values = [] }: Statement, count?: number): Statement =>
  count === undefined
    ? { name, text: assertRowCount(text), values }
    : { name, text: assertRowCount(text, `$${values.length + 1}`), values: [...values, count] };

/**
 * Loads, decides and stores: two round trips when nobody else writes the same. When somebody did, it begins again with
 * what was changed locked, so that those who wait take turns; after `withinMs` it throws UNAVAILABLE.
 */
export async function changeInTransaction<S, T>(
  database: Database,
  steps: ChangeSteps<S, T>,
  withinMs = 30_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  let outcome = await attemptUnlocked(database, steps);
  for (let attempt = 1; 'conflict' in outcome; attempt += 1) {
    const { conflict } = outcome;
    outcome = await database.use(
      (connection) => attemptLocked(connection, steps, conflict),
      steps.waitsFor(conflict),
    );
    if (!('conflict' in outcome)) break;
    if (Date.now() > end) throw unavailable('Others change the same all the time.');
    await pause(Math.random() * Math.min(100, 2 ** attempt));
  }
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.result;
}

type Outcome<S, T> = { readonly result: T } | { readonly refusal: unknown } | { readonly conflict: S };

/** Stores a change in a transaction of its own; a single statement is one by itself. */
export const storeAlone =
  (database: Database): Storing =>
  ({ statements }, waitsFor) =>
    database.use(async ({ run }) => {
      try {
        await run(statements.length === 1 ? statements : [begin, ...statements, commit]);
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return false;
      }
    }, waitsFor);

/** Loading and storing may use different connections. */
async function attemptUnlocked<S, T>(
  database: Database,
  { load, decide, waitsFor, store = storeAlone(database) }: ChangeSteps<S, T>,
): Promise<Outcome<S, T>> {
  const state = await load(database.read);
  const decided = attempt(decide, state);
  if ('refusal' in decided) return decided;
  const { plan } = decided;
  if (!plan) return { conflict: state };
  const isStored = plan.statements.length === 0 || (await store(plan, waitsFor(state)));
  return isStored ? { result: plan.result } : { conflict: state };
}

async function attemptLocked<S, T>(
  connection: Connection,
  { load, lock, decide }: ChangeSteps<S, T>,
  known: S,
): Promise<Outcome<S, T>> {
  const { run, runAll } = connection;
  let state = known;
  try {
    state = await load(behind([begin, ...lock(known)], runAll));
    const decided = attempt(decide, state);
    const plan = 'plan' in decided ? decided.plan : undefined;
    await run(plan && plan.statements.length > 0 ? [...plan.statements, commit] : [rollback]);
    if ('refusal' in decided) return decided;
    return plan ? { result: plan.result } : { conflict: state };
  } catch (error) {
    // Where nothing came to its end, the transaction still stands open.
    if (connection.isUsable()) await run([rollback]);
    if (!isConflict(error)) throw error;
    return { conflict: state };
  }
}

/** Sends statements before those that are read first, in the same round trip. */
function behind(first: readonly Statement[], read: Read): Read {
  let unsent = first;
  return async (statements) => {
    const sent = unsent;
    unsent = [];
    return (await read([...sent, ...statements])).slice(sent.length);
  };
}

/** Does work that begins and commits a transaction by statements of its own; what fails in between is rolled back. */
export const rollingBack = <T>(
  database: Database,
  work: (connection: Connection) => Promise<T>,
): Promise<T> =>
  database.use(async (connection) => {
    try {
      return await work(connection);
    } catch (error) {
      if (connection.isUsable()) await connection.run([rollback]);
      throw error;
    }
  });

/** What a decision throws is told apart from errors of the database. */
function attempt<S, T>(
  decide: (state: S) => Plan<T> | undefined,
  state: S,
): { readonly plan: Plan<T> | undefined } | { readonly refusal: unknown } {
  try {
    return { plan: decide(state) };
  } catch (refusal) {
    return { refusal };
  }
}
