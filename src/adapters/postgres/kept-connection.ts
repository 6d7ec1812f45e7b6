import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../core/runtime/log.ts';
import { connectionOptions, defaultLimits } from './database.ts';

/** Use of a connection beside the pool, which is opened again whenever it is lost. */
interface ConnectionUse {
  /** Completes "the connection that …" in the log. */
  readonly purpose: string;
  readonly maxQueryMs: number;
  readonly checkIntervalMs: number;
  /** Prepares a new connection. */
  readonly prepare: (client: pg.Client) => Promise<void>;
  /** Runs every `checkIntervalMs`. An error closes the connection. */
  readonly check: (client: pg.Client) => Promise<void>;
  readonly onLost?: () => void;
}

/** Interval at which a lost connection is opened again, or a due check runs. */
const tickMs = 500;

/** Opens a connection, and keeps it until the returned function is called. */
export async function keepConnection(
  url: string,
  log: Pick<Log, 'error'>,
  { purpose, maxQueryMs, checkIntervalMs, prepare, check, onLost }: ConnectionUse,
): Promise<() => Promise<void>> {
  const closingController = new AbortController();
  const { signal } = closingController;
  let currentClient: pg.Client | undefined;

  function handleLoss(lostClient: pg.Client, err: unknown): void {
    if (currentClient !== lostClient) return;
    currentClient = undefined;
    void lostClient.end().catch(() => undefined);
    if (signal.aborted) return;
    log.error({ err }, `the connection that ${purpose} was lost`);
    onLost?.();
  }

  async function connect(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(url, defaultLimits), query_timeout: maxQueryMs });
    client.on('error', (error) => handleLoss(client, error)).on('end', () => handleLoss(client, undefined));
    try {
      await client.connect();
      await prepare(client);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    currentClient = client;
  }

  /** Connects again, logging only the first failure. */
  async function reconnect(isFirstAttempt: boolean): Promise<void> {
    await connect().catch((err: unknown) => {
      if (isFirstAttempt && !signal.aborted)
        log.error({ err }, `the connection that ${purpose} cannot be made; the gateway tries again`);
    });
  }

  async function checkUntilClosed(): Promise<void> {
    let [nextCheckAt, failedAttempts] = [0, 0];
    while (!signal.aborted) {
      const client = currentClient;
      if (!client) await reconnect((failedAttempts += 1) === 1);
      else if (performance.now() >= nextCheckAt) {
        failedAttempts = 0;
        nextCheckAt = performance.now() + checkIntervalMs;
        await check(client).catch((error: unknown) => handleLoss(client, error));
      }
      await pause(tickMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const endConnection = async (): Promise<void> => currentClient?.end().catch(() => undefined);

  await connect();
  const checks = checkUntilClosed();
  return async () => {
    closingController.abort();
    // Ends a check that waits for a silent server, and then a connection that was being made.
    await endConnection();
    await checks;
    await endConnection();
  };
}
