import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { demoSecret } from './access/demo-secret.ts';
import { fewestScopes, signToken } from './access/signing.ts';
import { createTokenVerifier } from './access/token.ts';
import { createLogNotifier } from './adapters/log-notifier.ts';
import { createMemoryEventStore } from './adapters/memory/event-store.ts';
import { createMemoryNotificationStore } from './adapters/memory/notification-store.ts';
import { createMessageLog } from './adapters/memory/message-log.ts';
import { createMemoryPublisher } from './adapters/memory/publisher.ts';
import { createNatsPublisher } from './adapters/nats/publisher.ts';
import { ConfigError, type Config } from './config.ts';
import { createRateLimiter } from './core/rate-limit.ts';
import type { Issue } from './core/errors.ts';
import { startRelay, type Relay } from './core/relay.ts';
import type { Clock } from './core/clock.ts';
import type { GuestNotifier } from './core/notifier.ts';
import type { EventRecord } from './event/event.record.ts';
import { eventInputIssues } from './event/event.input.ts';
import { createEventService } from './event/event.service.ts';
import type { EventTools } from './event/event.tools.ts';
import type { InputChecks } from './graphql/input-errors.ts';
import { createLoaders, type Stores } from './graphql/loaders.ts';
import { createGateway } from './graphql/schema.ts';
import { createServer } from './graphql/server.ts';
import { createApp, type LogTarget } from './http/app.ts';
import { createMetricsServer } from './http/metrics.ts';
import { checkBody } from './notification/notification.checks.ts';
import type { NotificationRecord } from './notification/notification.ts';
import { changeIssues, type ObjectChangeBody } from './notification/object-change.ts';
import { createNotificationService } from './notification/notification.service.ts';
import { createPublishingService } from './notification/publishing.service.ts';
import { demoData, demoUser } from './seed/demo-data.ts';
import { loadSeed } from './seed/seed.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createTracing, noTracing } from './telemetry/tracing.ts';
import { watched } from './telemetry/watched.ts';

export interface GatewayApp {
  readonly app: FastifyInstance;
  /** Shows the figures, where they have a port of their own; it is closed with the app. */
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
  /** What the store starts from, instead of the configured file. */
  readonly seed?: unknown;
  readonly logLevel?: 'silent' | 'warn' | 'info';
  /** Where the log goes, a line of JSON at a time; standard output unless told. */
  readonly logTo?: LogTarget;
  readonly stores?: Stores;
}

/** Builds the whole gateway from its configuration, ready to listen. */
export async function compose(config: Config, replacements: Replacements = {}): Promise<GatewayApp> {
  const { clock = Date.now, logLevel = config.demo ? 'warn' : 'info' } = replacements;
  const given: Stores = replacements.stores ?? {
    events: createMemoryEventStore<EventRecord>(clock),
    notifications: createMemoryNotificationStore<NotificationRecord>(clock),
  };
  const { secret, notice } = config.demo ? demoSecret(config.stateFolder) : { secret: config.auth.secret, notice: undefined };
  const tools: EventTools = {
    clock,
    links: { event: `${config.calendarUrl}/event`, call: `${config.calendarUrl}/call` },
    signingSecret: config.signingSecret ?? secret ?? randomBytes(32).toString('base64url'),
  };
  await loadSeed(replacements.seed ?? readSeed(config.seedFile), { ...given, eventTools: tools, hosts: config });
  const metrics = createMetrics(() => given.notifications.backlog(), clock);
  const tracing = config.tracing ? await createTracing(config.tracing) : noTracing;
  const watch = <Port extends object>(name: string, port: Port): Port => watched(name, port, metrics, tracing);
  const stores: Stores = { events: watch('events', given.events), notifications: watch('notifications', given.notifications) };

  const gateway = createGateway();
  const demoToken =
    config.demo && secret
      ? await signToken(secret, { sub: demoUser, scopes: fewestScopes(gateway.scopeRules.values()), expires: clock() + dayMs })
      : undefined;
  const limiter = config.rateLimit === 'off' ? undefined : createRateLimiter(config.rateLimit, clock);
  const apollo = createServer(gateway, {
    introspection: config.introspection,
    explorer: config.explorer,
    demoToken,
    hideSchema: !config.demo,
    limiter,
    inputChecks: inputChecks(config.pubsubHost),
  });
  const log = createMessageLog();
  const { brokerUrl } = config;
  const publisher = watch('publisher', brokerUrl === undefined ? createMemoryPublisher() : createNatsPublisher(brokerUrl));
  const delivery: { relay?: Relay } = {};
  const noticeLog: { write?: (line: object) => void; failed?: (error: unknown) => void } = {};
  const app = await createApp({
    apollo,
    verify: createTokenVerifier({ ...config.auth, secret }, clock),
    services: {
      events: createEventService({
        store: stores.events,
        notifier: harmless(replacements.notifier ?? createLogNotifier((line) => noticeLog.write?.(line)), (error) => noticeLog.failed?.(error)),
        tools,
      }),
      notifications: createNotificationService({ store: stores.notifications, clock, ...config }),
      publishing: createPublishingService({
        store: stores.notifications,
        log,
        clock,
        pubsubHost: config.pubsubHost,
        onStored: () => delivery.relay?.wake(),
      }),
    },
    limiter,
    backlog: () => given.notifications.backlog(),
    clock,
    loaders: () => createLoaders(stores),
    metrics,
    showMetrics: !config.metrics,
    tracing,
    corsOrigins: config.corsOrigins,
    connections: config.connections,
    demo: config.demo,
    explorer: config.explorer,
    logLevel,
    logTo: replacements.logTo,
  });
  noticeLog.failed = (err) => app.log.error({ err }, 'guests could not be told');
  noticeLog.write = (line) => app.log.info(line, 'guests are told');
  app.addHook('onReady', async () => {
    delivery.relay = startRelay({
      outbox: stores.notifications,
      publisher,
      onPublished: (message) => log.add(message),
      onFailure: (err) => app.log.warn({ err }, 'messages could not be published; they are kept and tried again'),
    });
  });
  const metricsServer = config.metrics && createMetricsServer(metrics);
  app.addHook('onClose', async () => {
    await delivery.relay?.stop();
    await publisher.close();
    await metricsServer?.close();
    await tracing.close();
  });
  return { app, metricsServer, demoToken, notices: notice === undefined ? [] : [notice], stores: given };
}

/** A notifier whose failure never makes the change fail that is stored by then. */
function harmless(notifier: GuestNotifier, onFailure: (error: unknown) => void): GuestNotifier {
  return {
    notify: (notice) => {
      try {
        notifier.notify(notice);
      } catch (error) {
        onFailure(error);
      }
    },
  };
}

/** What resources say of a value by itself, paths from the value on. */
function inputChecks(pubsubHost: string): InputChecks {
  const fromArgument = (issues: readonly Issue[]): Issue[] => issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
  return {
    EventInput: eventInputIssues,
    NotificationInput: (value) => fromArgument(checkBody(value, pubsubHost).issues),
    ObjectChangeInput: (value) => fromArgument(changeIssues({ objectId: '', ...(value as Omit<ObjectChangeBody, 'objectId'>) })),
  };
}

function readSeed(file: string | undefined): unknown {
  if (file === undefined) return demoData;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`SEED_FILE: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

const dayMs = 24 * 60 * 60 * 1000;
