import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { environment } from './config/environment.ts';
import { upstreamOf } from './config/upstream.ts';
import { StartError } from './core/errors.ts';

/** The settings of a gateway. Without AUTH_… variables and UPSTREAM it is a demo. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Ends the start because of wrong values; the message names each variable. */
export class ConfigError extends StartError {}

/** Reads the configuration; an empty variable counts as absent. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The configuration is not valid:\n${lines.join('\n')}`);
  }
  const value = parsed.data;
  const webhooks: { readonly file?: string; readonly networks: readonly string[] } = {
    file: value.WEBHOOKS_FILE,
    networks: value.WEBHOOK_NETWORKS ?? [],
  };
  const emulatorHost = value.PUBSUB_EMULATOR_HOST;
  const upstream = upstreamOf(value);
  const demo = value.AUTH_JWT_SECRET === undefined && value.AUTH_JWKS_URL === undefined && !upstream;
  return {
    port: value.PORT,
    host: value.HOST,
    demo,
    auth: {
      secret: value.AUTH_JWT_SECRET,
      jwksUrl: value.AUTH_JWKS_URL,
      issuer: value.AUTH_ISSUER,
      audience: value.AUTH_AUDIENCE,
    },
    /** Services that the gateway stands in front of; their callers are who these say. */
    upstream,
    /** `postgres://…`; absent: all data is in the memory of this process. */
    databaseUrl: value.DATABASE_URL,
    /** Size of the connection pool. */
    databasePool: value.DATABASE_POOL,
    /** `nats://…`; absent: messages stay in this process. */
    brokerUrl: value.BROKER_URL,
    /** The file that names webhooks, and networks that they may reach though not public. */
    webhooks,
    /** Absent: guests are sent no mails. */
    mail: value.SMTP_URL && value.MAIL_FROM && { server: value.SMTP_URL, from: value.MAIL_FROM },
    seedFile: value.SEED_FILE,
    /** Whether callers with an address get a primary calendar when they first need it. */
    primaryCalendars: value.PRIMARY_CALENDARS,
    /** The zone of calendars that are made without one. */
    calendarTimeZone: value.CALENDAR_TIME_ZONE,
    /** Root fields per minute and caller. */
    rateLimit: value.RATE_LIMIT,
    /** A manifest of operations, and whether these are the only ones that run. */
    operations:
      value.OPERATIONS_FILE === undefined
        ? undefined
        : { file: value.OPERATIONS_FILE, only: value.OPERATIONS === 'listed' },
    /** `on`: documents are compiled after their first answer; `eager`: before it. */
    compiledOperations: value.COMPILED_OPERATIONS,
    // Documents that pages send are in no manifest.
    explorer: value.EXPLORER ? value.EXPLORER === 'on' : demo && value.OPERATIONS !== 'listed',
    introspection: value.INTROSPECTION ?? (demo ? 'open' : 'authenticated'),
    /** Serves the REST APIs beside GraphQL. */
    rest: value.REST ? value.REST === 'on' : demo && value.OPERATIONS !== 'listed',
    /** Answers `_service` for the router of a federated graph. */
    federation: value.FEDERATION === 'on',
    /** Origins of pages that may call the gateway. */
    corsOrigins: value.CORS_ORIGINS ?? [],
    pubsubHost: value.PUBSUB_HOST,
    /** Absent: nothing goes to Google Cloud Pub/Sub. With `host:port` of an emulator, which then takes its place. */
    pubsub:
      (value.PUBSUB ?? (emulatorHost === undefined ? 'off' : 'on')) === 'on' ? { emulatorHost } : undefined,
    storageHost: value.STORAGE_HOST,
    /** Base of the links to events and calls, without a slash at the end. */
    calendarUrl: value.CALENDAR_URL.replace(/\/+$/, ''),
    signingSecret: value.SIGNING_SECRET,
    /** Limits of open connections. */
    connections: { total: value.MAX_CONNECTIONS, perAddress: value.MAX_CONNECTIONS_PER_ADDRESS },
    /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: value.TRUST_PROXY ?? [],
    /** Seconds for which a stopping gateway serves while it is not ready. */
    drainDelay: value.DRAIN_DELAY ?? (demo ? 0 : 5),
    // Lines for the requests of browsers would push the demo's banner out of sight.
    logLevel: value.LOG_LEVEL ?? (demo ? 'warn' : 'info'),
    /** A separate port for metrics; absent: `/metrics` on the main port, for this machine only. */
    metrics:
      value.METRICS_PORT === undefined
        ? undefined
        : { host: value.METRICS_HOST ?? '127.0.0.1', port: value.METRICS_PORT },
    /** Absent: no traces. */
    tracing: tracing(value),
    /** Folder for state that outlives the process (XDG Base Directory Specification). */
    stateFolder: stateFolder(value.XDG_STATE_HOME, value.HOME),
  };
}

function tracing(env: z.infer<typeof environment>) {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_RESOURCE_ATTRIBUTES: attributes = {},
    OTEL_SERVICE_NAME: name,
  } = env;
  if (endpoint === undefined || env.OTEL_SDK_DISABLED === 'true') return undefined;
  return {
    /** Base of the collector's URL, without a slash at the end. */
    endpoint: endpoint.replace(/\/+$/, ''),
    serviceName: name ?? attributes['service.name'] ?? 'resource-gateway',
    /** Further resource attributes. */
    attributes,
    sampler: env.OTEL_TRACES_SAMPLER,
    /** Share of traces for the samplers by ratio. */
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** Relative paths are ignored (XDG Base Directory Specification). */
function stateFolder(state: string | undefined, home: string | undefined): string | undefined {
  if (state !== undefined && isAbsolute(state)) return join(state, 'resource-gateway');
  return home !== undefined && isAbsolute(home)
    ? join(home, '.local', 'state', 'resource-gateway')
    : undefined;
}
