import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../core/runtime/clock.ts';
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

/** What metrics count of a request beside its response. */
interface AnsweredRequest {
  /** For requests that hold an operation. */
  readonly operation?: { readonly kind: string; readonly rootFields: readonly string[] };
  /** For requests of the REST face: its operation, `none` where it had none. */
  readonly rest?: string;
  /** The codes of its errors. */
  readonly codes: readonly string[];
  readonly costRefused?: boolean;
}

export interface Metrics {
  readonly registry: Registry;
  /** `route`: the path of the matched route, `other` for none. */
  requestAnswered(request: AnsweredRequest, answer: Answered & { readonly route: string }): void;
  /** A request that came inside of another one, and its answer. */
  readonly partAnswered: (part: AnsweredRequest, answer: Answered) => void;
  /** A call of a port, such as `events.change`. */
  portCalled(call: string, failed: boolean, seconds: number): void;
  /** Messages whose delivery to a kind of destinations ended, or failed and is tried again. */
  readonly deliveries: (kind: DestinationKind, outcome: DeliveryOutcome, count: number) => void;
  /** The same of mails, by their method. */
  readonly mails: (method: string, outcome: MailOutcome, count: number) => void;
  connectionRefused(): void;
  /** Returns a function to be called with the reason when the stream ends. */
  streamOpened(rootField: string): (end: string) => void;
}

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
export function createMetrics({ backlogs, clock, kinds, ofProcess = true }: MetricsParts): Metrics {
  const registry = new Registry();
  const registers = [registry];
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
  const costRefused = new Counter({
    name: 'graphql_cost_refused_total',
    help: 'Operations refused for their estimated cost.',
    registers,
  });
  const connectionsRefused = new Counter({
    name: 'connections_refused_total',
    help: 'Connections closed at once because there were too many.',
    registers,
  });
  const countDeliveries = deliveryCounter(registry, kinds);
  const countMails = mailCounter(registry, kinds);
  const streams = new Gauge({
    name: 'graphql_streams_open',
    help: 'Open streams, by root field.',
    labelNames: ['root_field'],
    registers,
  });
  const streamsEnded = new Counter({
    name: 'graphql_streams_ended_total',
    help: 'Streams that ended, by root field and by what ended them: client, server (stopping), slow (reader), error (told to the client).',
    labelNames: ['root_field', 'end'],
    registers,
  });
  const partAnswered: Metrics['partAnswered'] = (
    { operation, rest, codes, costRefused: refused },
    { status, seconds },
  ) => {
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
    requestAnswered: (request, answer) => {
      observeRequest(answer.seconds, answer.route, String(answer.status));
      partAnswered(request, answer);
    },
    partAnswered,
    portCalled: (call, failed, seconds) => observeCall(seconds, call, failed ? 'error' : 'ok'),
    deliveries: countDeliveries,
    mails: countMails,
    connectionRefused: () => connectionsRefused.inc(),
    streamOpened: (rootField) => {
      streams.inc({ root_field: rootField });
      return (end) => {
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

function deliveryCounter(registry: Registry, kinds: readonly DestinationKind[]): Metrics['deliveries'] {
  const counter = new Counter({
    name: 'delivery_total',
    help: 'Messages delivered or dropped, and failed attempts that are followed by another (retried), by kind of destination.',
    labelNames: ['destination', 'outcome'],
    registers: [registry],
  });
  // What stays in the process is not delivered anywhere.
  const count: Metrics['deliveries'] = (destination, outcome, more) =>
    void (destination !== 'process' && counter.inc({ destination, outcome }, more));
  for (const kind of kinds)
    if (kind !== 'mail')
      for (const outcome of ['delivered', 'retried', 'dropped'] as const) count(kind, outcome, 0);
  return count;
}

function mailCounter(registry: Registry, kinds: readonly DestinationKind[]): Metrics['mails'] {
  const counter = new Counter({
    name: 'mail_total',
    help: 'Mails sent, refused by the server for good or expired, and failed attempts that are followed by another (retried), by method.',
    labelNames: ['method', 'outcome'],
    registers: [registry],
  });
  const count: Metrics['mails'] = (method, outcome, more) => counter.inc({ method, outcome }, more);
  if (kinds.includes('mail')) {
    for (const method of ['REQUEST', 'CANCEL', 'REPLY'])
      for (const outcome of ['sent', 'retried', 'refused', 'expired'] as const) count(method, outcome, 0);
  }
  return count;
}

function backlogGauges(
  registry: Registry,
  { messages, mails }: MetricsParts['backlogs'],
  clock: Clock,
): void {
  const gauge = (name: string, help: string, value: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // Where the store does not answer, all other figures are still told.
        this.set(await value().catch(() => Number.NaN));
      },
    });
  gauge(
    'outbox_messages',
    'Messages that are stored and wait for a destination.',
    async () => (await messages()).count,
  );
  gauge(
    'outbox_oldest_seconds',
    'For how long the oldest message has been waiting for a destination; 0 when none is.',
    async () => waitOf(await messages(), clock()),
  );
  gauge('mail_waiting', 'Mails that are stored and wait to be sent.', async () => (await mails()).count);
  gauge('mail_oldest_seconds', 'For how long the oldest mail has been waiting; 0 when none is.', async () =>
    waitOf(await mails(), clock()),
  );
}

/** How long the oldest item has waited (s). */
export const waitOf = ({ oldestAt }: Backlog, now: number): number =>
  oldestAt === undefined ? 0 : Math.max(0, (now - oldestAt) / 1000);
