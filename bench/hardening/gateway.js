// Starts a built gateway as a separate process, like an operator, and observes it from outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';

const mainScript = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const jwtSecret = 'a secret for attacks that has 32 bytes or more';
const scopePrefix = 'https://www.googleapis.com/auth/';
/** Whether this is a quick run. Other tests use the machine: time limits only detect a request that hangs. */
export const isQuick = process.argv.includes('quick');
/** Returns the limit of a time (ms): ten times as much in a quick run. */
export const scaleLimitMs = (limitMs) => (isQuick ? 10 * limitMs : limitMs);
const maxStartMs = 60_000;
const pollMs = 50;
/** Running gateways and their folders, which a suite that is stopped early must not leave behind. */
const foldersByProcess = new Map();
process.once('SIGTERM', () => process.exit(1));
process.once('exit', () => {
  for (const [child, folder] of foldersByProcess) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
/** Larger responses are only measured, not decoded. */
const maxDecodedBytes = 50_000_000;

/** Signs a token. `claims` override its default claims. */
export const signToken = (email, claims = {}, secret = jwtSecret) =>
  new SignJWT({
    sub: `sub of ${email}`,
    email,
    scope: `${scopePrefix}calendar ${scopePrefix}cloud-platform`,
    exp: Math.floor(Date.now() / 1000) + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(secret));

/**
 * Starts a gateway on a free port, with additional environment variables. It checks tokens with the secret of `signToken`;
 * a demo gateway has its own secret and data.
 */
export async function startGateway({ env = {}, seed, isDemo = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hardening-'));
  const logFile = join(folder, 'log');
  const seedFile = join(folder, 'seed.json');
  if (seed) writeFileSync(seedFile, JSON.stringify(seed));
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [mainScript], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      XDG_STATE_HOME: folder,
      // A gateway without a secret for tokens is a demo.
      ...(isDemo ? { demo: 'yes' } : { AUTH_JWT_SECRET: jwtSecret }),
      ...(seed && { SEED_FILE: seedFile }),
      ...env,
    },
    stdio: ['ignore', log, log],
  });
  foldersByProcess.set(child, folder);
  let exitStatus;
  const exitPromise = once(child, 'exit').then(([code, signal]) => (exitStatus = code ?? signal));
  const readLog = () => readFileSync(logFile, 'utf8');
  let url;
  for (let waitedMs = 0; !url; waitedMs += pollMs) {
    url = /(http:\/\/[\d.]+:\d+)\/(?:graphql|explorer|demo)/.exec(readLog())?.[1];
    if (exitStatus !== undefined || waitedMs > maxStartMs)
      throw new Error(`the gateway did not start: ${readLog().slice(0, 500)}`);
    await pause(pollMs);
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const port = Number(new URL(url).port);
  return {
    url,
    port,
    agent,
    child,
    /** Resolves to the exit code or signal of the process. */
    exitPromise,
    readLog,
    isAlive: () => exitStatus === undefined,
    send: (options) => sendRequest({ port, agent, ...options }),
    async sendGraphql(query, variables, { token, timeoutMs, ...headers } = {}) {
      const { headers: contentType, ...graphql } = createGraphqlRequest(query, variables);
      const response = await sendRequest({
        port,
        agent,
        ...graphql,
        timeoutMs,
        headers: { ...contentType, ...(token && { authorization: `Bearer ${token}` }), ...headers },
      });
      return { ...response, json: parseJson(response.body) };
    },
    /** Returns the longest stall of the event loop in ms since the last call. */
    async readStallMs() {
      const { body } = await sendRequest({ port, path: '/metrics', timeoutMs: 30_000 });
      const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(body)?.[1] ?? Number.NaN;
      return Math.round(Number(seconds) * 1000);
    },
    /** Returns the resident memory in MB: now, and the peak since `resetPeak`. */
    readMemory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const readMb = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
      return { currentMb: readMb('VmRSS'), peakMb: readMb('VmHWM') };
    },
    /** Resets the peak of the resident memory (Linux: 5 in clear_refs). */
    resetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    async stop(signal = 'SIGKILL') {
      agent.destroy();
      if (exitStatus === undefined) child.kill(signal);
      await exitPromise;
      foldersByProcess.delete(child);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Calls `check` with a new gateway and stops the gateway afterwards. */
export async function withGateway(settings, check) {
  const gateway = await startGateway(settings);
  try {
    return await check(gateway);
  } finally {
    await gateway.stop();
  }
}

/** Builds the HTTP request of a GraphQL operation. */
export const createGraphqlRequest = (query, variables) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables }),
});

/** Parses JSON; undefined if the text is something else. */
export const parseJson = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Sends a request. Resolves to `{ status: 0, fault }` if there is no response in time. */
function sendRequest({
  port,
  agent,
  method = 'GET',
  path = '/',
  headers = {},
  body,
  host = '127.0.0.1',
  timeoutMs = scaleLimitMs(20_000),
}) {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const finish = (result) =>
      resolve({
        ms: Math.round(performance.now() - startedAt),
        headers: {},
        body: '',
        bytes: 0,
        ...result,
      });
    const finishWithFault = (fault) => finish({ status: 0, fault });
    request(
      { host, port, agent, method, path, headers, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        const chunks = [];
        response
          .on('data', (chunk) => chunks.push(chunk))
          .on('end', () => {
            const content = Buffer.concat(chunks);
            finish({
              status: response.statusCode,
              headers: response.headers,
              body: content.length > maxDecodedBytes ? '' : content.toString(),
              bytes: content.length,
            });
          })
          .on('error', (error) => finishWithFault(error.code ?? error.message));
      },
    )
      .on('error', (error) =>
        finishWithFault(
          error.name === 'TimeoutError' ? 'no response in time' : (error.code ?? error.message),
        ),
      )
      .end(body);
  });
}

/** Returns the code of the first error of a response, `OK`, or the status. */
export const outcomeOf = ({ status, fault, body, json = parseJson(body) }) =>
  json?.errors?.[0]?.extensions?.code ?? (status === 200 ? 'OK' : `${status}${fault ? ` ${fault}` : ''}`);
