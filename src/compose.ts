import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import type { FastifyInstance } from 'fastify';
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
import { bodyIssues } from './event/event.input.ts';
import { createEventService } from './event/event.service.ts';
import type { EventTools } from './event/event.tools.ts';
import { eventFields } from './event/model/fields.ts';
import { compileModel, type EventModel } from './event/model/model.ts';
import type { FieldTable } from './core/fields/table.ts';
import type { InputChecks } from './graphql/input-errors.ts';
import { createLoaders, type Stores } from './graphql/loaders.ts';
import { createGateway } from './graphql/schema.ts';
import { createServer } from './graphql/server.ts';
import { createApp, type LogTarget } from './http/app.ts';
import { checkBody } from './notification/notification.checks.ts';
import type { NotificationRecord } from './notification/notification.ts';
import { changeIssues, type ObjectChangeBody } from './notification/object-change.ts';
import { createNotificationService } from './notification/notification.service.ts';
import { createPublishingService } from './notification/publishing.service.ts';
import { demoData, demoUser } from './seed/demo-data.ts';
import { loadSeed } from './seed/seed.ts';

export interface GatewayApp {
  readonly app: FastifyInstance;
  /** A token for every scope, when the gateway runs as a demo. */
  readonly demoToken: string | undefined;
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
  /** The table of an event's fields, to see what a row does. */
  readonly eventFields?: FieldTable;
}

/** Builds the whole gateway from its configuration, ready to listen. */
export async function compose(config: Config, replacements: Replacements = {}): Promise<GatewayApp> {
  const { clock = Date.now, logLevel = config.demo ? 'warn' : 'info' } = replacements;
  const stores: Stores = replacements.stores ?? {
    events: createMemoryEventStore(clock),
    notifications: createMemoryNotificationStore<NotificationRecord>(clock),
  };
  const secret = config.demo ? randomBytes(32).toString('base64url') : config.auth.secret;
  const tools: EventTools = {
    model: compileModel(replacements.eventFields ?? eventFields),
    clock,
    links: { event: `${config.calendarUrl}/event`, call: `${config.calendarUrl}/call` },
    signingSecret: config.signingSecret ?? secret ?? randomBytes(32).toString('base64url'),
  };
  await loadSeed(replacements.seed ?? readSeed(config.seedFile), { ...stores, eventTools: tools, hosts: config });

  const gateway = createGateway();
  const demoToken = config.demo && secret ? await signDemoToken(secret, gateway.scopeRules.values(), clock()) : undefined;
  const apollo = createServer(gateway, {
    introspection: config.introspection,
    explorer: config.explorer,
    demoToken,
    hideSchema: !config.demo,
    limiter: config.rateLimit === 'off' ? undefined : createRateLimiter(config.rateLimit, clock),
    inputChecks: inputChecks(config.pubsubHost, tools.model),
  });
  const log = createMessageLog();
  const { brokerUrl } = config;
  const publisher = brokerUrl === undefined ? createMemoryPublisher() : createNatsPublisher(brokerUrl);
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
    backlog: () => stores.notifications.backlog(),
    clock,
    loaders: () => createLoaders(stores),
    corsOrigins: config.corsOrigins,
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
  app.addHook('onClose', async () => {
    await delivery.relay?.stop();
    await publisher.close();
  });
  return { app, demoToken, stores };
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
function inputChecks(pubsubHost: string, model: EventModel): InputChecks {
  const fromArgument = (issues: readonly Issue[]): Issue[] => issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
  return {
    EventInput: (value) => bodyIssues(model, value),
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

/** A token that passes every scope rule, valid for a day; its secret dies with the process. */
async function signDemoToken(secret: string, rules: Iterable<readonly (readonly string[])[]>, now: number): Promise<string> {
  const scopes = new Set([...rules].flat(2));
  return new SignJWT({ email: demoUser, scope: [...scopes].join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(demoUser)
    .setExpirationTime(new Date(now + dayMs))
    .sign(Buffer.from(secret, 'utf8'));
}
