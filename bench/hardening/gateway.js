// A built gateway as a process of its own, as an operator starts it, and what can be seen of it from outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
export const secret = 'a secret for attacks that has 32 bytes or more';
const prefix = 'https://www.googleapis.com/auth/';

/** A signed token; `claims` replace what it says. */
export const tokenOf = (email, claims = {}, signedWith = secret) => {
  const seconds = Math.floor(Date.now() / 1000);
  return new SignJWT({
    sub: `sub of ${email}`,
    email,
    scope: `${prefix}calendar ${prefix}cloud-platform`,
    exp: seconds + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(signedWith));
};

/** Starts a gateway on a free port with these variables beside a shared secret; `seed` is what it starts from. */
export async function startGateway({ env = {}, seed } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hardening-'));
  const logFile = join(folder, 'log');
  const seedFile = join(folder, 'seed.json');
  if (seed) writeFileSync(seedFile, JSON.stringify(seed));
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      XDG_STATE_HOME: folder,
      ...(env.demo ? {} : { AUTH_JWT_SECRET: secret }),
      ...(seed && { SEED_FILE: seedFile }),
      ...env,
    },
    stdio: ['ignore', log, log],
  });
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  let exit;
  void ended.then((code) => (exit = code));
  const readLog = () => readFileSync(logFile, 'utf8');
  let url;
  for (let waited = 0; !url; waited += 50) {
    url = /(http:\/\/[\d.]+:\d+)\/(?:graphql|explorer|demo)/.exec(readLog())?.[1];
    if (exit !== undefined || waited > 60_000)
      throw new Error(`the gateway did not start: ${readLog().slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const port = Number(new URL(url).port);
  return {
    url,
    port,
    agent,
    child,
    ended,
    readLog,
    alive: () => exit === undefined,
    send: (options) => send({ port, agent, ...options }),
    /** One GraphQL request. */
    async ask(query, variables, { token, timeoutMs, ...headers } = {}) {
      const { headers: type, ...request } = graphqlRequest(query, variables);
      const answer = await send({
        port,
        agent,
        ...request,
        timeoutMs,
        headers: { ...type, ...(token && { authorization: `Bearer ${token}` }), ...headers },
      });
      return { ...answer, json: parsed(answer.body) };
    },
    /** The longest stall of the event loop in ms since this was last asked. */
    async stall() {
      const { body } = await send({
        port,
        agent: undefined,
        method: 'GET',
        path: '/metrics',
        timeoutMs: 30_000,
      });
      return Math.round(
        Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(body)?.[1] ?? Number.NaN) * 1000,
      );
    },
    /** Resident memory in MB: now, and the most since `resetPeak`. */
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
      return { now: field('VmRSS'), peak: field('VmHWM') };
    },
    resetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    async stop(signal = 'SIGKILL') {
      agent.destroy();
      if (exit === undefined) child.kill(signal);
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** A GraphQL request as it is sent. */
export const graphqlRequest = (query, variables) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables }),
});

const parsed = (body) => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** One request; `{ status: 0 }` with the fault where there is no answer in time. */
export function send({
  port,
  agent,
  method = 'GET',
  path = '/',
  headers = {},
  body,
  host = '127.0.0.1',
  timeoutMs = 20_000,
}) {
  return new Promise((resolve) => {
    const started = performance.now();
    const done = (answer) =>
      resolve({ ms: Math.round(performance.now() - started), headers: {}, body: '', bytes: 0, ...answer });
    const sent = request(
      { host, port, agent, method, path, headers, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        const parts = [];
        response
          .on('data', (part) => parts.push(part))
          .on('end', () => {
            const all = Buffer.concat(parts);
            done({
              status: response.statusCode,
              headers: response.headers,
              body: all.length > 50_000_000 ? '' : all.toString(),
              bytes: all.length,
            });
          })
          .on('error', (error) => done({ status: 0, fault: error.code ?? error.message }));
      },
    );
    sent.on('error', (error) =>
      done({
        status: 0,
        fault: error.name === 'TimeoutError' ? 'no answer in time' : (error.code ?? error.message),
      }),
    );
    sent.end(body);
  });
}

/** Code and reason of the first error of an answer. */
export const codeOf = ({ status, fault, body, json = parsed(body) }) =>
  json?.errors?.[0]?.extensions?.code ?? (status === 200 ? 'OK' : `${status}${fault ? ` ${fault}` : ''}`);
