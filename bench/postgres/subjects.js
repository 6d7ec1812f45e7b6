// Subjects of the measurements: gateways and other servers as separate processes, and the limit without a server.
import { fileURLToPath } from 'node:url';
import { load } from '../compare/load.js';
import { cpuOf, startServer } from '../compare/process.js';
import { createBaseline } from './plain.js';

const script = fileURLToPath(new URL('servers.js', import.meta.url));

export const startServerOn = (url, name) =>
  startServer({ name, seed: null, script, args: [url], env: { DATABASE_URL: url } });

/** Creates a subject of several equal servers that share the requests. `application`: their `application_name`. */
export function createSubject({ name, application = name, servers }) {
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
      const times = await Promise.all(
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
      return times.flat();
    },
    cpu: () => servers.reduce((sum, server) => sum + server.cpu(), 0),
    stop: () => Promise.all(servers.map((server) => server.stop('SIGKILL'))),
  };
}

/** Creates a subject that runs the limit's statements in this process: its CPU includes driver and bench. */
export function createLimitSubject({ name, application = name, url, counted }) {
  const limit = createBaseline(url, { counted });
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
