// What is measured: gateways and the servers beside them as processes of their own, and the limit without any server.
import { fileURLToPath } from 'node:url';
import { load } from '../compare/load.js';
import { cpuOf, startServer } from '../compare/process.js';
import { createLimit } from './plain.js';

const script = fileURLToPath(new URL('servers.js', import.meta.url));

/** Starts a server on a database. */
export const startOn = (url, name) =>
  startServer({ name, seed: null, script, args: [url], env: { DATABASE_URL: url } });

/** Servers of one kind that share the requests; PostgreSQL knows them by `application`. */
export function sharing({ name, application = name, servers }) {
  return {
    name,
    application,
    async ask({ token, body }) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const { data, errors } = await (
        await fetch(`http://127.0.0.1:${servers[0].port}/graphql`, { method: 'POST', headers, body })
      ).json();
      if (errors) throw new Error(`${name}: ${JSON.stringify(errors).slice(0, 1000)}`);
      return data;
    },
    async run({ callers, requests, requestOf }) {
      const share = (amount, index) => Math.floor((amount + index) / servers.length);
      const all = await Promise.all(
        servers.map(({ port }, index) =>
          load({
            port,
            connections: share(callers, index),
            requests: share(requests, index),
            requestOf,
            awake: false,
          }),
        ),
      );
      return all.flat();
    },
    cpu: () => servers.reduce((sum, server) => sum + server.cpu(), 0),
    stop: () => Promise.all(servers.map((server) => server.stop('SIGKILL'))),
  };
}

/** The limit's statements, straight from this process: its CPU is that of the driver and of the bench. */
export function withoutServer({ name, application = name, url, counted }) {
  const limit = createLimit(url, { counted });
  const answer = async ({ operation, field, owner, variables }) => ({
    [field]: await limit[operation](owner, variables),
  });
  return {
    name,
    application,
    ask: answer,
    async run({ callers, requests, requestOf }) {
      const times = [];
      let sent = 0;
      const caller = async () => {
        while (sent < requests) {
          sent += 1;
          const request = requestOf();
          const started = performance.now();
          JSON.stringify(await answer(request));
          times.push(performance.now() - started);
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return times;
    },
    cpu: () => cpuOf(process.pid),
    stop: () => limit.end(),
  };
}
