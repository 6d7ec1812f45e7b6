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
import { readCodeBlocks, openShell } from '../stories/page.ts';
import { syncClient } from './sync-client.ts';

const eventCount = 100_000;
const calendarCount = 200;
const hour = 3_600_000;
const firstStart = Date.UTC(2030, 0, 1);
const owner = (index: number): string => `user${index}@example.com`;

/** Calendars with events, whose guests have partly calendars here. */
const seed = {
  buckets: demoSeed.buckets,
  calendars: [
    ...demoSeed.calendars,
    ...Array.from({ length: calendarCount }, (_, index) => ({
      id: owner(index),
      owner: owner(index),
      timeZone: 'UTC',
      events: Array.from({ length: eventCount / calendarCount }, (_, nth) => ({
        id: `event${nth}of${index}`,
        summary: `Event ${nth}`,
        start: { dateTime: new Date(firstStart + nth * hour).toISOString() },
        end: { dateTime: new Date(firstStart + (nth + 1) * hour).toISOString() },
        attendees: [
          { email: nth % 10 === 0 ? owner((index + 1) % calendarCount) : 'guest@elsewhere.example' },
        ],
      })),
    })),
  ],
};
const countRows =
  'SELECT (SELECT count(*) FROM events)::int AS events, (SELECT count(*) FROM places)::int AS places';

describe('a database of one server that moves to a cluster', () => {
  const figures = figureTable();
  const undos: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const undo of undos.reverse()) await undo();
  }, 60_000);

  figures.check('Citus', {
    title: `${eventCount.toLocaleString('en')} events, as docs/moving-to-a-cluster.md says, under load: no acknowledged write lost, sync tokens go on`,
    async measure() {
      if (!process.env.CITUS_URL) throw new Error('CITUS_URL: a database on the coordinator of a cluster');
      const folder = mkdtempSync(join(tmpdir(), 'move-'));
      undos.push(async () => rmSync(folder, { recursive: true, force: true }));
      const SEED_FILE = join(folder, 'seed.json');
      writeFileSync(SEED_FILE, JSON.stringify(seed));
      const [oldServer, cluster] = [
        await startPostgres({ settings: ['fsync = off'] }),
        await createClusterDatabase(process.env.CITUS_URL),
      ];
      undos.push(
        () => oldServer.remove(),
        () => cluster.remove(),
      );
      const gateways: GatewayProcess[] = [];
      const startServer = async (url: string): Promise<GatewayProcess> => {
        const gateway = await startGatewayProcess({ DATABASE_URL: url, SEED_FILE });
        undos.push(() => gateway.kill());
        return gateway;
      };
      gateways.push(await startServer(oldServer.url));
      const writers = await startWriters(() => gateways);
      const follower = syncClient(() => gateways[0] as GatewayProcess, await tokenFor('bob@example.com'));
      while (!(await follower.sync())) await pause(50);
      while (writers.acknowledged() < 200) await pause(20);
      const shell = openShell({ OLD_URL: oldServer.url, NEW_URL: cluster.url });
      undos.push(() => shell.close());
      const [prepareCluster, closeOld, copyData] = readCodeBlocks('docs/moving-to-a-cluster.md').map(
        ({ text }) => text,
      ) as [string, string, string];
      await shell.run(prepareCluster);
      const closed = Date.now();
      await shell.run(closeOld);
      const writesBefore = writers.acknowledged();
      await shell.run(copyData);
      const copied = Date.now();
      const [rowsBefore] = await queryOnce<{ events: number; places: number }>(oldServer.url, countRows);
      const [rowsAfter] = await queryOnce<{ events: number; places: number }>(cluster.url, countRows);
      gateways.splice(0, 1, await startServer(cluster.url));
      const opened = Date.now();
      while (writers.acknowledged() < writesBefore + 200) await pause(20);
      const faults = await writers.verdict();
      while (!(await follower.sync())) await pause(50);
      faults.push(...(await follower.stale()));
      return {
        figure: `${JSON.stringify(rowsBefore)} became ${JSON.stringify(rowsAfter)}; ${writesBefore} writes before, ${writers.acknowledged() - writesBefore} after; ${faults.length === 0 ? 'none lost, none stale' : faults.slice(0, 3).join('; ')}; no changes for ${((opened - closed) / 1000).toFixed(1)} s, ${((copied - closed) / 1000).toFixed(1)} s of it to copy`,
        holds:
          faults.length === 0 &&
          JSON.stringify(rowsBefore) === JSON.stringify(rowsAfter) &&
          (rowsBefore?.events ?? 0) >= eventCount,
      };
    },
  });
});
