export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
export const percentile = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/** A median with the least and the most. */
export const spread = (list, digits) => {
  const sorted = list.toSorted((a, b) => a - b);
  const [middle, least, most] = [median(sorted), sorted[0], sorted.at(-1)].map((value) =>
    value.toFixed(digits),
  );
  return `${middle} (${least} to ${most})`;
};

/**
 * One table in Markdown: medians of all rounds, and the CPU of each server as a multiple of what the gateway used in the same
 * round, with the least and the most.
 */
export function printTable(title, rows) {
  const gateway = rows.find(({ server }) => server === 'gateway') ?? rows[0];
  console.log(
    `\n### ${title}\n\n| server | µs CPU | × ${gateway.server} | requests/s | p50 ms | p99 ms | MB |\n|---|---|---|---|---|---|---|`,
  );
  for (const { server, rounds, memory } of rows) {
    const of = (name, digits) => median(rounds.map((one) => one[name])).toFixed(digits);
    const ratios = rounds.map(({ cpu }, round) => cpu / gateway.rounds[round].cpu);
    console.log(
      `| ${server} | ${of('cpu', 0)} | ${spread(ratios, 2)} | ${of('rps', 0)} | ${of('p50', 1)} | ${of('p99', 1)} | ${memory.toFixed(0)} |`,
    );
  }
}
