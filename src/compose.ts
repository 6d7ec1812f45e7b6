import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { demoSecret } from './access/demo-secret.ts';
import { fewestScopes, signToken } from './access/signing.ts';
import { createTokenVerifier } from './access/token.ts';
import { createLogNotifier } from './adapters/log-notifier.ts';
import { createMessageLog } from './adapters/memory/message-log.ts';
import { createMemoryPublisher } from './adapters/memory/publisher.ts';
import { createMemoryStores } from './adapters/memory/stores.ts';
import type { BucketStore } from './bucket/bucket.store.ts';
import { createCalendarLoader } from './calendar/calendar.loaders.ts';
import { createCalendarModule } from './calendar/calendar.module.ts';
import { createCalendarService } from './calendar/calendar.service.ts';
import type { CalendarStore } from './calendar/calendar.store.ts';
import { ConfigError, type Config } from './config.ts';
import { createRateLimiter } from './core/runtime/rate-limit.ts';
import { createRelay } from './core/runtime/relay.ts';
import type { Clock } from './core/runtime/clock.ts';
import type { Log, LogLevel, LogTarget } from './core/runtime/log.ts';
import type { GuestNotifier } from './core/runtime/notifier.ts';
import { createEventModule } from './event/event.module.ts';
import { createEventService } from './event/event.service.ts';
import type { EventStore } from './event/event.store.ts';
import type { EventTools } from './event/event.tools.ts';
import { eventFields } from './event/model/fields.ts';
import { compileModel } from './event/model/model.ts';
import type { FieldTable } from './core/fields/table.ts';
import { createGraphQLFace } from './faces/graphql/face.ts';
import { serveSdl, serviceTypeDefs } from './faces/graphql/federation.ts';
import { rootOperations } from './faces/graphql/root-operations.ts';
import { sampleSets } from './faces/graphql/sample.ts';
import { createGateway, readTypeDefs, subgraphSdl } from './faces/graphql/schema.ts';
import { createApp } from './http/app.ts';
import type { Face } from './http/face.ts';
import type { StreamLimits } from './http/streams/stream-places.ts';
import { createMetricsServer } from './http/log/metrics.ts';
import { createNotificationModule } from './notification/notification.module.ts';
import { createNotificationService } from './notification/notification.service.ts';
import { createPublishingService } from './notification/publishing/publishing.service.ts';
import { createAdmission } from './operations/admission.ts';
import { createOperationRunner, type OperationRunner } from './operations/runner.ts';
import { declarationsOf } from './faces/graphql/declarations.ts';
import type { Operations } from './operations/operation.ts';
import type { InputChecks, ResourceModule } from './operations/module.ts';
import type { NotificationStore } from './notification/notification.store.ts';
import type { NotificationRecord } from './notification/notification.ts';
import { demoData, demoUser } from './seed/demo-data.ts';
import { dataNotices } from './seed/notices.ts';
import { loadSeed } from './seed/seed.ts';
import { createLog } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createTracing, noTracing } from './telemetry/tracing.ts';
import { watched } from './telemetry/watched.ts';

export interface Stores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<NotificationRecord>;
}

export interface GatewayApp {
  readonly app: FastifyInstance;
  /** Shows the metrics, where they have a port of their own; it is closed with the app. */
  readonly metricsServer: FastifyInstance | undefined;
  /** A token that opens everything, when the gateway runs as a demo. */
  readonly demoToken: string | undefined;
  /** What whoever started it should know. */
  readonly notices: readonly string[];
  readonly stores: Stores;
}

/** What may be put in place of the real thing. */
export interface Replacements {
  readonly clock?: Clock;
  readonly notifier?: GuestNotifier;
  /** What an empty store starts from, instead of the configured file. */
  readonly seed?: unknown;
  /** Is told how many of all events of the seed were looked at. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly logLevel?: LogLevel;
  /** Where the log goes, a line of JSON at a time; standard output unless told. */
  readonly logTo?: LogTarget;
  readonly stores?: Stores;
  readonly streamLimits?: Partial<StreamLimits>;
  /** False where one process has many gateways: the collectors of process metrics run until the process ends. */
  readonly processMetrics?: boolean;
  /** Resources and the SDL of their operations, beside the gateway's own. */
  readonly resources?: { readonly modules: readonly ResourceModule[]; readonly typeDefs: readonly string[] };
  /** Faces beside GraphQL. */
  readonly faces?: (runner: OperationRunner) => readonly Face[];
  /** The table of an event's fields, to see what a row does. */
  readonly eventFields?: FieldTable;
}

/** Builds the whole gateway from its configuration, ready to listen. */
export async function compose(config: Config, replacements: Replacements = {}): Promise<GatewayApp> {
  const { clock = Date.now } = replacements;
  const log = createLog(replacements.logLevel ?? config.logLevel, replacements.logTo);
  const database = replacements.stores ? undefined : await openDatabase(config, clock, log);
  const given: Stores = replacements.stores ?? database ?? createMemoryStores(clock);
  const { secret, notice } = config.demo ? demoSecret(config.stateFolder) : { secret: config.auth.secret, notice: undefined };
  const tools: EventTools = {
    model: compileModel(replacements.eventFields ?? eventFields),
    clock,
    links: { event: `${config.calendarUrl}/event`, call: `${config.calendarUrl}/call` },
    signingSecret: config.signingSecret ?? secret ?? database?.secret ?? randomBytes(32).toString('base64url'),
  };
  const seed = seedOf(config, replacements, clock);
  const load = seed && ((target: Stores): Promise<void> => loadSeed(seed(), { ...target, eventTools: tools, hosts: config, onProgress: replacements.onProgress }));
  if (!database) await load?.(given);
  const data = await database?.fillOnce(load).catch(async (error: unknown) => { await database.close(); throw error; });
  const notices = [...(notice === undefined ? [] : [notice]), ...dataNotices(config, data ?? (load ? 'loaded' : 'empty'))];
  const metrics = createMetrics(() => given.notifications.backlog(), clock, { ofProcess: replacements.processMetrics });
  const tracing = config.tracing ? await createTracing(config.tracing) : noTracing;
  const watcher = { metrics, tracing };
  const system = database && { 'db.system.name': 'postgresql' };
  const stores: Stores = {
    calendars: watched('calendars', given.calendars, watcher, system),
    events: watched('events', given.events, watcher, system),
    buckets: watched('buckets', given.buckets, watcher, system),
    notifications: watched('notifications', given.notifications, watcher, system),
  };

  const messages = database?.messages ?? createMessageLog();
  const publisher = watched('publisher', config.brokerUrl === undefined ? createMemoryPublisher() : await openBroker(config.brokerUrl), watcher);
  const relay = createRelay({
    outbox: stores.notifications,
    publisher,
    onPublished: (message) => messages.add(message),
    onFailure: (err) => log.warn({ err }, 'messages could not be published; they are kept and tried again'),
  });
  const notifier = harmless(replacements.notifier ?? createLogNotifier(log), log);
  const readCalendar = createCalendarLoader(stores.calendars);
  const calendars = createCalendarModule(createCalendarService({ store: stores.calendars, readCalendar }));
  const events = createEventModule(createEventService({ store: stores.events, calendars: stores.calendars, readCalendar, notifier, tools }), tools.model);
  const notificationParts = { ...config, buckets: stores.buckets, store: stores.notifications, log: messages, clock, onStored: () => relay.wake() };
  const notifications = createNotificationModule({
    notifications: createNotificationService(notificationParts),
    publishing: createPublishingService(notificationParts),
  });
  // One for each root field of the schema, held against its types.
  const own = rootOperations({ ...calendars.operations, ...events.operations, ...notifications.operations });
  const { resources } = replacements;
  const modules: readonly ResourceModule[] = [calendars, events, notifications, ...(resources?.modules ?? [])];
  const operations = Object.assign({}, own, ...(resources?.modules ?? []).map((module) => module.operations)) as Operations;
  const gateway = createGateway(operations, [...readTypeDefs(), ...(resources?.typeDefs ?? []), ...(config.federation ? [serviceTypeDefs] : [])]);
  if (config.federation) serveSdl(gateway.schema, subgraphSdl());
  const demoToken =
    config.demo && secret
      ? await signToken(secret, { sub: demoUser, scopes: fewestScopes(gateway.scopeRules.values()), expires: clock() + dayMs })
      : undefined;
  const limiter = config.rateLimit === 'off' ? undefined : createRateLimiter(config.rateLimit, clock);
  const admission = createAdmission(limiter);
  const graphql = await createGraphQLFace(gateway, {
    introspection: config.introspection,
    explorer: config.explorer,
    demoToken,
    hideSchema: !config.demo,
    compiled: config.compiledOperations,
    operations: config.operations && { manifest: readJson('OPERATIONS_FILE', config.operations.file), only: config.operations.only },
    admission,
    checks: Object.assign({}, ...modules.map(({ inputChecks }) => inputChecks)) as InputChecks,
  });
  const runner = createOperationRunner({ operations, declarations: declarationsOf(gateway), admission });
  const app = await createApp({
    faces: [graphql, ...(replacements.faces?.(runner) ?? [])],
    streamLimits: replacements.streamLimits,
    verify: createTokenVerifier({ ...config.auth, secret }, clock),
    limiter,
    backlog: () => given.notifications.backlog(),
    clock,
    metrics,
    showMetrics: !config.metrics,
    tracing,
    corsOrigins: config.corsOrigins,
    connections: config.connections,
    trustedProxies: config.trustedProxies,
    demo: config.demo,
    explorer: config.explorer,
    demoToken,
    samples: () => sampleSets(Date.now()),
    log,
  });
  app.addHook('onReady', async () => relay.start());
  const metricsServer = config.metrics ? createMetricsServer(metrics) : undefined;
  app.addHook('onClose', async () => {
    await relay.stop();
    await publisher.close();
    await metricsServer?.close();
    await tracing.close();
    await database?.close();
  });
  return { app, metricsServer, demoToken, notices, stores: given };
}

// Read from disk where they are configured only: with what they stand on, they are a third of all modules.
const openDatabase = async ({ databaseUrl, databasePool: connections }: Config, clock: Clock, log: Log) =>
  databaseUrl === undefined ? undefined : (await import('./adapters/postgres/open.ts')).openPostgres<NotificationRecord>(databaseUrl, { clock, log, connections });
const openBroker = async (url: string) => (await import('./adapters/nats/publisher.ts')).createNatsPublisher(url);

/** A notifier whose failure never makes the change fail that is stored by then. */
const harmless = (notifier: GuestNotifier, log: Log): GuestNotifier => ({
  notify(notice) {
    try {
      notifier.notify(notice);
    } catch (err) {
      log.error({ err }, 'guests could not be told');
    }
  },
});

/** What an empty store is filled with; undefined where it stays empty. A file is read when its content is needed. */
function seedOf({ seedFile, demo }: Config, { seed }: Replacements, clock: Clock): (() => unknown) | undefined {
  if (seed !== undefined) return () => seed;
  if (seedFile !== undefined) return () => readJson('SEED_FILE', seedFile);
  return demo ? () => demoData(clock()) : undefined;
}

function readJson(variable: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

const dayMs = 24 * 60 * 60 * 1000;
