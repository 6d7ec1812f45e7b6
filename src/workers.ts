import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { Config } from './config.ts';
import { listenForMetrics } from './http/listen.ts';
import { createMetricsServer } from './http/log/metrics.ts';
import { createLog } from './telemetry/log.ts';
import { metricsOfWorkers } from './telemetry/metrics.ts';

/** Tells a worker to stop: signals may reach a whole group of processes, and would come twice. */
export const stopMessage = 'stop';

/** How long all workers together have to end behind DRAIN_DELAY: longer than each of them has. */
const closingMs = 9500;
/** A worker that lived for as long did not die of its start. */
const soundMs = 30_000;
const [firstWaitMs, longestWaitMs] = [250, 30_000];

/** Runs the gateway in several processes that share one port. One that dies is replaced, after a pause that grows while they die young. */
export async function runWorkers({ workers: count, metrics, logLevel, drainDelay }: Config): Promise<void> {
  const log = createLog(logLevel);
  const metricsServer = metrics && createMetricsServer(metricsOfWorkers());
  const listening = new Map<Worker, { readonly since: number; readonly url: string }>();
  let isStopping = false;
  let diedYoung = 0;

  cluster.on('listening', (worker, { address, port }) => listening.set(worker, { since: Date.now(), url: `http://${address.includes(':') ? `[${address}]` : address}:${port}` }));
  cluster.on('exit', (worker, code, signal) => {
    const lived = listening.get(worker);
    listening.delete(worker);
    if (isStopping) return;
    diedYoung = lived && Date.now() - lived.since > soundMs ? 0 : diedYoung + 1;
    const waitMs = diedYoung === 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (diedYoung - 1));
    log.error({ worker: worker.process.pid, code, signal, waitMs }, 'a worker ended and is replaced');
    void pause(waitMs).then(() => (isStopping ? undefined : cluster.fork()));
  });

  closeWithGrace({ delay: drainDelay * 1000 + closingMs, logger: log }, async ({ err }) => {
    isStopping = true;
    if (err) log.error({ err }, 'stopping after an error');
    const codes = await Promise.all(Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? [stop(worker, listening.has(worker))] : [])));
    await metricsServer?.close();
    if (codes.some((code) => code !== 0)) throw new Error('A worker did not end in order.');
  });

  // One alone at first: what keeps the gateway from starting is told once.
  const first = cluster.fork();
  const failed = once(first, 'exit') as Promise<[number | null]>;
  const code = await Promise.race([once(first, 'listening').then(() => undefined), failed.then(([ended]) => ended ?? 1)]);
  if (code !== undefined) process.exit(code);
  for (let index = 1; index < count; index += 1) cluster.fork();
  while (listening.size < count) await once(cluster, 'listening');
  await listenForMetrics(metricsServer, metrics);
  log.info(`The gateway is ready at ${[...listening.values()][0]?.url}/graphql, with ${count} workers`);
}

/** Its exit code; one that serves nobody yet is not asked. */
async function stop(worker: Worker, isServing: boolean): Promise<number> {
  if (worker.isDead()) return 0;
  const ended = once(worker, 'exit') as Promise<[number | null]>;
  if (isServing && worker.isConnected()) worker.send(stopMessage);
  else worker.process.kill('SIGKILL');
  const [code] = await ended;
  return isServing ? (code ?? 1) : 0;
}
