import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { describeWithPostgres, startPostgres } from '../postgres-server.ts';
import { startProxy } from '../tcp-proxy.ts';
import { createFigureTable, type Measurement } from './figure-table.ts';
import { startWriters } from './write-load.ts';

const figures = createFigureTable();
const patchMutation =
  'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "unconfirmed" }) { id } }';

/** Runs an action, then its registered cleanups in reverse order, even if the action fails. */
async function withCleanup<T>(
  action: (onCleanup: (undo: () => Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    return await action((undo) => cleanups.push(undo));
  } finally {
    for (const undo of cleanups.reverse()) await undo();
  }
}

describeWithPostgres('a primary with a synchronous standby behind one address', () => {
  figures.registerTest('PostgreSQL, two gateways', {
    title:
      'primary killed with -9 under load and replaced by the standby: no acknowledged write lost, none half applied; writes flow within 10 s',
    measure: () =>
      withCleanup(async (onCleanup): Promise<Measurement> => {
        const primary = await startPostgres();
        onCleanup(() => primary.remove());
        const standby = await startPostgres({ standbyOf: primary });
        onCleanup(() => standby.remove());
        const admin = new pg.Client(primary.url);
        admin.on('error', () => undefined);
        await admin.connect();
        onCleanup(() => admin.end().catch(() => undefined));
        await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
        await admin.query('SELECT pg_reload_conf()');
        const isSynchronous = async (): Promise<boolean> =>
          (await admin.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication')).rows[0]
            ?.sync_state === 'sync';
        while (!(await isSynchronous())) await pause(50);
        const proxy = await startProxy(primary.port);
        onCleanup(() => proxy.close());
        const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
        const gateways: GatewayProcess[] = [];
        for (let index = 0; index < 2; index += 1) {
          const gateway = await startGatewayProcess({ DATABASE_URL: url });
          gateways.push(gateway);
          onCleanup(() => gateway.kill());
        }
        await standby.stop();
        // A write that is not on the standby must not be acknowledged.
        const unreplicatedWrite = await gateways[0]?.ask(await tokenFor('alice@example.com'), patchMutation);
        await standby.start();
        while (!(await isSynchronous())) await pause(50);
        const writers = await startWriters(() => gateways);
        while (writers.acknowledged() < 200) await pause(20);
        const acknowledgedBeforeKill = writers.acknowledged();
        await primary.kill();
        const killedAtMs = Date.now();
        await standby.promote();
        proxy.redirectTo(standby.port);
        while (writers.acknowledged() <= acknowledgedBeforeKill + 8 && Date.now() - killedAtMs < 30_000)
          await pause(10);
        const recoveryMs = Date.now() - killedAtMs;
        await pause(2000);
        const faults = await writers.stopAndFindFaults();
        const summary = faults.length === 0 ? 'none lost, none half applied' : faults.slice(0, 3).join('; ');
        return {
          figure: `${acknowledgedBeforeKill} acknowledged before, ${writers.acknowledged() - acknowledgedBeforeKill} after; ${summary}; again after ${recoveryMs} ms; without the standby: ${unreplicatedWrite?.status}`,
          holds: faults.length === 0 && recoveryMs < 10_000 && unreplicatedWrite?.status === 503,
        };
      }),
  });
});
