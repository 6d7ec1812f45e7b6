// Statistics and Markdown tables of the benches.
/** Returns the middle value; for an even number of values, the larger one of the two in the middle. */
export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
/** Returns the value at a fraction (0 to 1) of sorted values. */
export const percentile = (sorted, fraction) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;

/** Formats a median with minimum and maximum. */
export const formatSpread = (values, digits) => {
  const sorted = values.toSorted((a, b) => a - b);
  const [medianText, min, max] = [median(sorted), sorted[0], sorted.at(-1)].map((value) =>
    value.toFixed(digits),
  );
  return `${medianText} (${min} to ${max})`;
};

/**
 * Prints goals. `values`: the figure in each round, of which the median must be at most `max`. `limitValues`: the
 * same figure of the limit, if it was measured.
 */
export function printGoals(goals) {
  console.log('\n| figure | measured | goal | | the limit |\n|---|---|---|---|---|');
  for (const { title, values, max, limitValues } of goals)
    console.log(
      `| ${title} | ${formatSpread(values, 2)} | ≤ ${max} | ${median(values) <= max ? 'reached' : 'missed'} | ${limitValues ? formatSpread(limitValues, 2) : ''} |`,
    );
}

/**
 * Prints a Markdown table with one row for each server: medians of all rounds. The columns with × compare CPU
 * time, p99 and p99 of the main thread's CPU with the gateway in the same round. The last column: the most
 * cores that other processes used in a round.
 */
export function printTable(title, rows) {
  const gateway = rows.find(({ server }) => server === 'gateway') ?? rows[0];
  console.log(
    `\n### ${title}\n\n| server | µs CPU | × ${gateway.server} | requests/s | p50 ms | p99 ms | × p99 | p99 of main thread's CPU, ms | × p99 of CPU | MB | other cores |\n|---|---|---|---|---|---|---|---|---|---|---|`,
  );
  for (const { server, rounds, memoryMb } of rows) {
    const formatMedian = (figure, digits) => median(rounds.map((round) => round[figure])).toFixed(digits);
    const formatRatios = (figure) =>
      formatSpread(
        rounds.map((round, index) => round[figure] / gateway.rounds[index][figure]),
        2,
      );
    const otherCores = Math.max(...rounds.map((round) => round.otherCores));
    console.log(
      `| ${server} | ${formatMedian('cpuUs', 0)} | ${formatRatios('cpuUs')} | ${formatMedian('requestsPerSecond', 0)} | ${formatMedian('p50Ms', 1)} | ${formatMedian('p99Ms', 1)} | ${formatRatios('p99Ms')} | ${formatMedian('p99CpuMs', 1)} | ${formatRatios('p99CpuMs')} | ${memoryMb.toFixed(0)} | ${otherCores.toFixed(2)} |`,
    );
  }
}
