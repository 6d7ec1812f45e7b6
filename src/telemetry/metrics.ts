import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../core/runtime/clock.ts';
import type { RequestReport } from '../core/runtime/log.ts';
import type { DeliveryOutcome, DestinationKind, MailOutcome } from '../outbox/destination.ts';
import type { Backlog } from '../outbox/outbox.store.ts';

/** The version of the gateway; the path is the same from `src` and `dist`. */
export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Figures of the calls of services that the gateway stands in front of. */
export function createCallFigures(registry: Registry) {
  const registers = [registry];
  const duration = new Histogram({
    name: 'upstream_request_duration_seconds',
    help: 'Time of the requests that were sent to the services behind the gateway, by method and status, or why there is none.',
    labelNames: ['service', 'method', 'status'],
    buckets,
    registers,
  });
  const retries = new Counter({
    name: 'upstream_retries_total',
    help: 'Requests that were sent again to the services behind the gateway, by method and by what made it necessary.',
    labelNames: ['service', 'method', 'reason'],
    registers,
  });
  return {
    attempted: (service: string, method: string, status: string, seconds: number): void =>
      duration.observe({ service, method, status }, seconds),
    retried: (service: string, method: string, reason: string): void =>
      retries.inc({ service, method, reason }),
  };
}

/** A response, as metrics count it. */
interface Answered {
  readonly status: number;
  readonly seconds: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const callBuckets = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

interface MetricsParts {
  /** Of what waits, mails aside; and of the mails. */
  readonly backlogs: { readonly messages: () => Promise<Backlog>; readonly mails: () => Promise<Backlog> };
  readonly clock: Clock;
  /** Of the destinations that are configured. */
  readonly kinds: readonly DestinationKind[];
  readonly ofProcess?: boolean | undefined;
}

/** The metrics of one gateway and of its process. Label values are bounded, whatever clients send. */
export function createMetrics({ backlogs, clock, kinds, ofProcess = true }: MetricsParts) {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  if (ofProcess) collectDefaultMetrics({ register: registry });
  backlogGauges(registry, backlogs, clock);
  new Gauge({
    name: 'build_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const observer = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    observing(new Histogram({ name, help, labelNames, buckets, registers }));
  const observeRequest = observer(
    'http_request_duration_seconds',
    'Time from the head of a request to the end of its answer.',
    ['route', 'status'],
    requestBuckets,
  );
  const observeOperation = observer(
    'graphql_operation_duration_seconds',
    'The same for GraphQL operations, by root field (`several` for an operation with different ones) and first error code (OK without errors).',
    ['kind', 'root_field', 'code'],
    requestBuckets,
  );
  const observeRest = observer(
    'rest_request_duration_seconds',
    'The same for requests of the REST face, by operation (`none` without one).',
    ['operation', 'status'],
    requestBuckets,
  );
  const observeCall = observer(
    'port_call_duration_seconds',
    'Time of calls of the stores and the publisher.',
    ['call', 'outcome'],
    callBuckets,
  );
  const costRefused = counter('graphql_cost_refused_total', 'Operations refused for their estimated cost.');
  const connectionsRefused = counter(
    'connections_refused_total',
    'Connections closed at once because there were too many.',
  );
  const deliveries = counter(
    'delivery_total',
    'Messages delivered or dropped, and failed attempts that are followed by another (retried), by kind of destination.',
    ['destination', 'outcome'],
  );
  // Messages that stay in the process are not delivered anywhere.
  for (const destination of kinds.filter((kind) => kind !== 'mail' && kind !== 'process'))
    for (const outcome of ['delivered', 'retried', 'dropped']) deliveries.inc({ destination, outcome }, 0);
  const mails = counter(
    'mail_total',
    'Mails sent, refused by the server for good or expired, and failed attempts that are followed by another (retried), by method.',
    ['method', 'outcome'],
  );
  for (const method of kinds.includes('mail') ? ['REQUEST', 'CANCEL', 'REPLY'] : [])
    for (const outcome of ['sent', 'retried', 'refused', 'expired']) mails.inc({ method, outcome }, 0);
  const streams = new Gauge({
    name: 'graphql_streams_open',
    help: 'Open streams, by root field.',
    labelNames: ['root_field'],
    registers,
  });
  const streamsEnded = counter(
    'graphql_streams_ended_total',
    'Streams that ended, by root field and by what ended them: client, server (stopping), slow (reader), error (told to the client).',
    ['root_field', 'end'],
  );
  const partAnswered = (
    { operation, rest, codes, costRefused: refused }: RequestReport,
    { status, seconds }: Answered,
  ): void => {
    if (refused) costRefused.inc();
    if (rest !== undefined) return observeRest(seconds, rest, String(status));
    if (!operation) return;
    const [field = 'none', ...others] = operation.rootFields;
    observeOperation(
      seconds,
      operation.kind,
      others.some((other) => other !== field) ? 'several' : field,
      codes[0] ?? 'OK',
    );
  };
  return {
    registry,
    /** `route`: the path of the matched route, `other` for none. */
    requestAnswered(request: RequestReport, answer: Answered & { readonly route: string }): void {
      observeRequest(answer.seconds, answer.route, String(answer.status));
      partAnswered(request, answer);
    },
    /** A request that came inside of another one, and its answer. */
    partAnswered,
    /** A call of a port, such as `events.change`. */
    portCalled: (call: string, failed: boolean, seconds: number): void =>
      observeCall(seconds, call, failed ? 'error' : 'ok'),
    /** Messages whose delivery to a kind of destinations ended, or failed and is tried again. */
    deliveries: (destination: DestinationKind, outcome: DeliveryOutcome, count: number): void => {
      if (destination !== 'process') deliveries.inc({ destination, outcome }, count);
    },
    /** Counts mails as `deliveries` counts messages, by their method. */
    mails: (method: string, outcome: MailOutcome, count: number): void =>
      mails.inc({ method, outcome }, count),
    connectionRefused: (): void => connectionsRefused.inc(),
    /** Returns a function to be called with the reason when the stream ends. */
    streamOpened(rootField: string) {
      streams.inc({ root_field: rootField });
      return (end: string): void => {
        streams.dec({ root_field: rootField });
        streamsEnded.inc({ root_field: rootField, end });
      };
    },
  };
}

/** Caches the child histogram of each label combination: prom-client's look-up takes longer than the observation. */
function observing(histogram: Histogram): (seconds: number, ...labels: string[]) => void {
  const known = new Map<string, Histogram.Internal<string>>();
  return (seconds, ...labels) => {
    const key = labels.join(' ');
    let found = known.get(key);
    if (!found) known.set(key, (found = histogram.labels(...labels)));
    found.observe(seconds);
  };
}

function backlogGauges(
  registry: Registry,
  { messages, mails }: MetricsParts['backlogs'],
  clock: Clock,
): void {
  const gauge = (
    name: string,
    help: string,
    backlog: () => Promise<Backlog>,
    valueOf: (backlog: Backlog) => number,
  ) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // Where the store does not answer, all other figures are still told.
        this.set(await backlog().then(valueOf, () => Number.NaN));
      },
    });
  const countOf = ({ count }: Backlog): number => count;
  const ageOf = (backlog: Backlog): number => waitOf(backlog, clock());
  gauge('outbox_messages', 'Messages that are stored and wait for a destination.', messages, countOf);
  gauge(
    'outbox_oldest_seconds',
    'For how long the oldest message has been waiting for a destination; 0 when none is.',
    messages,
    ageOf,
  );
  gauge('mail_waiting', 'Mails that are stored and wait to be sent.', mails, countOf);
  gauge(
    'mail_oldest_seconds',
    'For how long the oldest mail has been waiting; 0 when none is.',
    mails,
    ageOf,
  );
}

/** How long the oldest item has waited (s). */
export const waitOf = ({ oldestAt }: Backlog, now: number): number =>
  oldestAt === undefined ? 0 : Math.max(0, (now - oldestAt) / 1000);
