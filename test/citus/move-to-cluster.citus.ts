import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClusterDatabase } from '../citus-cluster.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { demoSeed, tokenFor } from '../harness.ts';
import { createFigureTable } from '../integrity/figure-table.ts';
import { startWriters } from '../integrity/write-load.ts';
import { queryOnce, startPostgres } from '../postgres-server.ts';
import { readCodeBlocks, openShell } from '../stories/documented-commands.ts';
import { createSyncClient } from './sync-client.ts';

const eventCount = 100_000;
const calendarCount = 200;
const hourMs = 3_600_000;
const firstStart = Date.UTC(2030, 0, 1);
const ownerOf = (index: number): string => `user${index}@example.com`;

/** Calendars with events, some of whose guests have calendars here. */
const seed = {
  buckets: demoSeed.buckets,
  calendars: [
    ...demoSeed.calendars,
    ...Array.from({ length: calendarCount }, (_, index) => ({
      id: ownerOf(index),
      owner: ownerOf(index),
      timeZone: 'UTC',
      events: Array.from({ length: eventCount / calendarCount }, (_, eventIndex) => ({
        id: `event${eventIndex}of${index}`,
        summary: `Event ${eventIndex}`,
        start: { dateTime: new Date(firstStart + eventIndex * hourMs).toISOString() },
        end: { dateTime: new Date(firstStart + (eventIndex + 1) * hourMs).toISOString() },
        attendees: [
          { email: eventIndex % 10 === 0 ? ownerOf((index + 1) % calendarCount) : 'guest@elsewhere.example' },
        ],
      })),
    })),
  ],
};
const countRowsSql =
  'SELECT (SELECT count(*) FROM events)::int AS events, (SELECT count(*) FROM places)::int AS places';

describe('a database of one server that moves to a cluster', () => {
  const figures = createFigureTable();
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  }, 60_000);

  figures.registerTest('Citus', {
    title: `${eventCount.toLocaleString('en')} events, as docs/moving-to-a-cluster.md says, under load: no acknowledged write lost, sync tokens stay valid`,
    async measure() {
      if (!process.env.CITUS_URL) throw new Error('CITUS_URL: a database on the coordinator of a cluster');
      const folder = mkdtempSync(join(tmpdir(), 'move-'));
      cleanups.push(async () => rmSync(folder, { recursive: true, force: true }));
      const SEED_FILE = join(folder, 'seed.json');
      writeFileSync(SEED_FILE, JSON.stringify(seed));
      const [oldServer, cluster] = [
        await startPostgres({ settings: ['fsync = off'] }),
        await createClusterDatabase(process.env.CITUS_URL),
      ];
      cleanups.push(
        () => oldServer.remove(),
        () => cluster.remove(),
      );
      const gateways: GatewayProcess[] = [];
      const startGateway = async (url: string): Promise<GatewayProcess> => {
        const gateway = await startGatewayProcess({ DATABASE_URL: url, SEED_FILE });
        cleanups.push(() => gateway.kill());
        return gateway;
      };
      gateways.push(await startGateway(oldServer.url));
      const writers = await startWriters(() => gateways);
      const syncClient = createSyncClient(
        () => gateways[0] as GatewayProcess,
        await tokenFor('bob@example.com'),
      );
      while (!(await syncClient.sync())) await pause(50);
      while (writers.acknowledged() < 200) await pause(20);
      const shell = openShell({ OLD_URL: oldServer.url, NEW_URL: cluster.url });
      cleanups.push(() => shell.close());
      const [prepareScript, closeScript, copyScript] = readCodeBlocks('docs/moving-to-a-cluster.md').map(
        ({ text }) => text,
      ) as [string, string, string];
      await shell.run(prepareScript);
      const writesClosedAt = Date.now();
      await shell.run(closeScript);
      const writesBefore = writers.acknowledged();
      await shell.run(copyScript);
      const copiedAt = Date.now();
      const [rowsBefore] = await queryOnce<{ events: number; places: number }>(oldServer.url, countRowsSql);
      const [rowsAfter] = await queryOnce<{ events: number; places: number }>(cluster.url, countRowsSql);
      gateways.splice(0, 1, await startGateway(cluster.url));
      const openedAt = Date.now();
      while (writers.acknowledged() < writesBefore + 200) await pause(20);
      const faults = await writers.stopAndFindFaults();
      while (!(await syncClient.sync())) await pause(50);
      faults.push(...(await syncClient.findStaleEvents()));
      return {
        figure: `${JSON.stringify(rowsBefore)} became ${JSON.stringify(rowsAfter)}; ${writesBefore} writes before, ${writers.acknowledged() - writesBefore} after; ${faults.length === 0 ? 'none lost, none stale' : faults.slice(0, 3).join('; ')}; no changes for ${((openedAt - writesClosedAt) / 1000).toFixed(1)} s, ${((copiedAt - writesClosedAt) / 1000).toFixed(1)} s of it to copy`,
        holds:
          faults.length === 0 &&
          JSON.stringify(rowsBefore) === JSON.stringify(rowsAfter) &&
          (rowsBefore?.events ?? 0) >= eventCount,
      };
    },
  });
});
