import type { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../../core/runtime/log.ts';
import { createKeyedLimit } from './keyed-limit.ts';
import { failureOf, isBroken, ofCluster, unavailable } from './failures.ts';

/** A statement with its values. One with a name is prepared once on each connection; the name stands for its text. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
  /** What the log calls the statement, where that is not its name. */
  readonly title?: string;
}

/**
 * Makes a statement whose name is the comment that its text begins with. Values in the text become its parameters, in their order: where
 * one is needed again, the text says `$1`.
 */
export const sql = (parts: TemplateStringsArray, ...values: readonly unknown[]): Statement => {
  let known = prepared.get(parts);
  if (!known) {
    const text = parts.reduce((all, part, index) => `${all}$${index}${part}`);
    prepared.set(parts, (known = { name: /^\/\* (.*?) \*\//.exec(text)?.[1] as string, text }));
  }
  return { name: known.name, text: known.text, values };
};

const prepared = new WeakMap<TemplateStringsArray, { readonly name: string; readonly text: string }>();

export type Row = Readonly<Record<string, unknown>>;

/** One connection of the pool, in use by one caller. */
export interface Connection {
  /**
   * Sends statements in one go and waits for all of them: one round trip. Gives the rows of the last one, or throws the
   * error of the first that failed. Outside of BEGIN … COMMIT each is a transaction of its own.
   */
  readonly run: (statements: readonly Statement[]) => Promise<readonly Row[]>;
  /** The same, with the rows of each. */
  readonly runAll: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
  /** Has the connection closed after this use. */
  readonly discard: () => void;
  /** No statement has broken it, so that a transaction that stands open on it can be rolled back. */
  readonly isUsable: () => boolean;
}

/** Sends statements in one round trip; gives the rows of each. */
export type Read = Connection['runAll'];

/** Runs statements. All that is thrown is an AppError, save what is a fault of this program. */
export interface Database {
  /** Runs one statement, on any connection. */
  query(statement: Statement): Promise<readonly Row[]>;
  /** Runs some statements together, on any connection. */
  readonly read: Read;
  /**
   * Lends a connection; errors of PostgreSQL come as they are, `failureOf` makes them what callers are to meet. `waitsFor` names what the
   * work may wait for, such as a calendar: a third of the connections at most wait for the same, and others go on.
   */
  use<T>(work: (connection: Connection) => Promise<T>, waitsFor?: string): Promise<T>;
}

/** A database with the pool of connections to it. */
export interface DatabasePool extends Database {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

interface DatabaseLimits {
  /** How many connections one gateway holds at most. */
  readonly connections: number;
  /** Milliseconds to wait for a connection, free or new. */
  readonly connectMs: number;
  /** Milliseconds that one statement may take. */
  readonly statementMs: number;
}

export const defaultLimits: DatabaseLimits = { connections: 10, connectMs: 3000, statementMs: 5000 };

/** What both the pool and the listening client connect with. */
export const connectionOptions = (
  connectionString: string,
  { connectMs }: DatabaseLimits,
): pg.ClientConfig => ({
  connectionString,
  application_name: 'resource-gateway',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
});

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  // Counters stay far below 2^53.
  [pg.types.builtins.INT8]: Number,
  // As text: `fromStored` parses a record only where it has not parsed the same text before.
  [pg.types.builtins.JSONB]: String,
};
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text'): unknown =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Statements with a name are planned once for a connection: to plan one for its values takes longer than to run it. All that
 * requests ask is found by an index, and a plan that was made for few rows must not read all of a table that has grown. Citus
 * chooses shards by values, and its workers have settings of their own: there all is left as it is, save that a node that is
 * silent is given up before a statement's time is out.
 */
const planning = `SELECT citus AS "isOfCluster", CASE WHEN citus THEN set_config('citus.node_connection_timeout', '2000', false)
    ELSE concat(set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)) END
  FROM (SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus) AS found`;

/** Connects when it is first asked. A connection that is lost is replaced by itself. */
export function openDatabase(
  url: string,
  log: Pick<Log, 'error'>,
  limits: DatabaseLimits = defaultLimits,
): DatabasePool {
  const pool = new pg.Pool({
    ...connectionOptions(url, limits),
    max: limits.connections,
    idleTimeoutMillis: 30_000,
    // Plans are made anew.
    maxLifetimeSeconds: 600,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.statementMs,
    // Where the server is gone without a word.
    query_timeout: limits.statementMs + 1000,
    pipeline: true,
    types,
  });
  // Without both of these a lost connection would end the process. Of one in use its statement fails as well.
  pool.on('error', (err) => log.error({ err }, 'an idle connection to the database was lost'));
  pool.on('connect', (client) => {
    client
      .on('error', () => undefined)
      .on('notice', ({ routine }) => {
        if (unconfirming.includes(routine ?? '')) unconfirmed.add(client);
      });
    client.query<{ isOfCluster: boolean }>(planning).then(
      ({ rows }) => rows[0]?.isOfCluster && ofClusters.add(client),
      () => undefined,
    );
  });

  async function use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let isUseless = false;
    const failed = (error: unknown): never => {
      if (ofClusters.has(client)) ofCluster(error);
      isUseless ||= isBroken(error);
      throw error;
    };
    const runAll: Connection['runAll'] = (statements) => pipelinedAll(client, statements).catch(failed);
    try {
      return await work({
        runAll,
        run: (statements) => runAll(statements).then(lastOf),
        discard: () => void (isUseless = true),
        isUsable: () => !isUseless,
      });
    } finally {
      client.release(isUseless);
    }
  }

  const sharing = createKeyedLimit({
    atOnce: Math.max(1, Math.floor(limits.connections / 3)),
    withinMs: limits.connectMs,
  });
  const fail = (error: unknown): never => {
    throw failureOf(error);
  };
  return {
    pool,
    use: (work, waitsFor) =>
      (waitsFor === undefined ? use(work) : sharing(waitsFor, () => use(work))).catch(fail),
    query: (statement) => use(({ run }) => run([statement])).catch(fail),
    read: async (statements) =>
      statements.length === 0 ? [] : use(({ runAll }) => runAll(statements)).catch(fail),
    close: () => pool.end(),
  };
}

/** Sends reads together that begin in one turn of the event loop, such as those of several lists of a request: one that fails fails all. */
export function batchReads(database: Database): Database {
  let waiting: {
    readonly statements: readonly Statement[];
    readonly resolve: (rows: ReturnType<Read>) => void;
  }[] = [];
  function send(): void {
    const group = waiting;
    waiting = [];
    const all = database.read(group.flatMap(({ statements }) => statements));
    let start = 0;
    for (const { statements, resolve } of group) {
      const [first, end] = [start, (start += statements.length)];
      resolve(all.then((rows) => rows.slice(first, end)));
    }
  }
  return {
    ...database,
    read: (statements) =>
      new Promise((resolve) => {
        if (waiting.push({ statements, resolve }) === 1) queueMicrotask(send);
      }),
  };
}

/** Connections to coordinators of Citus. */
const ofClusters = new WeakSet<object>();

/**
 * Connections whose last commit gave up waiting for a synchronous standby, or for a node of the cluster: PostgreSQL tells of that by
 * a warning alone. Without the standby the change would be lost with the primary; what a node has not confirmed is seen there later.
 */
const unconfirmed = new WeakSet<object>();
/** The places in the code of PostgreSQL and of Citus that warn. */
const unconfirming = ['SyncRepWaitForLSN', 'FinishRemoteTransactionCommit', 'ReportConnectionError'];

/** The rows of the last of some statements. */
export const lastOf = (all: readonly (readonly Row[])[]): readonly Row[] => all.at(-1) as readonly Row[];

/** Sends statements in one go; gives the rows of the last one. */
export const pipelined = async (
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<readonly Row[]> => lastOf(await pipelinedAll(client, statements));

/** Sends statements in one go; gives the rows of each. */
export async function pipelinedAll(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> {
  const results = await Promise.allSettled(pipelinedEach(client, statements));
  if (unconfirmed.delete(client))
    throw unavailable(
      'The change may or may not be stored: a server did not confirm it.',
      new Error('the commit was not confirmed by a synchronous standby, or by a node'),
    );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<readonly Row[]>).value);
}

function pipelinedEach(client: pg.ClientBase, statements: readonly Statement[]): Promise<readonly Row[]>[] {
  // The library writes each statement for itself; held back, they leave together.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  stream.cork();
  try {
    return statements.map((statement) => {
      const { text, values, name } = statement;
      return client.query<Row>({ text, values: values as unknown[], name }).then(
        ({ rows }) => rows,
        (error: unknown) => {
          throw namedAfter(statement, error);
        },
      );
    });
  } finally {
    stream.uncork();
  }
}

/** The error, with the name of its statement for the log: of the text at most its beginning, and of the values nothing. */
const namedAfter = ({ name, title, text }: Statement, error: unknown): Error =>
  Object.assign(error as Error, { statement: title ?? name ?? text.slice(0, 40) });
