import { isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createTokenVerifier, signToken } from './access/token.ts';
import { createLogNotifier, createResources, localSettings, createOfficialSchemas } from './app/resources.ts';
import { createMemoryStores } from './adapters/memory/stores.ts';
import {
  createEventTools,
  withTrace,
  openDatabase,
  openDestinations,
  createOutboxRules,
  readJson,
  readSecret,
  type SeededStores,
  createSeedReader,
  type Stores,
  instrumentStores,
} from './app/stores.ts';
import { createCalendarFeeds } from './calendar/calendar.feed.ts';
import type { Config } from './config.ts';
import type { FieldTable } from './core/fields/table.ts';
import type { Clock } from './core/runtime/clock.ts';
import type { LogLevel, LogTarget } from './core/runtime/log.ts';
import type { GuestNotifier } from './event/event.store.ts';
import { createRateLimiter } from './core/runtime/limits.ts';
import { createSeal } from './core/seal.ts';
import type { Mail } from './mail/mail.ts';
import type { OutgoingMessage } from './notification/notification.store.ts';
import { createDeliveryReport } from './outbox/delivery-report.ts';
import { mailServerName } from './outbox/outbox.store.ts';
import { createRelay } from './outbox/relay.ts';
import { createDestinationStatus } from './outbox/destination-status.ts';
import {
  createGatewaySchema,
  readDeclarations,
  readTypeDefs,
  serviceTypeDefs,
} from './faces/graphql/schema.ts';
import { createGraphQLFace } from './faces/graphql/face.ts';
import { createFeedFace } from './feed/face.ts';
import { createRestFace } from './faces/rest/face.ts';
import { createApp } from './http/app.ts';
import { parseJson } from './http/body.ts';
import { createMetricsServer } from './http/monitoring.ts';
import type { StreamLimits } from './http/streams.ts';
import { createAdmission } from './operations/context.ts';
import type { ResourceModule } from './operations/operation.ts';
import { createOperationRunner } from './operations/runner.ts';
import {
  combineSampleSets,
  demoUser,
  findSeedNames,
  createSampleSets,
  type SeedNames,
} from './seed/demo-data.ts';
import { describeStartData } from './seed/import-report.ts';
import { formatPath } from './core/errors.ts';
import { loadSeed } from './seed/import.ts';
import { createLog } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createTracing, noTracing, instrument } from './telemetry/tracing.ts';
import type { RetryTimer } from './upstream/client/attempts.ts';

/** Overrides and additions, for tests and packages that extend the gateway. */
export interface Replacements {
  readonly clock?: Clock;
  readonly notifier?: GuestNotifier;
  /** Seed of an empty store, instead of the configured file. */
  readonly seed?: unknown;
  /** Called while the seed is loaded, with the number of events so far and the total. */
  readonly onProgress?: (loadedCount: number, totalCount: number) => void;
  readonly logLevel?: LogLevel;
  /** Target of log lines; defaults to standard output. */
  readonly logTarget?: LogTarget;
  readonly stores?: Stores;
  readonly streamLimits?: Partial<StreamLimits>;
  /** Timer for pauses between calls of upstream services. */
  readonly retryTimer?: RetryTimer;
  /** False if a process has several gateways, as the collectors of process metrics never stop. */
  readonly includesProcessMetrics?: boolean;
  /** Additional resources, with the SDL of their operations. */
  readonly resources?: { readonly modules: readonly ResourceModule[]; readonly typeDefs: readonly string[] };
  /** Replaces the field table of events, to test the effect of a row. */
  readonly eventFields?: FieldTable;
}

/** Builds the gateway from its configuration, ready to listen. */
export async function compose(config: Config, replacements: Replacements = {}) {
  const { clock = Date.now } = replacements;
  const log = createLog(replacements.logLevel ?? config.logLevel, replacements.logTarget);
  const { settings, storesData } = localSettings(config);
  const destinations = await openDestinations(settings, clock);
  const metrics = createMetrics({
    backlogs: {
      messages: () => rawStores.outbox.backlog({ except: mailServerName }),
      mails: () => rawStores.outbox.backlog({ only: mailServerName }),
    },
    clock,
    destinationKinds: [
      ...destinations.map(({ kind }) => kind),
      ...(settings.channels ? (['channel'] as const) : []),
    ],
    includesProcess: replacements.includesProcessMetrics,
  });
  const deliveryReport = createDeliveryReport({
    destinations,
    log,
    countDeliveries: metrics.countDeliveries,
    countMails: metrics.countMails,
  });
  const destinationStatus = createDestinationStatus(destinations, clock);
  const outboxRules = createOutboxRules(destinations, destinationStatus, deliveryReport);
  const database = replacements.stores ? undefined : await openDatabase(settings, clock, log, outboxRules);
  const rawStores: Stores =
    replacements.stores ?? database ?? createMemoryStores(clock, { outbox: outboxRules });
  const { secret, notice } = readSecret(config);
  const tracing = config.tracing ? await createTracing(config.tracing) : noTracing;
  const eventTools = {
    ...createEventTools(settings, clock, secret ?? database?.secret, replacements.eventFields),
    traceparent: tracing.traceparent,
  };
  const readSeed = createSeedReader(settings, replacements.seed, clock);
  let demoNames: SeedNames | undefined;
  const loadSeedInto =
    readSeed &&
    (async (target: SeededStores): Promise<void> => {
      const { onProgress } = replacements;
      const seed = readSeed();
      const warnings = await loadSeed(seed, { ...target, eventTools, hosts: config, onProgress });
      for (const { path, message } of warnings) log.warn({ path: formatPath(path) }, `Seed data: ${message}`);
      if (config.demo) demoNames = findSeedNames(seed);
    });
  if (!database) await loadSeedInto?.(rawStores);
  const seedState = await database?.fillOnce(loadSeedInto).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  // A database that was filled before probably has the demo's data. A SEED_FILE is not read again.
  if (config.demo && settings.seedFile === undefined) demoNames ??= findSeedNames(readSeed?.() ?? {});
  const startupMessages = [
    ...(notice === undefined ? [] : [notice]),
    ...(storesData ? describeStartData(settings, seedState ?? (loadSeedInto ? 'loaded' : 'empty')) : []),
  ];
  const instrumentation = { metrics, tracing };
  const stores = instrumentStores(rawStores, instrumentation, database !== undefined);
  // Errors are not fatal: the relay refreshes the status again.
  await destinationStatus
    .refresh(rawStores.destinations)
    .catch((error: unknown) => deliveryReport.outboxFailed(error));
  const relay = createRelay<OutgoingMessage | Mail>({
    outbox: stores.outbox,
    destinations: destinations.map((destination) => ({
      ...destination,
      publisher: withTrace(
        instrument(
          'publisher',
          destination.publisher,
          instrumentation,
          destination.kind === mailServerName ? { 'network.protocol.name': 'smtp' } : undefined,
        ),
        tracing,
      ),
    })),
    states: stores.destinations,
    destinationStatus,
    report: deliveryReport,
    clock,
  });
  // A demo is reached at its own address only.
  const feedOrigin = config.demo
    ? (): string => originOf(app, config)
    : () => new URL(config.calendarUrl).origin;
  const feeds =
    config.calendarFeeds && config.upstream?.calendar === undefined
      ? createCalendarFeeds(eventTools.signingSecret, feedOrigin)
      : undefined;
  const schemas = createOfficialSchemas(replacements.eventFields);
  const upstream =
    config.upstream &&
    (await import('./app/upstream.ts')).openUpstream(config.upstream, config, {
      tools: eventTools,
      schemas,
      log,
      registry: metrics.registry,
      tracing,
      retryTimer: replacements.retryTimer,
    });
  const channelOutlet = settings.channels
    ? (await import('./app/channels.ts')).openChannelOutlet(config, deliveryReport)
    : undefined;
  const { operations, workers } = createResources({
    config,
    stores,
    upstream,
    tools: eventTools,
    notifier: replacements.notifier ?? createLogNotifier(log),
    log,
    onStored: () => relay.wake(),
    channelOutlet,
    feedUrlOf: feeds?.urlOf,
    extraModules: replacements.resources?.modules ?? [],
  });
  const gatewaySchema = createGatewaySchema(operations, [
    ...readTypeDefs(),
    ...(replacements.resources?.typeDefs ?? []),
    ...(config.federation ? [serviceTypeDefs] : []),
  ]);
  const signDemoToken =
    config.demo && secret
      ? () =>
          signToken(secret, {
            sub: demoNames?.user ?? demoUser,
            // The first alternative of each rule is the broadest.
            scopes: [...new Set([...gatewaySchema.scopeRules.values()].flatMap(([scopes = []]) => scopes))],
            expires: clock() + dayMs,
          })
      : undefined;
  const demoToken = await signDemoToken?.();
  const limiter = config.rateLimit === 'off' ? undefined : createRateLimiter(config.rateLimit, clock);
  const admission = createAdmission(limiter);
  const graphqlFace = await createGraphQLFace(gatewaySchema, {
    introspection: config.introspection,
    hasExplorer: config.explorer,
    demoToken,
    sample: () => combineSampleSets(Date.now()),
    compiled: config.compiledOperations,
    operations: config.operations && {
      manifest: readJson('OPERATIONS_FILE', config.operations.file),
      isExclusive: config.operations.isExclusive,
    },
    admission,
  });
  const verify = upstream?.verify ?? createTokenVerifier({ ...config.auth, secret }, clock);
  const runner = createOperationRunner(operations, readDeclarations(gatewaySchema), admission);
  const restFace =
    config.rest &&
    createRestFace({
      runner,
      admission,
      verify,
      countPart: metrics.recordPart,
      schemas,
      seal: createSeal(eventTools.signingSecret, 'REST pages'),
      readJson: parseJson,
      offersChannels: settings.channels,
    });
  const feedFace = feeds && createFeedFace({ feeds, store: stores.events, tools: eventTools, admission });
  const app: FastifyInstance = await createApp({
    faces: [graphqlFace, ...(feedFace ? [feedFace] : []), ...(restFace ? [restFace] : [])],
    streamLimits: replacements.streamLimits,
    verify,
    limiter,
    backlog: () => rawStores.outbox.backlog(),
    clock,
    metrics,
    hasMetrics: !config.metrics,
    tracing,
    corsOrigins: config.corsOrigins,
    connections: config.connections,
    trustedProxies: config.trustedProxies,
    isDemo: config.demo,
    hasExplorer: config.explorer,
    signToken: signDemoToken,
    sendsMail: Boolean(config.mail) || config.upstream !== undefined,
    samples: () => createSampleSets(Date.now()),
    log,
  });
  app.addHook('onReady', async () => {
    if (storesData) relay.start();
    for (const worker of workers) worker.start();
  });
  const metricsServer = config.metrics ? createMetricsServer(metrics) : undefined;
  app.addHook('onClose', async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    channelOutlet?.poster.close();
    await relay.stop();
    deliveryReport.close();
    await Promise.all(destinations.map(({ publisher }) => publisher.close()));
    upstream?.close();
    await metricsServer?.close();
    await tracing.close();
    await database?.close();
  });
  return {
    app,
    /** Server of the separate metrics port, if configured. Closed with the app. */
    metricsServer,
    /** Token with all scopes; only in a demo. */
    demoToken,
    /** Objects of the demo's data, for commands to try. */
    demoNames,
    /** Lines for the operator. */
    startupMessages,
    stores: rawStores,
  };
}

/** Scheme, host and port under which a server listens; those of its settings before it listens. */
function originOf({ server }: FastifyInstance, { host, port }: Pick<Config, 'host' | 'port'>): string {
  const address = server.address();
  const openPort = typeof address === 'object' && address ? address.port : port;
  return new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${openPort}`).origin;
}

const dayMs = 24 * 60 * 60 * 1000;
