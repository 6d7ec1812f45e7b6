// Starts a built gateway as a separate process, like an operator, and observes it from outside.
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

/** Signs a token. `claims` override its default claims. */
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

/** Starts a gateway on a free port with a shared secret and additional environment variables. */
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
    /** Sends a GraphQL request. */
    async ask(query, variables, { token, timeoutMs, ...headers } = {}) {
      const { headers: type, ...request } = graphqlRequest(query, variables);
      const answer = await send({
        port,
        agent,
        ...request,
        timeoutMs,
        headers: { ...type, ...(token && { authorization: `Bearer ${token}` }), ...headers },
      });
      return { ...answer, json: parseJson(answer.body) };
    },
    /** Returns the longest stall of the event loop in ms since the last call. */
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
    /** Returns the resident memory in MB: now, and the peak since `resetPeak`. */
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

/** Builds the HTTP request of a GraphQL operation. */
export const graphqlRequest = (query, variables) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables }),
});

const parseJson = (body) => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Sends a request. Resolves to `{ status: 0, fault }` if there is no response in time. */
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
            const content = Buffer.concat(parts);
            done({
              status: response.statusCode,
              headers: response.headers,
              body: content.length > 50_000_000 ? '' : content.toString(),
              bytes: content.length,
            });
          })
          .on('error', (error) => done({ status: 0, fault: error.code ?? error.message }));
      },
    );
    sent.on('error', (error) =>
      done({
        status: 0,
        fault: error.name === 'TimeoutError' ? 'no response in time' : (error.code ?? error.message),
      }),
    );
    sent.end(body);
  });
}

/** Returns the code of the first error of a response, `OK`, or the status. */
export const codeOf = ({ status, fault, body, json = parseJson(body) }) =>
  json?.errors?.[0]?.extensions?.code ?? (status === 200 ? 'OK' : `${status}${fault ? ` ${fault}` : ''}`);
