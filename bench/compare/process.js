// Starts a server as a separate process, possibly on one core, and measures its CPU and memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { secret, createSeed } from './data.js';

const resolvePath = (name) => fileURLToPath(new URL(name, import.meta.url));

const maxStartMs = 60_000;
const pollMs = 50;
const { scripts } = JSON.parse(readFileSync(resolvePath('../../package.json'), 'utf8'));
/** Arguments of Node.js in `npm start`, between the program and its file. All servers get them. */
const startArgs = scripts.start.split(' ').slice(1, -1);
/** Environment of the gateway in production, with a rate limit that is never reached. */
const gatewayEnv = {
  AUTH_JWT_SECRET: secret,
  SIGNING_SECRET: secret,
  PORT: '0',
  RATE_LIMIT: '999999999',
  DRAIN_DELAY: '0',
  NODE_ENV: 'production',
};

/** Returns the CPU time of a thread in µs. */
const readThreadCpuUs = (pid, thread) =>
  Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000;

/** Returns the CPU time of all threads of a process in µs (schedstat counts nanoseconds). */
export function readCpuUs(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + readThreadCpuUs(pid, thread), 0);
}

/**
 * Starts a server as a process, and waits until it is ready.
 * `name`: `gateway`, `gateway@FOLDER` (built in another checkout), or a server of `script`, which gets its
 * name and `args`.
 * `core`: number of the core on which the server runs; by default any.
 * `count`: number of events. `seed`: data of a gateway, by default these events; null for none.
 * `nodeArgs`: further arguments of Node.js.
 */
export async function startServer({
  name,
  core,
  count,
  seed = createSeed(count),
  script: serversScript = resolvePath('servers.js'),
  args = [String(count)],
  env = {},
  nodeArgs = [],
}) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const [seedFile, logFile] = [join(folder, 'seed.json'), join(folder, 'log')];
  const isGateway = name.startsWith('gateway');
  if (isGateway && seed) writeFileSync(seedFile, JSON.stringify(seed));
  const [, checkout] = name.split('@');
  const scriptArgs = isGateway
    ? [checkout ? `${checkout}/dist/main.js` : resolvePath('../../dist/main.js')]
    : [serversScript, name, ...args];
  const command = [
    ...(core === undefined ? [] : ['taskset', '-c', String(core)]),
    process.execPath,
    ...startArgs,
    ...nodeArgs,
    ...scriptArgs,
  ];
  const child = spawn(command[0], command.slice(1), {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      ...(isGateway && { ...gatewayEnv, ...(seed && { SEED_FILE: seedFile }), XDG_STATE_HOME: folder }),
      ...env,
    },
    stdio: ['ignore', openSync(logFile, 'w'), openSync(logFile, 'a')],
  });
  let port;
  for (let waitedMs = 0; port === undefined; waitedMs += pollMs) {
    const log = readFileSync(logFile, 'utf8');
    port = /ready at http:\/\/[\d.]+:(\d+)/.exec(log)?.[1];
    if (child.exitCode !== null || waitedMs > maxStartMs)
      throw new Error(`${name} did not start: ${log.slice(0, 2000)}`);
    await pause(pollMs);
  }
  const readStatusMb = (field) =>
    Number(
      new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1],
    ) / 1024;
  return {
    name,
    port: Number(port),
    readCpuUs: () => readCpuUs(child.pid),
    readMainThreadUs: () => readThreadCpuUs(child.pid, child.pid),
    /** Returns the resident memory in MB. */
    readMemoryMb: () => readStatusMb('VmRSS'),
    readPeakMemoryMb: () => readStatusMb('VmHWM'),
    sendSignal: (signal) => child.kill(signal),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
