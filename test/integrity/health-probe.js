// Asks an address every 10 ms for a while and tells how long 99 of 100 questions waited at most; run as a worker.
import { parentPort, workerData } from 'node:worker_threads';

const { url, ms } = workerData;
const end = performance.now() + ms;
const waits = [];
while (performance.now() < end) {
  const asked = performance.now();
  await (await fetch(url)).text();
  waits.push(performance.now() - asked);
  await new Promise((resolve) => setTimeout(resolve, 10));
}
parentPort.postMessage(waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)]);
