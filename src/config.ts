import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { environment } from './config/environment.ts';
import { upstreamOf } from './config/upstream.ts';
import { StartError } from './core/errors.ts';

/** Settings of a gateway. Without AUTH_… variables and UPSTREAM it is a demo. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Invalid settings. The message names each variable. */
export class ConfigError extends StartError {}

/** Reads the configuration from environment variables. Empty variables count as absent. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env) {
  const nonEmpty = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(nonEmpty);
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
    upstream,
    /** `postgres://…`; absent: all data is kept in memory. */
    databaseUrl: value.DATABASE_URL,
    databasePool: value.DATABASE_POOL,
    /** `nats://…`; absent: messages stay in this process. */
    brokerUrl: value.BROKER_URL,
    /** File of the webhooks, and non-public networks that they may reach. */
    webhooks,
    mail: value.SMTP_URL && value.MAIL_FROM && { server: value.SMTP_URL, from: value.MAIL_FROM },
    seedFile: value.SEED_FILE,
    /** `auto`: callers with an e-mail address get a primary calendar on first use. */
    primaryCalendars: value.PRIMARY_CALENDARS,
    calendarTimeZone: value.CALENDAR_TIME_ZONE,
    rateLimit: value.RATE_LIMIT,
    /** Manifest of known operations. `only`: no others are allowed. */
    operations:
      value.OPERATIONS_FILE === undefined
        ? undefined
        : { file: value.OPERATIONS_FILE, only: value.OPERATIONS === 'listed' },
    /** `on`: documents are compiled after their first response; `eager`: before. */
    compiledOperations: value.COMPILED_OPERATIONS,
    // The explorer sends documents that are in no manifest.
    explorer: value.EXPLORER ? value.EXPLORER === 'on' : demo && value.OPERATIONS !== 'listed',
    introspection: value.INTROSPECTION ?? (demo ? 'open' : 'authenticated'),
    rest: value.REST ? value.REST === 'on' : demo && value.OPERATIONS !== 'listed',
    /** Serves `_service` for the router of a federated graph. */
    federation: value.FEDERATION === 'on',
    corsOrigins: value.CORS_ORIGINS ?? [],
    pubsubHost: value.PUBSUB_HOST,
    /** Absent: Google Cloud Pub/Sub is not used. `emulatorHost`: `host:port` of an emulator to use instead. */
    pubsub:
      (value.PUBSUB ?? (emulatorHost === undefined ? 'off' : 'on')) === 'on' ? { emulatorHost } : undefined,
    storageHost: value.STORAGE_HOST,
    /** Base URL of links to events and calls, without a trailing slash. */
    calendarUrl: value.CALENDAR_URL.replace(/\/+$/, ''),
    signingSecret: value.SIGNING_SECRET,
    connections: { total: value.MAX_CONNECTIONS, perAddress: value.MAX_CONNECTIONS_PER_ADDRESS },
    /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: value.TRUST_PROXY ?? [],
    /** Seconds during which a stopping gateway still serves, but reports itself as not ready. */
    drainDelay: value.DRAIN_DELAY ?? (demo ? 0 : 5),
    // Request lines would push the demo's welcome text out of sight.
    logLevel: value.LOG_LEVEL ?? (demo ? 'warn' : 'info'),
    /** Separate address of `/metrics`; absent: on the main port, for loopback clients only. */
    metrics:
      value.METRICS_PORT === undefined
        ? undefined
        : { host: value.METRICS_HOST ?? '127.0.0.1', port: value.METRICS_PORT },
    tracing: tracingSettings(value),
    /** Folder for state that outlives the process (XDG Base Directory Specification). */
    stateFolder: findStateFolder(value.XDG_STATE_HOME, value.HOME),
  };
}

function tracingSettings(env: z.infer<typeof environment>) {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_RESOURCE_ATTRIBUTES: attributes = {},
    OTEL_SERVICE_NAME: name,
  } = env;
  if (endpoint === undefined || env.OTEL_SDK_DISABLED === 'true') return undefined;
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    serviceName: name ?? attributes['service.name'] ?? 'resource-gateway',
    attributes,
    sampler: env.OTEL_TRACES_SAMPLER,
    /** Share of traces for ratio samplers, 0 to 1. */
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** Finds the folder for state. Ignores relative paths (XDG Base Directory Specification). */
function findStateFolder(state: string | undefined, home: string | undefined): string | undefined {
  if (state !== undefined && isAbsolute(state)) return join(state, 'resource-gateway');
  return home !== undefined && isAbsolute(home)
    ? join(home, '.local', 'state', 'resource-gateway')
    : undefined;
}
