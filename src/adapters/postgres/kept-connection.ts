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
      // Set before the preparation, so that a loss during it is noticed.
      currentClient = client;
      await prepare(client);
    } catch (error) {
      if (currentClient === client) currentClient = undefined;
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Connects again, logging only the first failure. Returns whether it succeeded. */
  async function reconnect(isFirstAttempt: boolean): Promise<boolean> {
    try {
      await connect();
      return true;
    } catch (err) {
      if (isFirstAttempt && !signal.aborted)
        log.error({ err }, `the connection that ${purpose} cannot be made; the gateway tries again`);
      return false;
    }
  }

  async function checkUntilClosed(): Promise<void> {
    let nextCheckAt = 0;
    let isFirstAttempt = true;
    while (!signal.aborted) {
      const client = currentClient;
      if (!client) isFirstAttempt = await reconnect(isFirstAttempt);
      else if (performance.now() >= nextCheckAt) {
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
