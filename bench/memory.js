// Measures the memory of a gateway after a garbage collection. Its store in memory was filled from a file
// with events of ten guests. Build first; run: node bench/memory.js [events]
import { setTimeout as pause } from 'node:timers/promises';
import { createEvent } from './compare/data.js';
import { startServer } from './compare/process.js';
import { printGoals } from './compare/table.js';

const eventCount = Number(process.argv.slice(2).find((option) => /^\d+$/.test(option)) ?? 100_000);
/** Time for the garbage collection that the signal starts. */
const collectionMs = 5000;
const collectOnSignal = "data:text/javascript,process.on('SIGWINCH',()=>globalThis.gc())";

/** Measures a gateway with a number of events. `residentMb` and `peakMb`: resident memory, now and at most. */
async function measureMemory(count) {
  const server = await startServer({
    name: 'gateway',
    count,
    nodeArgs: ['--expose-gc', `--import=${collectOnSignal}`],
  });
  try {
    server.sendSignal('SIGWINCH');
    await pause(collectionMs);
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const heapBytes = Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)[1]);
    return { heapMb: heapBytes / 1e6, residentMb: server.readMemoryMb(), peakMb: server.readPeakMemoryMb() };
  } finally {
    await server.stop('SIGKILL');
  }
}

const [singleEventFigures, manyEventsFigures] = [await measureMemory(1), await measureMemory(eventCount)];
const jsonBytes = Buffer.byteLength(JSON.stringify(createEvent(eventCount - 1)));
const eventBytes = ((manyEventsFigures.heapMb - singleEventFigures.heapMb) * 1e6) / (eventCount - 1);
const formatMb = (value) => `${value.toFixed(0)} MB`;
console.log(`Node.js ${process.version}, ${eventCount} events of ${jsonBytes} bytes of JSON

| | 1 event | ${eventCount} events |
|---|---|---|
| heap in use | ${formatMb(singleEventFigures.heapMb)} | ${formatMb(manyEventsFigures.heapMb)} |
| resident memory at the end | ${formatMb(singleEventFigures.residentMb)} | ${formatMb(manyEventsFigures.residentMb)} |
| resident memory at most | ${formatMb(singleEventFigures.peakMb)} | ${formatMb(manyEventsFigures.peakMb)} |

An event takes ${eventBytes.toFixed(0)} bytes of the heap. 1 GB of live heap holds ${Math.floor((1e9 - singleEventFigures.heapMb * 1e6) / eventBytes)} events.`);
// The data counts twice, since V8 keeps a text and its objects.
const maxHeapMb = (1.2 * 2 * jsonBytes * eventCount) / 1e6 + 200;
if (eventCount === 100_000)
  printGoals([
    { title: 'heap in use, MB', values: [manyEventsFigures.heapMb], max: Math.round(maxHeapMb) },
    { title: 'resident memory at the end, MB', values: [manyEventsFigures.residentMb], max: 1000 },
    { title: 'resident memory at most, MB', values: [manyEventsFigures.peakMb], max: 1200 },
  ]);
