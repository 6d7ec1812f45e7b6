// Requests, and the measurement of a round of them on one subject.
import { percentile } from '../compare/table.js';
import { readCpuUs } from '../compare/process.js';
import { operations } from './data.js';

/** Creates a request of the owner of a calendar. */
function createRequest(operation, { name }, token, variables) {
  const { query, field } = operations[operation];
  const body = JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables });
  return { operation, field, owner: `${name}@example.com`, variables, token, body };
}

/** Returns a function that creates requests for a random event or week of a random calendar. */
export const createRequestSource = (calendars, tokens, operation) => () => {
  const index = Math.floor(Math.random() * calendars.length);
  return createRequest(
    operation,
    calendars[index],
    tokens[index],
    operations[operation].randomVariables(calendars[index]),
  );
};

/** Creates a request for each week of the calendars. */
export const listWeekRequests = (calendars, tokens) =>
  calendars.flatMap((calendar, index) =>
    operations.week
      .allVariables(calendar)
      .map((variables) => createRequest('week', calendar, tokens[index], variables)),
  );

/**
 * Returns the CPU time in µs of each PostgreSQL process that serves an application; NaN if PostgreSQL runs on
 * another machine.
 */
async function readDatabaseCpu(database, application) {
  const rows = await database.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
    application,
  ]);
  try {
    return new Map(rows.map(({ pid }) => [pid, readCpuUs(pid)]));
  } catch {
    return new Map([[0, Number.NaN]]);
  }
}

/**
 * Measures one round after a short warm-up: median and p95 in ms, operations per second, and ms of CPU per operation of
 * the server and of the database.
 */
export async function measureRound(database, subject, { callers, requests, requestOf }) {
  await subject.run({ callers, requests: Math.max(20, callers * 2), requestOf });
  const databaseCpuBefore = await readDatabaseCpu(database, subject.application);
  const [serverUsBefore, startedAt] = [subject.readCpuUs(), performance.now()];
  const times = (await subject.run({ callers, requests, requestOf })).sort((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const serverUs = subject.readCpuUs() - serverUsBefore;
  const databaseCpu = await readDatabaseCpu(database, subject.application);
  const databaseUs = [...databaseCpu].reduce(
    (sum, [pid, cpuUs]) => sum + cpuUs - (databaseCpuBefore.get(pid) ?? 0),
    0,
  );
  return {
    median: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    rate: times.length / seconds,
    server: serverUs / times.length / 1000,
    database: databaseUs / times.length / 1000,
  };
}
