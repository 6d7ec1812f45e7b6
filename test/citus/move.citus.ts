import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClusterDatabase } from '../citus-cluster.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { demoSeed, tokenFor } from '../harness.ts';
import { figureTable } from '../integrity/figures.ts';
import { startWriters } from '../integrity/write-load.ts';
import { queryOnce, startPostgres } from '../postgres-server.ts';
import { blocksOf, openShell } from '../stories/page.ts';
import { syncClient } from './sync-client.ts';

const amount = 100_000;
const calendars = 200;
const hour = 3_600_000;
const begin = Date.UTC(2030, 0, 1);
const owner = (index: number): string => `user${index}@example.com`;

/** Calendars with events, each with guests, some of whom have calendars here. */
const seed = {
  buckets: demoSeed.buckets,
  calendars: [
    ...demoSeed.calendars,
    ...Array.from({ length: calendars }, (_, index) => ({
      id: owner(index),
      owner: owner(index),
      timeZone: 'UTC',
      events: Array.from({ length: amount / calendars }, (_, nth) => ({
        id: `event${nth}of${index}`,
        summary: `Event ${nth}`,
        start: { dateTime: new Date(begin + nth * hour).toISOString() },
        end: { dateTime: new Date(begin + (nth + 1) * hour).toISOString() },
        attendees: [{ email: nth % 10 === 0 ? owner((index + 1) % calendars) : 'guest@elsewhere.example' }],
      })),
    })),
  ],
};
const counting =
  'SELECT (SELECT count(*) FROM events)::int AS events, (SELECT count(*) FROM places)::int AS places';

describe('a database of one server that moves to a cluster', () => {
  const figures = figureTable();
  const undos: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const undo of undos.reverse()) await undo();
  }, 60_000);

  figures.check('Citus', {
    title: `${amount.toLocaleString('en')} events, as docs/moving-to-a-cluster.md says, under load: no acknowledged write lost, sync tokens go on`,
    async measure() {
      if (!process.env.CITUS_URL) throw new Error('CITUS_URL: a database on the coordinator of a cluster');
      const folder = mkdtempSync(join(tmpdir(), 'move-'));
      undos.push(async () => rmSync(folder, { recursive: true, force: true }));
      const SEED_FILE = join(folder, 'seed.json');
      writeFileSync(SEED_FILE, JSON.stringify(seed));
      const [old, cluster] = [
        await startPostgres({ settings: ['fsync = off'] }),
        await createClusterDatabase(process.env.CITUS_URL),
      ];
      undos.push(
        () => old.remove(),
        () => cluster.remove(),
      );
      const gateways: GatewayProcess[] = [];
      const begun = async (url: string): Promise<GatewayProcess> => {
        const gateway = await startGatewayProcess({ DATABASE_URL: url, SEED_FILE });
        undos.push(() => gateway.kill());
        return gateway;
      };
      gateways.push(await begun(old.url));
      const writers = await startWriters(() => gateways);
      const follower = syncClient(() => gateways[0] as GatewayProcess, await tokenFor('bob@example.com'));
      while (!(await follower.sync())) await pause(50);
      while (writers.acknowledged() < 200) await pause(20);
      const shell = openShell({ OLD_URL: old.url, NEW_URL: cluster.url });
      undos.push(() => shell.close());
      const [spreading, closing, copying] = blocksOf('docs/moving-to-a-cluster.md').map(
        ({ text }) => text,
      ) as [string, string, string];
      await shell.run(spreading);
      const closed = Date.now();
      await shell.run(closing);
      const last = writers.acknowledged();
      await shell.run(copying);
      const copied = Date.now();
      const [before] = await queryOnce<{ events: number; places: number }>(old.url, counting);
      const [now] = await queryOnce<{ events: number; places: number }>(cluster.url, counting);
      gateways.splice(0, 1, await begun(cluster.url));
      const opened = Date.now();
      while (writers.acknowledged() < last + 200) await pause(20);
      const faults = await writers.verdict();
      while (!(await follower.sync())) await pause(50);
      faults.push(...(await follower.stale()));
      return {
        figure: `${JSON.stringify(before)} became ${JSON.stringify(now)}; ${last} writes before, ${writers.acknowledged() - last} after; ${faults.length === 0 ? 'none lost, none stale' : faults.slice(0, 3).join('; ')}; no changes for ${((opened - closed) / 1000).toFixed(1)} s, ${((copied - closed) / 1000).toFixed(1)} s of it to copy`,
        holds:
          faults.length === 0 &&
          JSON.stringify(before) === JSON.stringify(now) &&
          (before?.events ?? 0) >= amount,
      };
    },
  });
});
