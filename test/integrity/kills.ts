import { setTimeout as pause } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { startPostgres, type PostgresServer } from '../postgres-server.ts';
import { startDivisions } from './division-load.ts';
import { startMoves } from './move-load.ts';
import type { Criterion, Measurement } from './figure-table.ts';
import { startWriters } from './write-load.ts';

/** Clients that write until `stopAndFindFaults` is called, which returns the faults in the stored data. */
interface Writers {
  acknowledged(): number;
  stopAndFindFaults(): Promise<string[]>;
}

type StartLoad = (gateways: () => readonly GatewayProcess[]) => Promise<Writers>;

/** A PostgreSQL server with two gateways and clients that write through them. */
interface LoadedSystem {
  readonly server: PostgresServer;
  readonly gateways: GatewayProcess[];
  readonly writers: Writers;
}

/** Runs two gateways with writers on a new PostgreSQL server with fsync on. */
async function runUnderLoad<T>(
  action: (system: LoadedSystem) => Promise<T>,
  startLoad: StartLoad = startWriters,
): Promise<T> {
  const server = await startPostgres();
  const gateways: GatewayProcess[] = [];
  try {
    const startGateway = () => startGatewayProcess({ DATABASE_URL: server.url });
    gateways.push(...(await Promise.all([startGateway(), startGateway()])));
    return await action({ server, gateways, writers: await startLoad(() => gateways) });
  } finally {
    for (const gateway of gateways) await gateway.kill();
    await server.remove();
  }
}

async function waitForWrites(writers: Writers, minWrites: number): Promise<void> {
  const [countBefore, deadlineMs] = [writers.acknowledged(), Date.now() + 30_000];
  while (writers.acknowledged() <= countBefore + minWrites) {
    if (Date.now() > deadlineMs) throw new Error('writes do not flow');
    await pause(20);
  }
}

async function measureFaults(writers: Writers): Promise<Measurement> {
  const faults = await writers.stopAndFindFaults();
  return {
    figure: `${writers.acknowledged()} acknowledged, ${faults.length === 0 ? 'none lost, none half applied' : faults.slice(0, 3).join('; ')}`,
    holds: faults.length === 0,
  };
}

/** Kills the gateways in turn, each time after a number of acknowledged writes, and replaces them. */
const killGateways = (
  killCount: number,
  writesPerKill: number,
  startLoad?: StartLoad,
): Promise<Measurement> =>
  runUnderLoad(async ({ server, gateways, writers }) => {
    for (let round = 0; round < killCount; round += 1) {
      await waitForWrites(writers, writesPerKill);
      await gateways[round % 2]?.kill();
      gateways[round % 2] = await startGatewayProcess({ DATABASE_URL: server.url });
    }
    return measureFaults(writers);
  }, startLoad);

/** Criteria for the stored data after gateways or PostgreSQL are killed under load. */
export const killCriteria: Criterion[] = [
  {
    title:
      'one of two gateways killed with -9 under load, 5 times: no acknowledged write lost, none half applied',
    measure: () => killGateways(5, 40),
  },
  {
    title:
      'one of two gateways killed with -9 while series are divided, 10 times: each series is whole or in two parts, on every calendar',
    measure: () => killGateways(10, 1, startDivisions),
  },
  {
    title:
      'one of two gateways killed with -9 while series are moved, 10 times, 10 moves each: each series is whole on one calendar',
    measure: () => killGateways(10, 10, startMoves),
  },
  {
    title:
      'PostgreSQL killed with -9 under load, 5 times: no acknowledged write lost, none half applied; writes flow within 5 s of its start',
    measure: () =>
      runUnderLoad(async ({ server, writers }) => {
        const recoveryTimesMs: number[] = [];
        for (let round = 0; round < 5; round += 1) {
          await waitForWrites(writers, 40);
          await server.kill();
          await server.start();
          const startedAtMs = Date.now();
          await waitForWrites(writers, 0);
          recoveryTimesMs.push(Date.now() - startedAtMs);
        }
        const { figure, holds } = await measureFaults(writers);
        const maxRecoveryMs = Math.max(...recoveryTimesMs);
        return {
          figure: `${figure}; again after ${maxRecoveryMs} ms at most`,
          holds: holds && maxRecoveryMs < 5000,
        };
      }),
  },
];
