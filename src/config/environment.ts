import { z } from 'zod';
import { isLoopbackHost } from '../core/text/host.ts';
import {
  choice,
  missingHostProblem,
  databaseUrlProblem,
  hostAndPort,
  hostName,
  baseUrlProblem,
  networks,
  onOff,
  origins,
  port,
  rate,
  ratio,
  resourceAttributes,
  secret,
  text,
  timeZone,
  webUrl,
  wholeNumber,
} from './schemas.ts';
import { mailbox, smtpUrl, upstreamProblems, upstreamSettings } from './mail-and-upstream.ts';

/** Values of OTEL_TRACES_SAMPLER (OpenTelemetry specification). */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Environment variables with their form, default and description; docs/configuration.md explains each. */
export const environment = z
  .object({
    PORT: port.default(4000).describe('port to listen on (4000)'),
    HOST: text.default('127.0.0.1').describe('address to listen on (127.0.0.1)'),
    AUTH_JWT_SECRET: secret.optional().describe('HS256 secret of bearer JWTs, at least 32 bytes'),
    AUTH_JWKS_URL: webUrl(['https:', 'http:'])
      .optional()
      .describe('keys of an identity provider, with AUTH_ISSUER and AUTH_AUDIENCE'),
    AUTH_ISSUER: text.optional().describe('issuer that tokens must name'),
    AUTH_AUDIENCE: text.optional().describe('audience that tokens must name'),
    ...upstreamSettings,
    DATABASE_URL: webUrl(['postgres:', 'postgresql:'], databaseUrlProblem)
      .optional()
      .describe('postgres://…; without it everything is kept in memory'),
    DATABASE_POOL: wholeNumber(1, 1000).default(10).describe('database connections for requests (10)'),
    BROKER_URL: webUrl(['nats:'], missingHostProblem)
      .optional()
      .describe('nats://…; without it messages stay in the process'),
    WEBHOOKS_FILE: text.optional().describe('JSON file with the webhooks for messages'),
    WEBHOOK_NETWORKS: networks
      .optional()
      .describe('private addresses and networks that webhooks and channels may use, comma-separated (none)'),
    CHANNELS: onOff
      .default('off')
      .describe('offer watchCalendar, which posts changes of calendars: on, off (off)'),
    SMTP_URL: smtpUrl
      .optional()
      .describe('smtp://user:password@host:port or smtps://…, with MAIL_FROM; without it no mail is sent'),
    MAIL_FROM: mailbox.optional().describe('sender of mails: address, or Name <address>'),
    PRIMARY_CALENDARS: choice('auto', 'off')
      .default('auto')
      .describe('whether callers with an e-mail address get a primary calendar: auto, off (auto)'),
    CALENDAR_TIME_ZONE: timeZone.default('UTC').describe('time zone of calendars created without one (UTC)'),
    CALENDAR_FEEDS: onOff
      .optional()
      .describe('iCalendar feeds for other calendar programs: on, off (off; on in the demo)'),
    SEED_FILE: text.optional().describe('JSON file with initial data for an empty store'),
    RATE_LIMIT: rate.default(6000).describe('cost per minute and caller, or off (6000)'),
    COMPILED_OPERATIONS: choice('on', 'off', 'eager')
      .default('on')
      .describe('whether documents are compiled: on, off, eager (on)'),
    OPERATIONS_FILE: text.optional().describe('manifest of trusted documents'),
    OPERATIONS: choice('any', 'listed')
      .default('any')
      .describe('any, or listed: only those of OPERATIONS_FILE (any)'),
    EXPLORER: onOff
      .optional()
      .describe('pages for developers: on, off (on in the demo unless OPERATIONS=listed)'),
    REST: onOff.optional().describe("REST APIs for Google's official clients: on, off (on in the demo)"),
    FEDERATION: onOff.default('off').describe('be a subgraph and answer _service: on, off (off)'),
    INTROSPECTION: choice('open', 'authenticated', 'off')
      .optional()
      .describe('open, authenticated, off (authenticated; open in the demo)'),
    CORS_ORIGINS: origins
      .optional()
      .describe('origins of web pages that may call the gateway, comma-separated'),
    MAX_CONNECTIONS: wholeNumber(1, 9_999_999).default(4096).describe('open connections at most (4096)'),
    MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 9_999_999)
      .default(2048)
      .describe('open connections of one address at most (2048)'),
    TRUST_PROXY: networks
      .optional()
      .describe('addresses and networks of proxies whose X-Forwarded-For is trusted, comma-separated (none)'),
    DRAIN_DELAY: wholeNumber(0, 3600)
      .optional()
      .describe('seconds that a stopping gateway keeps serving while not ready (5; 0 in the demo)'),
    LOG_LEVEL: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
      .optional()
      .describe('trace, debug, info, warn, error, fatal, silent (info; warn in the demo)'),
    METRICS_HOST: text.optional().describe('address of METRICS_PORT (127.0.0.1)'),
    METRICS_PORT: port.optional().describe('separate port for /metrics (on PORT, for this machine only)'),
    OTEL_EXPORTER_OTLP_ENDPOINT: webUrl(['https:', 'http:'], baseUrlProblem)
      .optional()
      .describe('receiver of traces (OTLP over HTTP)'),
    OTEL_SERVICE_NAME: text.optional().describe('name of the service in traces (resource-gateway)'),
    OTEL_RESOURCE_ATTRIBUTES: resourceAttributes
      .optional()
      .describe('attributes of the service in traces: key=value,… with values percent-encoded'),
    OTEL_TRACES_SAMPLER: choice(...samplers)
      .default('parentbased_always_on')
      .describe('which traces are sent, as OpenTelemetry names it (parentbased_always_on)'),
    OTEL_TRACES_SAMPLER_ARG: ratio.default(1).describe('the share of traces for …traceidratio, 0 to 1 (1)'),
    OTEL_SDK_DISABLED: z
      .string()
      .toLowerCase()
      .pipe(choice('true', 'false'))
      .default('false')
      .describe('true: no traces (false)'),
    XDG_STATE_HOME: text.optional().describe('folder where the demo keeps its secret'),
    HOME: text.optional().describe('the same, without XDG_STATE_HOME: below .local/state'),
    PUBSUB_HOST: hostName
      .default('pubsub.googleapis.com')
      .describe('host of topics that are sent without one (pubsub.googleapis.com)'),
    PUBSUB: onOff
      .optional()
      .describe(
        'publish messages for topics of PUBSUB_HOST to Google Cloud Pub/Sub: on, off (on with PUBSUB_EMULATOR_HOST)',
      ),
    PUBSUB_EMULATOR_HOST: hostAndPort.optional().describe('host:port of a Pub/Sub emulator'),
    STORAGE_HOST: hostName.default('www.googleapis.com').describe('host of selfLink (www.googleapis.com)'),
    CALENDAR_URL: webUrl(['https:', 'http:'], baseUrlProblem)
      .default('https://calendar.example.com')
      .describe('base of links to events and calls (https://calendar.example.com)'),
    SIGNING_SECRET: secret
      .optional()
      .describe('key that signs sync tokens, cursors, conferences and feed addresses, at least 32 bytes'),
  })
  // Rules over several variables.
  .superRefine((env, context) => {
    const addProblem = (variable: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [variable], message });
    const hasKey = env.AUTH_JWT_SECRET !== undefined || env.AUTH_JWKS_URL !== undefined;
    for (const name of ['AUTH_ISSUER', 'AUTH_AUDIENCE'] as const) {
      if (env[name] !== undefined && !hasKey)
        addProblem(name, 'needs AUTH_JWT_SECRET or AUTH_JWKS_URL beside it');
      if (env.AUTH_JWKS_URL !== undefined && env[name] === undefined)
        addProblem(name, 'is required with AUTH_JWKS_URL');
    }
    if (env.SMTP_URL !== undefined && env.MAIL_FROM === undefined)
      addProblem('MAIL_FROM', 'is required with SMTP_URL');
    if (env.METRICS_HOST !== undefined && env.METRICS_PORT === undefined)
      addProblem('METRICS_HOST', 'needs METRICS_PORT beside it');
    if (env.OPERATIONS === 'listed' && env.OPERATIONS_FILE === undefined)
      addProblem('OPERATIONS', 'needs OPERATIONS_FILE beside it');
    if (env.OPERATIONS === 'listed' && env.REST === 'on')
      addProblem('REST', 'must be off with OPERATIONS=listed: requests of REST clients are in no manifest');
    const isDemo = !hasKey && !env.UPSTREAM;
    if (
      env.CALENDAR_FEEDS === 'on' &&
      !isDemo &&
      env.SIGNING_SECRET === undefined &&
      env.AUTH_JWT_SECRET === undefined
    )
      addProblem(
        'CALENDAR_FEEDS',
        'needs SIGNING_SECRET or AUTH_JWT_SECRET beside it: addresses depend on it',
      );
    for (const [name, message] of upstreamProblems(env)) addProblem(name, message);
    if (env.UPSTREAM && hasKey)
      addProblem(
        'UPSTREAM',
        'cannot be combined with AUTH_JWT_SECRET or AUTH_JWKS_URL: the services identify the callers',
      );
    if (isDemo && !isLoopbackHost(env.HOST)) {
      addProblem(
        'HOST',
        'must be a loopback address (127.0.0.1, ::1, localhost) as long as no AUTH_… variable is set',
      );
    }
  });

const maxNameLength = Math.max(...Object.keys(environment.shape).map(({ length }) => length));

/** Lines of a help text: each variable with its description. */
export const settingsHelp = Object.entries(environment.shape)
  .map(([name, { description }]) => `  ${name.padEnd(maxNameLength)}  ${description}`)
  .join('\n');
