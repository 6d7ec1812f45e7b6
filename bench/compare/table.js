export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
export const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/** One table in Markdown: medians, and the CPU of each server as a multiple of the gateway's. */
export function printTable(title, rows) {
  const gateway = rows.find(({ server }) => server === 'gateway') ?? rows[0];
  console.log(`\n### ${title}\n\n| server | µs CPU | × ${gateway.server} | requests/s | p50 ms | p99 ms | MB |\n|---|---|---|---|---|---|---|`);
  for (const { server, cpu, rps, p50, p99, memory } of rows) {
    console.log(`| ${server} | ${cpu.toFixed(0)} | ${(cpu / gateway.cpu).toFixed(2)} | ${rps.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${memory.toFixed(0)} |`);
  }
}
