import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { environment, type samplers } from './config/environment.ts';
import { type Mailbox, type SmtpUrl, type Upstream, upstreamOf } from './config/upstream.ts';
import { StartError } from './core/errors.ts';
import type { LogLevel } from './core/runtime/log.ts';

interface Tracing {
  /** Base of the collector's URL, without a slash at the end. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** Further resource attributes. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  /** Share of traces for the samplers by ratio. */
  readonly ratio: number;
}

/** The settings of a gateway. Without AUTH_… variables and UPSTREAM it is a demo. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly demo: boolean;
  readonly auth: {
    readonly secret?: string;
    readonly jwksUrl?: string;
    readonly issuer?: string;
    readonly audience?: string;
  };
  /** Services that the gateway stands in front of; their callers are who these say. */
  readonly upstream?: Upstream;
  /** `postgres://…`; absent: all data is in the memory of this process. */
  readonly databaseUrl?: string;
  /** Size of the connection pool. */
  readonly databasePool: number;
  /** `nats://…`; absent: messages stay in this process. */
  readonly brokerUrl?: string;
  /** The file that names webhooks, and networks that they may reach though not public. */
  readonly webhooks: { readonly file?: string; readonly networks: readonly string[] };
  /** Absent: guests are sent no mails. */
  readonly mail?: { readonly server: SmtpUrl; readonly from: Mailbox };
  readonly seedFile?: string;
  /** Whether callers with an address get a primary calendar when they first need it. */
  readonly primaryCalendars: 'auto' | 'off';
  /** Of calendars that are made without a time zone. */
  readonly calendarTimeZone: string;
  /** Root fields per minute and caller. */
  readonly rateLimit: number | 'off';
  /** A manifest of operations, and whether these are the only ones that run. */
  readonly operations?: { readonly file: string; readonly only: boolean };
  /** `on`: documents are compiled after their first answer; `eager`: before it. */
  readonly compiledOperations: 'on' | 'off' | 'eager';
  readonly explorer: boolean;
  readonly introspection: 'open' | 'authenticated' | 'off';
  /** Serves the REST APIs beside GraphQL. */
  readonly rest: boolean;
  /** Answers `_service` for the router of a federated graph. */
  readonly federation: boolean;
  /** Origins of pages that may call the gateway. */
  readonly corsOrigins: readonly string[];
  readonly pubsubHost: string;
  /** Absent: nothing goes to Google Cloud Pub/Sub. With `host:port` of an emulator, which then takes its place. */
  readonly pubsub?: { readonly emulatorHost?: string };
  readonly storageHost: string;
  /** Base of the links to events and calls, without a slash at the end. */
  readonly calendarUrl: string;
  readonly signingSecret?: string;
  /** Limits of open connections. */
  readonly connections: { readonly total: number; readonly perAddress: number };
  readonly logLevel: LogLevel;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Seconds for which a stopping gateway serves while it is not ready. */
  readonly drainDelay: number;
  /** A separate port for metrics; absent: `/metrics` on the main port, for this machine only. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Absent: no traces. */
  readonly tracing?: Tracing;
  /** Folder for state that outlives the process (XDG Base Directory Specification). */
  readonly stateFolder?: string;
}

/** Ends the start because of wrong values; the message names each variable. */
export class ConfigError extends StartError {}

/** Reads the configuration; an empty variable counts as absent. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The configuration is not valid:\n${lines.join('\n')}`);
  }
  const value = parsed.data;
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
    databaseUrl: value.DATABASE_URL,
    databasePool: value.DATABASE_POOL,
    brokerUrl: value.BROKER_URL,
    webhooks: { file: value.WEBHOOKS_FILE, networks: value.WEBHOOK_NETWORKS ?? [] },
    mail: value.SMTP_URL && value.MAIL_FROM && { server: value.SMTP_URL, from: value.MAIL_FROM },
    seedFile: value.SEED_FILE,
    primaryCalendars: value.PRIMARY_CALENDARS,
    calendarTimeZone: value.CALENDAR_TIME_ZONE,
    rateLimit: value.RATE_LIMIT,
    operations:
      value.OPERATIONS_FILE === undefined
        ? undefined
        : { file: value.OPERATIONS_FILE, only: value.OPERATIONS === 'listed' },
    compiledOperations: value.COMPILED_OPERATIONS,
    explorer: value.EXPLORER ? value.EXPLORER === 'on' : demo,
    introspection: value.INTROSPECTION ?? (demo ? 'open' : 'authenticated'),
    rest: value.REST ? value.REST === 'on' : demo && value.OPERATIONS !== 'listed',
    federation: value.FEDERATION === 'on',
    corsOrigins: value.CORS_ORIGINS ?? [],
    pubsubHost: value.PUBSUB_HOST,
    pubsub:
      (value.PUBSUB ?? (emulatorHost === undefined ? 'off' : 'on')) === 'on' ? { emulatorHost } : undefined,
    storageHost: value.STORAGE_HOST,
    calendarUrl: value.CALENDAR_URL.replace(/\/+$/, ''),
    signingSecret: value.SIGNING_SECRET,
    connections: { total: value.MAX_CONNECTIONS, perAddress: value.MAX_CONNECTIONS_PER_ADDRESS },
    trustedProxies: value.TRUST_PROXY ?? [],
    drainDelay: value.DRAIN_DELAY ?? (demo ? 0 : 5),
    // Lines for the requests of browsers would push the demo's banner out of sight.
    logLevel: value.LOG_LEVEL ?? (demo ? 'warn' : 'info'),
    metrics:
      value.METRICS_PORT === undefined
        ? undefined
        : { host: value.METRICS_HOST ?? '127.0.0.1', port: value.METRICS_PORT },
    tracing: tracing(value),
    stateFolder: stateFolder(value.XDG_STATE_HOME, value.HOME),
  };
}

function tracing(env: z.infer<typeof environment>): Tracing | undefined {
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
