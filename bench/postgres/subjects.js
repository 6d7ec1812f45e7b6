// Subjects of the measurements: gateways and other servers as separate processes, and the limit (see
// limit.js), which has no server.
import { fileURLToPath } from 'node:url';
import { generateLoad } from '../compare/load.js';
import { readCpuUs, startServer } from '../compare/process.js';
import { createLimitOperations } from './limit.js';

const serversScript = fileURLToPath(new URL('servers.js', import.meta.url));

/** Starts a gateway or another server on a database. */
export const startServerOn = (url, name, env = {}) =>
  startServer({ name, seed: null, script: serversScript, args: [url], env: { DATABASE_URL: url, ...env } });

/** Creates a subject of equal servers that share the requests. `application`: their `application_name`. */
export function createSubject({ name, application = name, servers }) {
  return {
    name,
    application,
    async send({ token, body }) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const { data, errors } = await (
        await fetch(`http://127.0.0.1:${servers[0].port}/graphql`, { method: 'POST', headers, body })
      ).json();
      if (errors) throw new Error(`${name}: ${JSON.stringify(errors).slice(0, 1000)}`);
      return data;
    },
    async run({ callers, requests, requestOf }) {
      // The last servers get one more if the servers cannot share the amount equally.
      const computeShare = (amount, index) => Math.floor((amount + index) / servers.length);
      const results = await Promise.all(
        servers.map(({ port }, index) =>
          generateLoad({
            port,
            connections: computeShare(callers, index),
            requests: computeShare(requests, index),
            requestOf,
            // The generators share this process, so none may occupy it while it waits.
            staysAwake: false,
            answersFirst: false,
          }),
        ),
      );
      return results.flatMap(({ times }) => times);
    },
    readCpuUs: () => servers.reduce((sum, server) => sum + server.readCpuUs(), 0),
    stop: () => Promise.all(servers.map((server) => server.stop('SIGKILL'))),
  };
}

/**
 * Creates a subject that runs the operations of the limit in this process, so that its CPU time includes the
 * driver and the bench.
 */
export function createLimitSubject({ name, application = name, url, countsChanges }) {
  const limitOperations = createLimitOperations(url, { countsChanges });
  const runRequest = async ({ operation, field, owner, variables }) => ({
    [field]: await limitOperations[operation](owner, variables),
  });
  return {
    name,
    application,
    send: runRequest,
    async run({ callers, requests, requestOf }) {
      const times = [];
      let sentCount = 0;
      const runCaller = async () => {
        while (sentCount < requests) {
          sentCount += 1;
          const request = requestOf();
          const startedAt = performance.now();
          // Writes the response as JSON, like a server.
          JSON.stringify(await runRequest(request));
          times.push(performance.now() - startedAt);
        }
      };
      await Promise.all(Array.from({ length: callers }, runCaller));
      return times;
    },
    readCpuUs: () => readCpuUs(process.pid),
    stop: () => limitOperations.end(),
  };
}
