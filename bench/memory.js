// Measures the memory of a gateway whose store in memory was filled from a file with events of ten guests, after a collection
// of garbage. Build first; run: node bench/memory.js [events]
import { setTimeout as pause } from 'node:timers/promises';
import { createEvent } from './compare/data.js';
import { startServer } from './compare/process.js';

const manyEvents = Number(process.argv[2] ?? 100_000);
/** Time in ms for a collection of garbage, which the signal starts. */
const collectionMs = 5000;
const collectOnSignal = "data:text/javascript,process.on('SIGWINCH',()=>globalThis.gc())";

/** Measures a gateway with a number of events. All figures are in MB. */
async function measureMemory(count) {
  const server = await startServer({
    name: 'gateway',
    count,
    nodeArgs: ['--expose-gc', `--import=${collectOnSignal}`],
  });
  try {
    server.signal('SIGWINCH');
    await pause(collectionMs);
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const heapBytes = Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)[1]);
    return { heap: heapBytes / 1e6, resident: server.readMemoryMb(), peak: server.readPeakMemoryMb() };
  } finally {
    await server.stop('SIGKILL');
  }
}

const [few, many] = [await measureMemory(1), await measureMemory(manyEvents)];
const jsonBytes = Buffer.byteLength(JSON.stringify(createEvent(manyEvents - 1)));
const eventBytes = ((many.heap - few.heap) * 1e6) / (manyEvents - 1);
const mb = (value) => `${value.toFixed(0)} MB`;
console.log(`Node.js ${process.version}, ${manyEvents} events of ${jsonBytes} bytes of JSON

| | 1 event | ${manyEvents} events |
|---|---|---|
| heap in use | ${mb(few.heap)} | ${mb(many.heap)} |
| resident memory at the end | ${mb(few.resident)} | ${mb(many.resident)} |
| resident memory at most | ${mb(few.peak)} | ${mb(many.peak)} |

An event takes ${eventBytes.toFixed(0)} bytes of the heap. 1 GB of live heap holds ${Math.floor((1e9 - few.heap * 1e6) / eventBytes)} events.`);
