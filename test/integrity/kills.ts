import { setTimeout as pause } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { startPostgres, type PostgresServer } from '../postgres-server.ts';
import { startDivisions } from './division-load.ts';
import type { Criterion, Measured } from './figures.ts';
import { startWriters } from './write-load.ts';

/** Clients that write until their verdict is asked for: what is wrong with what is stored. */
interface Writers {
  acknowledged(): number;
  verdict(): Promise<string[]>;
}

type StartLoad = (gateways: () => readonly GatewayProcess[]) => Promise<Writers>;

interface Running {
  readonly server: PostgresServer;
  readonly gateways: GatewayProcess[];
  readonly writers: Writers;
}

/** Two gateways on a server of their own, with writers on both, that syncs what it stores. */
async function underLoad<T>(
  work: (running: Running) => Promise<T>,
  startLoad: StartLoad = startWriters,
): Promise<T> {
  const server = await startPostgres();
  const gateways: GatewayProcess[] = [];
  try {
    gateways.push(
      ...(await Promise.all([0, 1].map(() => startGatewayProcess({ DATABASE_URL: server.url })))),
    );
    return await work({ server, gateways, writers: await startLoad(() => gateways) });
  } finally {
    for (const gateway of gateways) await gateway.kill();
    await server.remove();
  }
}

async function more(writers: Writers, amount: number): Promise<void> {
  const [before, end] = [writers.acknowledged(), Date.now() + 30_000];
  while (writers.acknowledged() <= before + amount) {
    if (Date.now() > end) throw new Error('writes do not flow');
    await pause(20);
  }
}

async function verdictOf(writers: Writers): Promise<Measured> {
  const faults = await writers.verdict();
  return {
    figure: `${writers.acknowledged()} acknowledged, ${faults.length === 0 ? 'none lost, none half applied' : faults.slice(0, 3).join('; ')}`,
    holds: faults.length === 0,
  };
}

/** Kills the gateways by turns, each time after so many acknowledged writes, and starts another one in its place. */
const killGateways = (times: number, writes: number, startLoad?: StartLoad): Promise<Measured> =>
  underLoad(async ({ server, gateways, writers }) => {
    for (let round = 0; round < times; round += 1) {
      await more(writers, writes);
      await gateways[round % 2]?.kill();
      gateways[round % 2] = await startGatewayProcess({ DATABASE_URL: server.url });
    }
    return verdictOf(writers);
  }, startLoad);

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
      'PostgreSQL killed with -9 under load, 5 times: no acknowledged write lost, none half applied; writes flow within 5 s of its start',
    measure: () =>
      underLoad(async ({ server, writers }) => {
        const recoveries: number[] = [];
        for (let round = 0; round < 5; round += 1) {
          await more(writers, 40);
          await server.kill();
          await server.start();
          const started = Date.now();
          await more(writers, 0);
          recoveries.push(Date.now() - started);
        }
        const { figure, holds } = await verdictOf(writers);
        const slowest = Math.max(...recoveries);
        return { figure: `${figure}; again after ${slowest} ms at most`, holds: holds && slowest < 5000 };
      }),
  },
];
