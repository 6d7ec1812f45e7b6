import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { StartError } from './core/kernel/errors.ts';
import { isLoopbackHost } from './core/text/address.ts';

const text = z.string().min(1).optional();

/** A URL with one of these protocols; `fault` says what else is wrong with one. */
const webUrl = (protocols: readonly string[], fault: (value: string) => string | undefined = () => undefined) =>
  z.string().superRefine((value, context) => {
    const message = !protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))
      ? `must be a URL that starts with ${protocols.join('// or ')}//`
      : URL.canParse(value)
        ? fault(value)
        : 'must be a valid URL: its host is a name or an address, its port at most 65535, and / ? # in a password are written %2F %3F %23';
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Something is put behind it, which would come into a query or a fragment. */
const isBase = (value: string): string | undefined => (/[?#]/.test(value) ? 'must have neither a query (?) nor a fragment (#)' : undefined);
const hasHost = (value: string): string | undefined => (new URL(value).hostname === '' ? 'must name a host, such as nats://broker:4222' : undefined);

const secret = z.string().refine((value) => Buffer.byteLength(value.trim()) >= 32, 'must have at least 32 bytes, blanks around them not counted');

const origins = z
  .string()
  .transform((value) => value.split(',').map((origin) => origin.trim()))
  .refine((list) => list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
    message: 'must be a comma-separated list of origins such as https://app.example.com',
  });

// Digits alone: `1e3`, `0x10` and a blank are slips of the pen.
const port = z
  .string()
  .refine((value) => /^\d{1,5}$/.test(value) && Number(value) <= 65535, 'must be a port number, 0 to 65535')
  .transform(Number);
const rate = z
  .string()
  .regex(/^(off|[1-9]\d{0,8})$/, 'must be a whole number of 1 or more, or off')
  .transform((value) => (value === 'off' ? value : Number(value)));

const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be a whole number of 1 or more')
  .transform(Number);

const hostName = z.string().regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i, 'must be a host name');

const environment = z
  .object({
    PORT: port.default(4000),
    HOST: z.string().min(1).default('127.0.0.1'),
    AUTH_JWT_SECRET: secret.optional(),
    AUTH_JWKS_URL: webUrl(['https:', 'http:']).optional(),
    AUTH_ISSUER: text,
    AUTH_AUDIENCE: text,
    DATABASE_URL: webUrl(['postgres:', 'postgresql:']).optional(),
    BROKER_URL: webUrl(['nats:'], hasHost).optional(),
    SEED_FILE: text,
    RATE_LIMIT: rate.default(6000),
    COMPILED_OPERATIONS: z.enum(['on', 'off', 'eager'], 'must be on, off or eager').default('on'),
    WORKERS: z.string().regex(/^[1-9]\d?$/, 'must be a whole number from 1 to 99').transform(Number).default(1),
    OPERATIONS_FILE: text,
    OPERATIONS: z.enum(['any', 'listed'], 'must be any or listed').default('any'),
    EXPLORER: z.enum(['on', 'off'], 'must be on or off').optional(),
    FEDERATION: z.enum(['on', 'off'], 'must be on or off').default('off'),
    INTROSPECTION: z.enum(['open', 'authenticated', 'off'], 'must be open, authenticated or off').optional(),
    CORS_ORIGINS: origins.optional(),
    MAX_CONNECTIONS: count.default(4096),
    MAX_CONNECTIONS_PER_ADDRESS: count.default(2048),
    METRICS_HOST: text,
    METRICS_PORT: port.optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: webUrl(['https:', 'http:'], isBase).optional(),
    OTEL_SERVICE_NAME: z.string().min(1).default('resource-gateway'),
    XDG_STATE_HOME: text,
    HOME: text,
    PUBSUB_HOST: hostName.default('pubsub.googleapis.com'),
    STORAGE_HOST: hostName.default('www.googleapis.com'),
    CALENDAR_URL: webUrl(['https:', 'http:'], isBase).default('https://calendar.example.com'),
    SIGNING_SECRET: secret.optional(),
  })
  .superRefine((env, context) => {
    const problem = (variable: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [variable], message });
    const hasKey = env.AUTH_JWT_SECRET !== undefined || env.AUTH_JWKS_URL !== undefined;
    for (const name of ['AUTH_ISSUER', 'AUTH_AUDIENCE'] as const) {
      if (env[name] !== undefined && !hasKey) problem(name, 'needs AUTH_JWT_SECRET or AUTH_JWKS_URL beside it');
    }
    for (const name of ['AUTH_ISSUER', 'AUTH_AUDIENCE'] as const) {
      if (env.AUTH_JWKS_URL !== undefined && env[name] === undefined) problem(name, 'is required with AUTH_JWKS_URL');
    }
    if (env.METRICS_HOST !== undefined && env.METRICS_PORT === undefined) problem('METRICS_HOST', 'needs METRICS_PORT beside it');
    if (env.WORKERS > 1 && env.DATABASE_URL === undefined) {
      problem('WORKERS', 'needs DATABASE_URL beside it: each worker would keep other events and notifications in its memory');
    }
    if (env.WORKERS > 1 && !hasKey) problem('WORKERS', 'needs AUTH_JWT_SECRET or AUTH_JWKS_URL beside it: the demo runs in one process');
    if (env.OPERATIONS === 'listed' && env.OPERATIONS_FILE === undefined) problem('OPERATIONS', 'needs OPERATIONS_FILE beside it');
    if (!hasKey && !isLoopbackHost(env.HOST)) {
      problem('HOST', 'must be a loopback address (127.0.0.1, ::1, localhost) as long as no AUTH_… variable is set');
    }
  });

/** What the environment asks for. Without any AUTH_… variable the gateway is a demo. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly demo: boolean;
  readonly auth: { readonly secret?: string; readonly jwksUrl?: string; readonly issuer?: string; readonly audience?: string };
  /** `postgres://…`; absent: everything is kept in this process. */
  readonly databaseUrl?: string;
  /** `nats://…`; absent: messages stay in this process. */
  readonly brokerUrl?: string;
  readonly seedFile?: string;
  /** Root fields per minute and caller. */
  readonly rateLimit: number | 'off';
  /** How many processes share the port. */
  readonly workers: number;
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
  /** Where figures are shown on a port of their own; absent: at `/metrics`, for this machine only. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Where traces go; absent: there are none. */
  readonly tracing?: { readonly endpoint: string; readonly serviceName: string };
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
    brokerUrl: value.BROKER_URL,
    seedFile: value.SEED_FILE,
    rateLimit: value.RATE_LIMIT,
    workers: value.WORKERS,
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
    metrics: value.METRICS_PORT === undefined ? undefined : { host: value.METRICS_HOST ?? '127.0.0.1', port: value.METRICS_PORT },
    tracing:
      value.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : { endpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ''), serviceName: value.OTEL_SERVICE_NAME },
    stateFolder: stateFolder(value.XDG_STATE_HOME, value.HOME),
  };
}

/** A relative path counts as absent, as the XDG Base Directory Specification has it. */
function stateFolder(state: string | undefined, home: string | undefined): string | undefined {
  if (state !== undefined && isAbsolute(state)) return join(state, 'resource-gateway');
  return home !== undefined && isAbsolute(home) ? join(home, '.local', 'state', 'resource-gateway') : undefined;
}
