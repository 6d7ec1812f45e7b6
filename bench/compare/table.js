// Statistics and Markdown tables of the benches.
export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
export const percentile = (sorted, fraction) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;

/** Formats a median with minimum and maximum. */
export const spread = (list, digits) => {
  const sorted = list.toSorted((a, b) => a - b);
  const [medianText, min, max] = [median(sorted), sorted[0], sorted.at(-1)].map((value) =>
    value.toFixed(digits),
  );
  return `${medianText} (${min} to ${max})`;
};

/** Prints a Markdown table: medians of all rounds, and the CPU of each server relative to the gateway in the same round. */
export function printTable(title, rows) {
  const gateway = rows.find(({ server }) => server === 'gateway') ?? rows[0];
  console.log(
    `\n### ${title}\n\n| server | µs CPU | × ${gateway.server} | requests/s | p50 ms | p99 ms | MB |\n|---|---|---|---|---|---|---|`,
  );
  for (const { server, rounds, memory } of rows) {
    const formatMedian = (name, digits) => median(rounds.map((round) => round[name])).toFixed(digits);
    const ratios = rounds.map(({ cpu }, round) => cpu / gateway.rounds[round].cpu);
    console.log(
      `| ${server} | ${formatMedian('cpu', 0)} | ${spread(ratios, 2)} | ${formatMedian('rps', 0)} | ${formatMedian('p50', 1)} | ${formatMedian('p99', 1)} | ${memory.toFixed(0)} |`,
    );
  }
}
