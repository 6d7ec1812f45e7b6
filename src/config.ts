import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { environment, type samplers } from './config/environment.ts';
import { StartError } from './core/kernel/errors.ts';
import type { LogLevel } from './core/runtime/log.ts';

export interface Tracing {
  /** Base of the collector's URL, without a slash at the end. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** What else is known of the service. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  /** The share of traces that the samplers by ratio let through. */
  readonly ratio: number;
}

/** What the environment asks for. Without any AUTH_… variable the gateway is a demo. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly demo: boolean;
  readonly auth: { readonly secret?: string; readonly jwksUrl?: string; readonly issuer?: string; readonly audience?: string };
  /** `postgres://…`; absent: everything is kept in this process. */
  readonly databaseUrl?: string;
  /** How many connections to the database requests share. */
  readonly databasePool: number;
  /** `nats://…`; absent: messages stay in this process. */
  readonly brokerUrl?: string;
  readonly seedFile?: string;
  /** Root fields per minute and caller. */
  readonly rateLimit: number | 'off';
  /** A manifest of operations, and whether these are the only ones that run. */
  readonly operations?: { readonly file: string; readonly only: boolean };
  /** Whether documents are compiled: once they were answered, never, or when they are seen first. */
  readonly compiledOperations: 'on' | 'off' | 'eager';
  readonly explorer: boolean;
  readonly introspection: 'open' | 'authenticated' | 'off';
  /** Whether a router of a federated graph may ask for the SDL (`_service`). */
  readonly federation: boolean;
  /** Origins whose pages may call the gateway. */
  readonly corsOrigins: readonly string[];
  readonly pubsubHost: string;
  readonly storageHost: string;
  /** Base of the links to events and calls, without a slash at the end. */
  readonly calendarUrl: string;
  readonly signingSecret?: string;
  /** How many connections are held at once: in all, and from one address. */
  readonly connections: { readonly total: number; readonly perAddress: number };
  readonly logLevel: LogLevel;
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[];
  /** For how many seconds a gateway that is told to stop serves on while it is not ready. */
  readonly drainDelay: number;
  /** Where metrics have a port of their own; absent: at `/metrics`, for this machine only. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Where traces go; absent: there are none. */
  readonly tracing?: Tracing;
  /** The folder for what outlives the process (XDG base directories); absent: nothing does. */
  readonly stateFolder?: string;
}

/** A variable with a wrong value: the start is refused, and the message names each one. */
export class ConfigError extends StartError {}

/** Reads the configuration; an empty variable counts as absent. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The configuration is not valid:\n${lines.join('\n')}`);
  }
  const value = parsed.data;
  const demo = value.AUTH_JWT_SECRET === undefined && value.AUTH_JWKS_URL === undefined;
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
    databaseUrl: value.DATABASE_URL,
    databasePool: value.DATABASE_POOL,
    brokerUrl: value.BROKER_URL,
    seedFile: value.SEED_FILE,
    rateLimit: value.RATE_LIMIT,
    operations: value.OPERATIONS_FILE === undefined ? undefined : { file: value.OPERATIONS_FILE, only: value.OPERATIONS === 'listed' },
    compiledOperations: value.COMPILED_OPERATIONS,
    explorer: value.EXPLORER ? value.EXPLORER === 'on' : demo,
    introspection: value.INTROSPECTION ?? (demo ? 'open' : 'authenticated'),
    federation: value.FEDERATION === 'on',
    corsOrigins: value.CORS_ORIGINS ?? [],
    pubsubHost: value.PUBSUB_HOST,
    storageHost: value.STORAGE_HOST,
    calendarUrl: value.CALENDAR_URL.replace(/\/+$/, ''),
    signingSecret: value.SIGNING_SECRET,
    connections: { total: value.MAX_CONNECTIONS, perAddress: value.MAX_CONNECTIONS_PER_ADDRESS },
    trustedProxies: value.TRUST_PROXY ?? [],
    drainDelay: value.DRAIN_DELAY ?? (demo ? 0 : 5),
    // The demo's banner is not to be pushed out of sight by what browsers ask for.
    logLevel: value.LOG_LEVEL ?? (demo ? 'warn' : 'info'),
    metrics: value.METRICS_PORT === undefined ? undefined : { host: value.METRICS_HOST ?? '127.0.0.1', port: value.METRICS_PORT },
    tracing: tracing(value),
    stateFolder: stateFolder(value.XDG_STATE_HOME, value.HOME),
  };
}

function tracing(env: z.infer<typeof environment>): Tracing | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_RESOURCE_ATTRIBUTES: attributes = {}, OTEL_SERVICE_NAME: name } = env;
  if (endpoint === undefined || env.OTEL_SDK_DISABLED === 'true') return undefined;
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    serviceName: name ?? attributes['service.name'] ?? 'resource-gateway',
    attributes,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** A relative path counts as absent, as the XDG Base Directory Specification has it. */
function stateFolder(state: string | undefined, home: string | undefined): string | undefined {
  if (state !== undefined && isAbsolute(state)) return join(state, 'resource-gateway');
  return home !== undefined && isAbsolute(home) ? join(home, '.local', 'state', 'resource-gateway') : undefined;
}
