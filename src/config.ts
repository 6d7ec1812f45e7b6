import { filterFields } from './core/json.ts';
import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { environment } from './config/environment.ts';
import { readUpstream } from './config/mail-and-upstream.ts';
import { StartError } from './core/errors.ts';

/** Settings of a gateway. Without AUTH_… variables and UPSTREAM it is a demo. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Invalid settings. The message names each variable. */
export class ConfigError extends StartError {}

/** Reads the configuration from environment variables. Empty variables count as absent. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env) {
  const nonEmptyVariables = filterFields(env, (value) => value !== undefined && value !== '');
  const parsedEnvironment = environment.safeParse(nonEmptyVariables);
  if (!parsedEnvironment.success) {
    const lines = parsedEnvironment.error.issues.map(
      (issue) => `  ${issue.path.join('.')}: ${issue.message}`,
    );
    throw new ConfigError(`The configuration is not valid:\n${lines.join('\n')}`);
  }
  const variables = parsedEnvironment.data;
  const webhooks: { readonly file?: string; readonly networks: readonly string[] } = {
    file: variables.WEBHOOKS_FILE,
    networks: variables.WEBHOOK_NETWORKS ?? [],
  };
  const emulatorHost = variables.PUBSUB_EMULATOR_HOST;
  const upstream = readUpstream(variables);
  const isDemo =
    variables.AUTH_JWT_SECRET === undefined && variables.AUTH_JWKS_URL === undefined && !upstream;
  return {
    port: variables.PORT,
    host: variables.HOST,
    /** Whether this is a demo, with data and tokens of its own. */
    demo: isDemo,
    auth: {
      secret: variables.AUTH_JWT_SECRET,
      jwksUrl: variables.AUTH_JWKS_URL,
      issuer: variables.AUTH_ISSUER,
      audience: variables.AUTH_AUDIENCE,
    },
    upstream,
    /** `postgres://…`; absent: all data is kept in memory. */
    databaseUrl: variables.DATABASE_URL,
    /** Maximum connections to the database for requests. */
    databasePool: variables.DATABASE_POOL,
    /** `nats://…`; absent: messages stay in this process. */
    brokerUrl: variables.BROKER_URL,
    /** File of the webhooks, and non-public networks that they and channels may reach. */
    webhooks,
    /** Whether callers may have changes of calendars posted to them. */
    channels: variables.CHANNELS === 'on',
    mail: variables.SMTP_URL &&
      variables.MAIL_FROM && { server: variables.SMTP_URL, from: variables.MAIL_FROM },
    seedFile: variables.SEED_FILE,
    /** `auto`: callers with an e-mail address get a primary calendar on first use. */
    primaryCalendars: variables.PRIMARY_CALENDARS,
    /** Serves iCalendar feeds of local calendars. */
    calendarFeeds: variables.CALENDAR_FEEDS ? variables.CALENDAR_FEEDS === 'on' : isDemo,
    calendarTimeZone: variables.CALENDAR_TIME_ZONE,
    /** Cost of the requests that one caller may send per minute, or `off`. */
    rateLimit: variables.RATE_LIMIT,
    /** Manifest of known operations. `isExclusive`: no others are allowed. */
    operations:
      variables.OPERATIONS_FILE === undefined
        ? undefined
        : { file: variables.OPERATIONS_FILE, isExclusive: variables.OPERATIONS === 'listed' },
    /** `on`: documents are compiled after their first response; `eager`: before. */
    compiledOperations: variables.COMPILED_OPERATIONS,
    // The explorer sends documents that are in no manifest.
    explorer: variables.EXPLORER ? variables.EXPLORER === 'on' : isDemo && variables.OPERATIONS !== 'listed',
    /** Callers who may read the schema. */
    introspection: variables.INTROSPECTION ?? (isDemo ? 'open' : 'authenticated'),
    /** Whether the REST APIs for Google's clients are served. */
    rest: variables.REST ? variables.REST === 'on' : isDemo && variables.OPERATIONS !== 'listed',
    /** Serves `_service` for the router of a federated graph. */
    federation: variables.FEDERATION === 'on',
    corsOrigins: variables.CORS_ORIGINS ?? [],
    /** Host of topics that are sent without one. */
    pubsubHost: variables.PUBSUB_HOST,
    /** Absent: Google Cloud Pub/Sub is not used. `emulatorHost`: `host:port` of an emulator to use instead. */
    pubsub:
      (variables.PUBSUB ?? (emulatorHost === undefined ? 'off' : 'on')) === 'on'
        ? { emulatorHost }
        : undefined,
    storageHost: variables.STORAGE_HOST,
    /** Base URL of links to events and calls, without a trailing slash. */
    calendarUrl: variables.CALENDAR_URL.replace(/\/+$/, ''),
    /**
     * Key that signs sync tokens, cursors, conferences and feed addresses; absent: another secret of the
     * gateway is used.
     */
    signingSecret: variables.SIGNING_SECRET,
    /** Maximum open connections: in all, and of one address. */
    connections: { total: variables.MAX_CONNECTIONS, perAddress: variables.MAX_CONNECTIONS_PER_ADDRESS },
    /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: variables.TRUST_PROXY ?? [],
    /** Seconds during which a stopping gateway still serves, but reports itself as not ready. */
    drainDelay: variables.DRAIN_DELAY ?? (isDemo ? 0 : 5),
    // Request lines would push the demo's welcome text out of sight.
    logLevel: variables.LOG_LEVEL ?? (isDemo ? 'warn' : 'info'),
    /** Separate address of `/metrics`; absent: on the main port, for loopback clients only. */
    metrics:
      variables.METRICS_PORT === undefined
        ? undefined
        : { host: variables.METRICS_HOST ?? '127.0.0.1', port: variables.METRICS_PORT },
    tracing: readTracing(variables),
    /** Folder for state that outlives the process (XDG Base Directory Specification). */
    stateFolder: findStateFolder(variables.XDG_STATE_HOME, variables.HOME),
  };
}

/** Reads the settings of traces; undefined if none are sent. */
function readTracing(env: z.infer<typeof environment>) {
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
function findStateFolder(stateHome: string | undefined, home: string | undefined): string | undefined {
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, 'resource-gateway');
  return home !== undefined && isAbsolute(home)
    ? join(home, '.local', 'state', 'resource-gateway')
    : undefined;
}
