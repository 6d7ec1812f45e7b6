import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { packagePath } from '../core/package-files.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { RequestReport } from '../core/runtime/log.ts';
import type { DeliveryOutcome, DestinationKind, MailOutcome } from '../outbox/destination.ts';
import type { Backlog } from '../outbox/outbox.store.ts';

export const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
  readonly version: string;
};

/** Upper bounds of histogram buckets for calls of other services, in seconds. */
const upstreamBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createUpstreamMetrics(registry: Registry) {
  const registers = [registry];
  const attemptDuration = new Histogram({
    name: 'upstream_request_duration_seconds',
    help: 'Time of the requests that were sent to the services behind the gateway, by method and status, or why there is none.',
    labelNames: ['service', 'method', 'status'],
    buckets: upstreamBuckets,
    registers,
  });
  const retries = new Counter({
    name: 'upstream_retries_total',
    help: 'Requests that were sent again to the services behind the gateway, by method and by what made it necessary.',
    labelNames: ['service', 'method', 'reason'],
    registers,
  });
  return {
    recordAttempt: (service: string, method: string, status: string, seconds: number): void =>
      attemptDuration.observe({ service, method, status }, seconds),
    countRetry: (service: string, method: string, reason: string): void =>
      retries.inc({ service, method, reason }),
  };
}

/** Status of a response, and the time until its end. */
interface ResponseSummary {
  readonly status: number;
  readonly seconds: number;
}

/** Metrics of a gateway, with functions that record them. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Upper bounds of histogram buckets for requests and for calls of ports, in seconds. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const callBuckets = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

interface MetricsDependencies {
  /** Backlogs of the outbox. `messages`: without mails. */
  readonly backlogs: { readonly messages: () => Promise<Backlog>; readonly mails: () => Promise<Backlog> };
  readonly clock: Clock;
  readonly destinationKinds: readonly DestinationKind[];
  /** Whether the metrics include those of the process, such as its memory; true by default. */
  readonly includesProcess?: boolean | undefined;
}

/** Creates the metrics of a gateway and its process. Clients cannot cause an unbounded number of label values. */
export function createMetrics({
  backlogs,
  clock,
  destinationKinds,
  includesProcess = true,
}: MetricsDependencies) {
  const registry = new Registry();
  const registers = [registry];
  const createCounter = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Counter({ name, help, labelNames, registers });
  if (includesProcess) collectDefaultMetrics({ register: registry });
  registerBacklogGauges(registry, backlogs, clock);
  new Gauge({
    name: 'build_info',
    help: 'The running version; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const createLabelledObserver = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    createObserver(new Histogram({ name, help, labelNames, buckets, registers }));
  const observeRequest = createLabelledObserver(
    'http_request_duration_seconds',
    'Time from the head of a request to the end of its answer.',
    ['route', 'status'],
    requestBuckets,
  );
  const observeOperation = createLabelledObserver(
    'graphql_operation_duration_seconds',
    'The same for GraphQL operations, by root field (`several` for an operation with different ones) and first error code (OK without errors).',
    ['kind', 'root_field', 'code'],
    requestBuckets,
  );
  const observeRest = createLabelledObserver(
    'rest_request_duration_seconds',
    'The same for requests of the REST face, by operation (`none` without one).',
    ['operation', 'status'],
    requestBuckets,
  );
  const observeCall = createLabelledObserver(
    'port_call_duration_seconds',
    'Time of calls of the stores and the publisher.',
    ['call', 'outcome'],
    callBuckets,
  );
  const costRefusals = createCounter(
    'graphql_cost_refused_total',
    'Operations refused for their estimated cost.',
  );
  const connectionRefusals = createCounter(
    'connections_refused_total',
    'Connections closed at once because there were too many.',
  );
  const deliveries = createCounter(
    'delivery_total',
    'Messages delivered or dropped, and failed attempts that are followed by another (retried), by kind of destination.',
    ['destination', 'outcome'],
  );
  // Messages of the destination `process` stay there, so they are not counted as delivered.
  for (const destination of destinationKinds.filter((kind) => kind !== 'mail' && kind !== 'process'))
    for (const outcome of ['delivered', 'retried', 'dropped']) deliveries.inc({ destination, outcome }, 0);
  const mails = createCounter(
    'mail_total',
    'Mails sent, refused by the server for good or expired, and failed attempts that are followed by another (retried), by method.',
    ['method', 'outcome'],
  );
  for (const method of destinationKinds.includes('mail') ? ['REQUEST', 'CANCEL', 'REPLY'] : [])
    for (const outcome of ['sent', 'retried', 'refused', 'expired']) mails.inc({ method, outcome }, 0);
  const streams = new Gauge({
    name: 'graphql_streams_open',
    help: 'Open streams, by root field.',
    labelNames: ['root_field'],
    registers,
  });
  const streamsEnded = createCounter(
    'graphql_streams_ended_total',
    'Streams that ended, by root field and by what ended them: client, server (stopping), slow (reader), error (told to the client).',
    ['root_field', 'end'],
  );
  const recordOperation = (
    { operation, rest, codes, isCostRefused }: RequestReport,
    { status, seconds }: ResponseSummary,
  ): void => {
    if (isCostRefused) costRefusals.inc();
    if (rest !== undefined) return observeRest(seconds, rest, String(status));
    if (!operation) return;
    const [field = 'none', ...otherFields] = operation.rootFields;
    observeOperation(
      seconds,
      operation.kind,
      otherFields.some((otherField) => otherField !== field) ? 'several' : field,
      codes[0] ?? 'OK',
    );
  };
  return {
    registry,
    /** Records a response. `route`: path of the matched route, or `other`. */
    recordRequest(request: RequestReport, response: ResponseSummary & { readonly route: string }): void {
      observeRequest(response.seconds, response.route, String(response.status));
      recordOperation(request, response);
    },
    /** Records the response to one part of a REST batch. */
    recordPart: recordOperation,
    /** Records a call of a port, such as `events.change`. */
    recordCall: (call: string, hasFailed: boolean, seconds: number): void =>
      observeCall(seconds, call, hasFailed ? 'error' : 'ok'),
    /** Counts messages that were delivered or dropped, or whose delivery is retried. */
    countDeliveries: (destination: DestinationKind, outcome: DeliveryOutcome, count: number): void => {
      if (destination !== 'process') deliveries.inc({ destination, outcome }, count);
    },
    /** Counts mails by iTIP method, like `deliveries`. */
    countMails: (method: string, outcome: MailOutcome, count: number): void =>
      mails.inc({ method, outcome }, count),
    /** Counts a connection that was closed, or a request that was refused, because there were too many. */
    countRefusedConnection: (): void => connectionRefusals.inc(),
    /** Records an open stream. Returns a function to call with the reason when the stream ends. */
    recordStream(rootField: string) {
      streams.inc({ root_field: rootField });
      return (cause: string): void => {
        streams.dec({ root_field: rootField });
        streamsEnded.inc({ root_field: rootField, end: cause });
      };
    },
  };
}

/** Caches the child histogram of each label combination, because prom-client's look-up is slow. */
function createObserver(histogram: Histogram): (seconds: number, ...labels: string[]) => void {
  const children = new Map<string, Histogram.Internal<string>>();
  return (seconds, ...labels) => {
    const key = labels.join(' ');
    let child = children.get(key);
    if (!child) children.set(key, (child = histogram.labels(...labels)));
    child.observe(seconds);
  };
}

function registerBacklogGauges(
  registry: Registry,
  { messages, mails }: MetricsDependencies['backlogs'],
  clock: Clock,
): void {
  const registerGauge = (name: string, help: string, readValue: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // A failing store must not prevent the other metrics.
        this.set(await readValue().catch(() => Number.NaN));
      },
    });
  registerGauge(
    'outbox_messages',
    'Messages that are stored and wait for a destination.',
    async () => (await messages()).count,
  );
  registerGauge(
    'outbox_oldest_seconds',
    'For how long the oldest message has been waiting for a destination; 0 when none is.',
    async () => oldestAgeSeconds(await messages(), clock()),
  );
  registerGauge(
    'mail_waiting',
    'Mails that are stored and wait to be sent.',
    async () => (await mails()).count,
  );
  registerGauge(
    'mail_oldest_seconds',
    'For how long the oldest mail has been waiting; 0 when none is.',
    async () => oldestAgeSeconds(await mails(), clock()),
  );
}

export const oldestAgeSeconds = ({ oldestAt }: Backlog, now: number): number =>
  oldestAt === undefined ? 0 : Math.max(0, (now - oldestAt) / 1000);
