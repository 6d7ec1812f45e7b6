import type { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../../core/runtime/log.ts';
import { failureOf, isConnectionBroken, markClusterTimeout, unavailableError } from './failures.ts';

/** A statement with its values. A named one is prepared once per connection, so a name must have one text only. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
  /** Title in the log, unless the name serves. */
  readonly title?: string;
}

/** Builds a statement named by the comment at its beginning. The text may refer to an earlier value as `$1`. */
export const sql = (parts: TemplateStringsArray, ...values: readonly unknown[]): Statement => {
  let statement = preparedTexts.get(parts);
  if (!statement) {
    const text = parts.reduce((joined, part, index) => `${joined}$${index}${part}`);
    preparedTexts.set(parts, (statement = { name: /^\/\* (.*?) \*\//.exec(text)?.[1] as string, text }));
  }
  return { name: statement.name, text: statement.text, values };
};

const preparedTexts = new WeakMap<TemplateStringsArray, { readonly name: string; readonly text: string }>();

/** Row of a result, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** A connection of the pool while it is lent (`Database.use`). */
export interface Connection {
  /** Sends statements in one round trip and returns the rows of each, or throws the first error. Without BEGIN, each is its own transaction. */
  readonly run: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
  /** Whether the session survived all statements, so that an open transaction can be rolled back. */
  readonly isUsable: () => boolean;
}

/** Sends statements in one round trip and returns the rows of each. */
export type Read = Connection['run'];

/** Runs statements. Throws AppError; other errors are bugs of this program. */
export interface Database {
  query(statement: Statement): Promise<readonly Row[]>;
  readonly read: Read;
  /** Lends a connection; errors are not converted. Work with one `contentionKey` may use a third of the pool at most, so that others go on. */
  use<T>(work: (connection: Connection) => Promise<T>, contentionKey?: string): Promise<T>;
}

/** A database with its pool, for the few statements that need the client library itself. */
export interface DatabasePool extends Database {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** Limits of a pool. `maxConnectMs` also limits the wait for a free connection. */
export const defaultLimits = { maxConnections: 10, maxConnectMs: 3000, maxStatementMs: 5000 };
type DatabaseLimits = Readonly<typeof defaultLimits>;

export const connectionOptions = (
  connectionString: string,
  { maxConnectMs }: DatabaseLimits,
): pg.ClientConfig => ({
  connectionString,
  application_name: 'resource-gateway',
  connectionTimeoutMillis: maxConnectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
});

const parsersByOid: Readonly<Record<number, (text: string) => unknown>> = {
  // Counters stay far below 2^53.
  [pg.types.builtins.INT8]: Number,
  // Kept as text: `parseRecord` caches parsed records by it.
  [pg.types.builtins.JSONB]: String,
};
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text'): unknown =>
    parsersByOid[oid] ?? pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

// Generic plans: planning takes longer than running. No sequential scans: requests use indexes only, and a plan made for few rows must not scan
// a table that has grown. Citus needs values to choose shards; there, only silent nodes are given up before `statement_timeout`.
const sessionSettingsSql = `SELECT citus AS "isOfCluster", CASE WHEN citus THEN set_config('citus.node_connection_timeout', '2000', false)
    ELSE concat(set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)) END
  FROM (SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus) AS found`;

/** Opens a connection of its own, without timeouts, for work that may take long. */
export async function openClient(
  url: string,
  log: Pick<Log, 'error'>,
  lostMessage: string,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOptions(url, defaultLimits),
    types: typeParsers,
    pipeline: true,
  });
  client.on('error', (err) => log.error({ err }, lostMessage));
  await client.connect();
  return client;
}

/** Opens a pool that connects on first use and replaces lost connections. */
export function openDatabase(
  url: string,
  log: Pick<Log, 'error'>,
  limits: DatabaseLimits = defaultLimits,
): DatabasePool {
  const pool = new pg.Pool({
    ...connectionOptions(url, limits),
    max: limits.maxConnections,
    idleTimeoutMillis: 30_000,
    // Bounds the age of generic plans.
    maxLifetimeSeconds: 600,
    statement_timeout: limits.maxStatementMs,
    idle_in_transaction_session_timeout: limits.maxStatementMs,
    // Detects a server that vanished without closing the connection.
    query_timeout: limits.maxStatementMs + 1000,
    pipeline: true,
    types: typeParsers,
  });
  // Error listeners keep a lost connection from ending the process; its statement fails as well.
  pool.on('error', (err) => log.error({ err }, 'an idle connection to the database was lost'));
  pool.on('connect', (client) => {
    client
      .on('error', () => undefined)
      .on('notice', ({ routine }) => {
        if (unconfirmedRoutines.includes(routine ?? '')) unconfirmedClients.add(client);
      });
    client.query<{ isOfCluster: boolean }>(sessionSettingsSql).then(
      ({ rows }) => rows[0]?.isOfCluster && clusterClients.add(client),
      () => undefined,
    );
  });

  async function useClient<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let isBroken = false;
    const rethrow = (error: unknown): never => {
      if (clusterClients.has(client)) markClusterTimeout(error);
      isBroken ||= isConnectionBroken(error);
      throw error;
    };
    try {
      return await work({
        run: (statements) => pipeline(client, statements).catch(rethrow),
        isUsable: () => !isBroken,
      });
    } finally {
      client.release(isBroken);
    }
  }

  const limitByKey = createKeyedLimit(
    Math.max(1, Math.floor(limits.maxConnections / 3)),
    limits.maxConnectMs,
  );
  const throwFailure = (error: unknown): never => {
    throw failureOf(error);
  };
  const read: Read = async (statements) =>
    statements.length === 0 ? [] : useClient(({ run }) => run(statements)).catch(throwFailure);
  return {
    pool,
    read,
    use: (work, contentionKey) =>
      (contentionKey === undefined
        ? useClient(work)
        : limitByKey(contentionKey, () => useClient(work))
      ).catch(throwFailure),
    query: async (statement) => (await read([statement]))[0] ?? [],
    close: () => pool.end(),
  };
}

/** Batches reads that begin in one turn of the event loop, such as those of several lists: if one fails, all fail. */
export function batchReads(database: Database): Database {
  let pendingReads: {
    readonly statements: readonly Statement[];
    readonly resolve: (rows: ReturnType<Read>) => void;
  }[] = [];
  /** Collects the reads of one turn and sends them together. */
  function sendPendingReads(): void {
    const batch = pendingReads;
    pendingReads = [];
    const batchResults = database.read(batch.flatMap(({ statements }) => statements));
    let start = 0;
    for (const { statements, resolve } of batch) {
      const [begin, end] = [start, (start += statements.length)];
      resolve(batchResults.then((rows) => rows.slice(begin, end)));
    }
  }
  return {
    ...database,
    read: (statements) =>
      new Promise((resolve) => {
        if (pendingReads.push({ statements, resolve }) === 1) queueMicrotask(sendPendingReads);
      }),
  };
}

/** Whether each database has the extension Citus, as far as known. */
const clusterFlags = new WeakMap<Pick<Database, 'query'>, boolean>();

/** Whether the tables may be distributed. Asks the database once. */
export async function isCluster(database: Pick<Database, 'query'>): Promise<boolean> {
  const knownFlag = clusterFlags.get(database);
  if (knownFlag !== undefined) return knownFlag;
  const [row] = await database.query({
    title: 'is cluster',
    text: "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS found",
  });
  const hasCitus = row?.found === true;
  clusterFlags.set(database, hasCitus);
  return hasCitus;
}

/** Clients that are connected to a Citus cluster. */
const clusterClients = new WeakSet<object>();

/** Clients whose last commit a standby or a cluster node did not confirm, which PostgreSQL reports only as a warning. */
const unconfirmedClients = new WeakSet<object>();
/** Routines in the source of PostgreSQL and Citus that emit these warnings. */
const unconfirmedRoutines = ['SyncRepWaitForLSN', 'FinishRemoteTransactionCommit', 'ReportConnectionError'];

/** Sends statements in one round trip and returns the rows of each, or throws the first error once all are done. */
export async function pipeline(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> {
  const results = await Promise.allSettled(queryEach(client, statements));
  if (unconfirmedClients.delete(client))
    throw unavailableError(
      'The change may or may not be stored: a server did not confirm it.',
      new Error('the commit was not confirmed by a synchronous standby, or by a node'),
    );
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  return results.map((result) => (result as PromiseFulfilledResult<readonly Row[]>).value);
}

function queryEach(client: pg.ClientBase, statements: readonly Statement[]): Promise<readonly Row[]>[] {
  // The library writes each statement separately; corking the socket sends them together.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  stream.cork();
  try {
    return statements.map(({ text, values, name, title = name ?? text.slice(0, 40) }) =>
      client.query<Row>({ text, values: values as unknown[], name }).then(
        ({ rows }) => rows,
        (error: unknown) => {
          // Names the statement for the log: at most the beginning of its text, never its values.
          throw Object.assign(error as Error, { statement: title });
        },
      ),
    );
  } finally {
    stream.uncork();
  }
}

/**
 * Limits the concurrent tasks of each key; keys do not affect each other. A task that waits for `maxWaitMs` fails with UNAVAILABLE and
 * never runs.
 */
export function createKeyedLimit(maxConcurrent: number, maxWaitMs: number) {
  /** Running tasks, and starts of waiting ones, oldest first. */
  const queues = new Map<string, { runningCount: number; readonly startWaiting: (() => void)[] }>();

  return async <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { runningCount: 0, startWaiting: [] };
    queues.set(key, queue);
    if (queue.runningCount < maxConcurrent) queue.runningCount += 1;
    else
      await new Promise<void>((resolve, reject) => {
        const start = (): void => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          queue.startWaiting.splice(queue.startWaiting.indexOf(start), 1);
          reject(unavailableError('Too many requests change the same data.'));
        }, maxWaitMs);
        queue.startWaiting.push(start);
      });
    try {
      return await task();
    } finally {
      const startNext = queue.startWaiting.shift();
      if (startNext) startNext();
      else if ((queue.runningCount -= 1) === 0) queues.delete(key);
    }
  };
}
