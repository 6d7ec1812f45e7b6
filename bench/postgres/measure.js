// A round of requests to one subject, and what it used.
import { percentile } from '../compare/table.js';
import { cpuOf } from '../compare/process.js';
import { operations } from './data.js';

function requestWith(operation, { name }, token, variables) {
  const { query, field } = operations[operation];
  const body = JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables });
  return { operation, field, owner: `${name}@example.com`, variables, token, body };
}

/** Makes requests for any event, or week, of any of these calendars. */
export const requestsFor = (calendars, tokens, operation) => () => {
  const index = Math.floor(Math.random() * calendars.length);
  return requestWith(
    operation,
    calendars[index],
    tokens[index],
    operations[operation].variables(calendars[index]),
  );
};

/** Each week of these calendars, once. */
export const everyWeek = (calendars, tokens) =>
  calendars.flatMap((calendar, index) =>
    operations.week.all(calendar).map((variables) => requestWith('week', calendar, tokens[index], variables)),
  );

/** Microseconds of CPU of the processes of PostgreSQL that serve an application; not a number where they run elsewhere. */
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
 * One round, after some requests that do not count: median and p95 in ms, operations a second, and ms of CPU an operation
 * of the server and of the database.
 */
export async function measure(database, subject, { callers, requests, requestOf }) {
  await subject.run({ callers, requests: Math.max(20, callers * 2), requestOf });
  const before = await databaseCpu(database, subject.application);
  const [cpu, start] = [subject.cpu(), performance.now()];
  const times = (await subject.run({ callers, requests, requestOf })).sort((a, b) => a - b);
  const [seconds, used] = [(performance.now() - start) / 1000, subject.cpu() - cpu];
  const after = await databaseCpu(database, subject.application);
  const inDatabase = [...after].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0);
  return {
    median: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    rate: times.length / seconds,
    server: used / times.length / 1000,
    database: inDatabase / times.length / 1000,
  };
}
