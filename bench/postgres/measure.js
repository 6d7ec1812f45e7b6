// Requests, and the measurement of a round of them on one subject.
import { percentile } from '../compare/table.js';
import { cpuOf } from '../compare/process.js';
import { operations } from './data.js';

function requestWith(operation, { name }, token, variables) {
  const { query, field } = operations[operation];
  const body = JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables });
  return { operation, field, owner: `${name}@example.com`, variables, token, body };
}

/** Creates a function that makes requests for a random event or week of a random calendar. */
export const requestsFor = (calendars, tokens, operation) => () => {
  const index = Math.floor(Math.random() * calendars.length);
  return requestWith(
    operation,
    calendars[index],
    tokens[index],
    operations[operation].variables(calendars[index]),
  );
};

/** Creates a request for each week of the calendars. */
export const everyWeek = (calendars, tokens) =>
  calendars.flatMap((calendar, index) =>
    operations.week.all(calendar).map((variables) => requestWith('week', calendar, tokens[index], variables)),
  );

/** Returns the CPU time in µs of the PostgreSQL processes that serve an application; NaN if they run on another machine. */
async function databaseCpu(database, application) {
  const rows = await database.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
    application,
  ]);
  try {
    return new Map(rows.map(({ pid }) => [pid, cpuOf(pid)]));
  } catch {
    return new Map([[0, Number.NaN]]);
  }
}

/**
 * Measures one round after a short warm-up: median and p95 in ms, operations per second, and ms of CPU per operation of
 * the server and of the database.
 */
export async function measure(database, subject, { callers, requests, requestOf }) {
  await subject.run({ callers, requests: Math.max(20, callers * 2), requestOf });
  const before = await databaseCpu(database, subject.application);
  const [cpu, start] = [subject.cpu(), performance.now()];
  const times = (await subject.run({ callers, requests, requestOf })).sort((a, b) => a - b);
  const [seconds, serverCpu] = [(performance.now() - start) / 1000, subject.cpu() - cpu];
  const after = await databaseCpu(database, subject.application);
  const databaseUs = [...after].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0);
  return {
    median: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    rate: times.length / seconds,
    server: serverCpu / times.length / 1000,
    database: databaseUs / times.length / 1000,
  };
}
