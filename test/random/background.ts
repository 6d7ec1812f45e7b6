import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { StartedJob } from '../../src/calendar/calendar.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { collectLog } from '../log-lines.ts';

/** What gateways do for calendars when they have answered. */
export interface Background {
  /** Resolves when nothing of it is left but the last look for invitations, and throws what went wrong. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

type Log = Pick<ReturnType<typeof collectLog>, 'lines'>;
/** Much longer than any of it takes, and behind the time after which a gateway looks for what another one left. */
const patienceMs = 60_000;
/** Behind the time at which a calendar was made the last look for invitations to it is due. */
const lastLookMs = 60_000;

async function waitUntilNone({ lines }: Log, left: () => Promise<readonly unknown[]>): Promise<void> {
  for (const end = Date.now() + patienceMs; ;) {
    const rest = await left();
    if (lines.length > 0) throw new Error(`A gateway has logged ${JSON.stringify(lines.splice(0))}`);
    if (rest.length === 0) return;
    if (Date.now() > end) throw new Error(`This is left to be done for long: ${JSON.stringify(rest)}`);
    await pause(5);
  }
}

/** Stores in memory, of which it is known what one gateway has begun. */
export function memoryWithBackground(clock: Clock, log: Log) {
  const stores = createMemoryStores(clock);
  const { calendars } = stores;
  const begun = new Map<string, StartedJob>();
  const ended = ({ calendarId }: StartedJob['job']): void => void begun.delete(calendarId);
  const isLastLook = ({ job, leftAt }: StartedJob): boolean =>
    job.kind === 'invite' && clock() >= leftAt + lastLookMs;
  const watched: typeof calendars = {
    ...calendars,
    async claimJob(leaseMs, wanted) {
      const started = await calendars.claimJob(leaseMs, wanted);
      if (started) begun.set(started.job.calendarId, started);
      return started;
    },
    continueJob: (job, progress, delayMs) =>
      calendars.continueJob(job, progress, delayMs).finally(() => ended(job)),
    endJob: (job) => calendars.endJob(job).finally(() => ended(job)),
  };
  const background: Background = {
    settled: () =>
      waitUntilNone(log, async () => {
        // For no time at all: whoever works may have it at once.
        const due = await calendars.claimJob(0);
        return [...begun.values(), ...(due ? [due] : [])].filter((started) => !isLastLook(started));
      }),
    close: async () => undefined,
  };
  return { stores: { ...stores, calendars: watched }, background };
}

/** What the gateways over one database have left. */
export function postgresBackground(url: string, log: Log): Background {
  let client: pg.Client | undefined;
  return {
    settled: () =>
      waitUntilNone(log, async () => {
        if (!client) {
          client = new pg.Client(url);
          await client.connect();
        }
        const { rows } = await client.query(
          `SELECT * FROM calendar_jobs WHERE kind = 'remove' OR due < left_at + ${lastLookMs}`,
        );
        return rows as readonly unknown[];
      }),
    close: async () => client?.end(),
  };
}
