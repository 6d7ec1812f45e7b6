import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { describeWithPostgres, startPostgres } from '../postgres-server.ts';
import { startProxy } from '../tcp-proxy.ts';
import { figureTable, type Measured } from './figures.ts';
import { startWriters } from './write-load.ts';

const figures = figureTable();
const patching =
  'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "unconfirmed" }) { id } }';

/** Undoes what was set up, the last first, also where setting up did not come to its end. */
async function withCleanup<T>(
  work: (later: (undo: () => Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  const undos: (() => Promise<unknown>)[] = [];
  try {
    return await work((undo) => undos.push(undo));
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

describeWithPostgres('a primary with a synchronous standby behind one address', () => {
  figures.check('PostgreSQL, two gateways', {
    title:
      'primary killed with -9 under load and replaced by the standby: no acknowledged write lost, none half applied; writes flow within 10 s',
    measure: () =>
      withCleanup(async (later): Promise<Measured> => {
        const primary = await startPostgres();
        later(() => primary.remove());
        const standby = await startPostgres({ standbyOf: primary });
        later(() => standby.remove());
        const admin = new pg.Client(primary.url);
        admin.on('error', () => undefined);
        await admin.connect();
        later(() => admin.end().catch(() => undefined));
        await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
        await admin.query('SELECT pg_reload_conf()');
        const isSynchronous = async (): Promise<boolean> =>
          (await admin.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication')).rows[0]
            ?.sync_state === 'sync';
        while (!(await isSynchronous())) await pause(50);
        const proxy = await startProxy(primary.port);
        later(() => proxy.close());
        const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
        const gateways: GatewayProcess[] = [];
        for (let index = 0; index < 2; index += 1) {
          const gateway = await startGatewayProcess({ DATABASE_URL: url });
          gateways.push(gateway);
          later(() => gateway.kill());
        }
        await standby.stop();
        // What only the primary has is not acknowledged.
        const alone = await gateways[0]?.ask(await tokenFor('alice@example.com'), patching);
        await standby.start();
        while (!(await isSynchronous())) await pause(50);
        const writers = await startWriters(() => gateways);
        while (writers.acknowledged() < 200) await pause(20);
        const before = writers.acknowledged();
        await primary.kill();
        const killed = Date.now();
        await standby.promote();
        proxy.leadTo(standby.port);
        while (writers.acknowledged() <= before + 8 && Date.now() - killed < 30_000) await pause(10);
        const recovered = Date.now() - killed;
        await pause(2000);
        const faults = await writers.verdict();
        const words = faults.length === 0 ? 'none lost, none half applied' : faults.slice(0, 3).join('; ');
        return {
          figure: `${before} acknowledged before, ${writers.acknowledged() - before} after; ${words}; again after ${recovered} ms; without the standby: ${alone?.status}`,
          holds: faults.length === 0 && recovered < 10_000 && alone?.status === 503,
        };
      }),
  });
});
