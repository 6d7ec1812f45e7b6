// Clients that ask as fast as they are answered; run as a worker.
import { Agent } from 'node:http';
import { workerData } from 'node:worker_threads';
import { send } from './gateway.js';

const { port, clients, ms } = workerData;
const until = performance.now() + ms;

async function client() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (performance.now() < until) {
    await send({
      port,
      agent,
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    });
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: clients }, client));
