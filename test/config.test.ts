import { readFileSync } from 'node:fs';
import { environment } from '../src/config/environment.ts';
import { ConfigError, readConfig, type Config } from '../src/config.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

const auth = { AUTH_JWT_SECRET: 'x'.repeat(32) };
const mail = { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'gateway@example.com' };
const upstream = { UPSTREAM: 'calendar,storage' };
const upstreamBases = {
  calendar: 'https://www.googleapis.com/calendar/v3',
  storage: 'https://storage.googleapis.com/storage/v1',
};
const upstreamDefaults = {
  identity: { tokeninfo: 'https://oauth2.googleapis.com/tokeninfo' },
  pollSeconds: 30,
};
const provider = {
  AUTH_JWKS_URL: 'https://id.example.com/keys',
  AUTH_ISSUER: 'https://id.example.com',
  AUTH_AUDIENCE: 'gateway',
};

/** What is wrong with an environment: the message, a line for each variable. */
function problems(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n').slice(1);
  }
  return [];
}

/** The settings in the table of docs/configuration.md. */
const settings = [...read('docs/configuration.md').matchAll(/^\| (`[A-Z_`, ]+) \|/gm)].flatMap(
  ([, names = '']) => names.match(/[A-Z_]+/g) ?? [],
);

test('every setting stands in the table of settings, and nothing else does', () => {
  expect(settings.toSorted()).toEqual(Object.keys(environment.shape).sort());
});

describe('the configuration', () => {
  test('without any variable is a demo on this machine', () => {
    expect(readConfig({})).toEqual({
      port: 4000,
      host: '127.0.0.1',
      demo: true,
      auth: {},
      rateLimit: 6000,
      databasePool: 10,
      drainDelay: 0,
      webhooks: { networks: [] },
      trustedProxies: [],
      logLevel: 'warn',
      explorer: true,
      rest: true,
      federation: false,
      compiledOperations: 'on',
      introspection: 'open',
      corsOrigins: [],
      pubsubHost: 'pubsub.googleapis.com',
      storageHost: 'www.googleapis.com',
      calendarUrl: 'https://calendar.example.com',
      primaryCalendars: 'auto',
      calendarTimeZone: 'UTC',
      connections: { total: 4096, perAddress: 2048 },
    });
  });

  test.each([auth, provider, upstream])(
    'with a way to check tokens is no demo: no explorer, introspection with a token only',
    (env) => {
      expect(readConfig(env)).toMatchObject({
        demo: false,
        explorer: false,
        introspection: 'authenticated',
        logLevel: 'info',
        drainDelay: 5,
      });
    },
  );

  test('is read from the environment of the process by default', () => {
    const before = process.env.PUBSUB_HOST;
    process.env.PUBSUB_HOST = 'pubsub.example.com';
    try {
      expect(readConfig().pubsubHost).toBe('pubsub.example.com');
    } finally {
      if (before === undefined) delete process.env.PUBSUB_HOST;
      else process.env.PUBSUB_HOST = before;
    }
  });

  test('takes an empty variable as absent', () => {
    const names = [
      'PORT',
      'HOST',
      'AUTH_JWT_SECRET',
      'AUTH_JWKS_URL',
      'SEED_FILE',
      'RATE_LIMIT',
      'EXPLORER',
      'CORS_ORIGINS',
    ];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}));
  });

  test.each<[Record<string, string>, Partial<Config>]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65535 }],
    [{ HOST: 'localhost' }, { host: 'localhost', demo: true }],
    [{ HOST: '::1' }, { host: '::1', demo: true }],
    [{ HOST: '127.0.0.2' }, { host: '127.0.0.2', demo: true }],
    [
      { HOST: '0.0.0.0', ...auth },
      { host: '0.0.0.0', demo: false },
    ],
    [auth, { auth: { secret: auth.AUTH_JWT_SECRET } }],
    [{ AUTH_JWT_SECRET: 'ü'.repeat(16) }, { auth: { secret: 'ü'.repeat(16) } }],
    [
      { ...auth, AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'you' },
      { auth: { secret: auth.AUTH_JWT_SECRET, issuer: 'me', audience: 'you' } },
    ],
    [
      provider,
      { auth: { jwksUrl: provider.AUTH_JWKS_URL, issuer: provider.AUTH_ISSUER, audience: 'gateway' } },
    ],
    [{ BROKER_URL: 'nats://broker:4222' }, { brokerUrl: 'nats://broker:4222' }],
    // Without a host it is the socket of this machine.
    [
      { DATABASE_URL: 'postgres:///gateway?host=/run/postgresql' },
      { databaseUrl: 'postgres:///gateway?host=/run/postgresql' },
    ],
    [{ TRUST_PROXY: '10.0.0.0/8, ::1,192.0.2.7' }, { trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.7'] }],
    [
      { WEBHOOKS_FILE: './webhooks.json', WEBHOOK_NETWORKS: '10.0.0.0/8, fd00::/8' },
      { webhooks: { file: './webhooks.json', networks: ['10.0.0.0/8', 'fd00::/8'] } },
    ],
    [{ DRAIN_DELAY: '20' }, { drainDelay: 20 }],
    [{ ...auth, DRAIN_DELAY: '0' }, { drainDelay: 0 }],
    [{ DATABASE_POOL: '3' }, { databasePool: 3 }],
    [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ LOG_LEVEL: 'error', ...auth }, { logLevel: 'error' }],
    [{ ...upstream, HOST: '0.0.0.0' }, { upstream: { ...upstreamBases, ...upstreamDefaults } }],
    [
      {
        UPSTREAM: 'calendar',
        UPSTREAM_CALENDAR_URL: 'http://localhost:8080/calendar/v3/',
        UPSTREAM_POLL_SECONDS: '5',
      },
      {
        upstream: {
          calendar: 'http://localhost:8080/calendar/v3',
          storage: undefined,
          ...upstreamDefaults,
          pollSeconds: 5,
        },
      },
    ],
    [
      {
        UPSTREAM: ' storage ',
        UPSTREAM_STORAGE_URL: 'https://storage.example.com/v1',
        UPSTREAM_TOKENINFO_URL: 'http://[::1]:1/info',
      },
      {
        upstream: {
          ...upstreamDefaults,
          calendar: undefined,
          storage: 'https://storage.example.com/v1',
          identity: { tokeninfo: 'http://[::1]:1/info' },
        },
      },
    ],
    [
      {
        ...upstream,
        UPSTREAM_TOKENINFO_URL: 'https://id.example.com/info',
        UPSTREAM_INTROSPECTION_URL: 'https://gate%40way:p%25w@id.example.com/introspect',
      },
      {
        upstream: {
          ...upstreamDefaults,
          ...upstreamBases,
          identity: {
            introspection: { url: 'https://id.example.com/introspect', id: 'gate@way', secret: 'p%w' },
          },
        },
      },
    ],
    [
      { PRIMARY_CALENDARS: 'off', CALENDAR_TIME_ZONE: 'Asia/Tokyo' },
      { primaryCalendars: 'off', calendarTimeZone: 'Asia/Tokyo' },
    ],
    [{ SEED_FILE: './seed.json' }, { seedFile: './seed.json' }],
    [{ RATE_LIMIT: '1' }, { rateLimit: 1 }],
    [{ RATE_LIMIT: 'off' }, { rateLimit: 'off' }],
    [{ EXPLORER: 'off' }, { explorer: false }],
    [{ EXPLORER: 'on', ...auth }, { explorer: true }],
    [{ INTROSPECTION: 'off' }, { introspection: 'off' }],
    [{ INTROSPECTION: 'authenticated' }, { introspection: 'authenticated' }],
    [{ INTROSPECTION: 'open', ...auth }, { introspection: 'open' }],
    [
      { CORS_ORIGINS: 'https://a.example, http://localhost:5173' },
      { corsOrigins: ['https://a.example', 'http://localhost:5173'] },
    ],
    [
      { PUBSUB_HOST: 'localhost:8085', STORAGE_HOST: 'storage.example.com' },
      { pubsubHost: 'localhost:8085', storageHost: 'storage.example.com' },
    ],
    [{ PUBSUB: 'on' }, { pubsub: {} }],
    [{ PUBSUB_EMULATOR_HOST: 'localhost:8085' }, { pubsub: { emulatorHost: 'localhost:8085' } }],
    [{ PUBSUB_EMULATOR_HOST: '[::1]:8432' }, { pubsub: { emulatorHost: '[::1]:8432' } }],
    [{ PUBSUB: 'off', PUBSUB_EMULATOR_HOST: 'localhost:8085' }, { pubsub: undefined }],
    [{ CALENDAR_URL: 'https://cal.example.com/base//' }, { calendarUrl: 'https://cal.example.com/base' }],
    [{ SIGNING_SECRET: 's'.repeat(32) }, { signingSecret: 's'.repeat(32) }],
    [
      { MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '5' },
      { connections: { total: 10, perAddress: 5 } },
    ],
    [{ METRICS_PORT: '9090' }, { metrics: { host: '127.0.0.1', port: 9090 } }],
    [{ METRICS_PORT: '9090', METRICS_HOST: '10.0.0.5' }, { metrics: { host: '10.0.0.5', port: 9090 } }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' },
      {
        tracing: {
          endpoint: 'http://otel:4318',
          serviceName: 'resource-gateway',
          attributes: {},
          sampler: 'parentbased_always_on',
          ratio: 1,
        },
      },
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel', OTEL_RESOURCE_ATTRIBUTES: 'service.name=named, a=b%3Dc' },
      {
        tracing: {
          endpoint: 'http://otel',
          serviceName: 'named',
          attributes: { 'service.name': 'named', a: 'b=c' },
          sampler: 'parentbased_always_on',
          ratio: 1,
        },
      },
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel', OTEL_SDK_DISABLED: 'True' }, { tracing: undefined }],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel',
        OTEL_SDK_DISABLED: 'false',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      },
      {
        tracing: {
          endpoint: 'http://otel',
          serviceName: 'resource-gateway',
          attributes: {},
          sampler: 'traceidratio',
          ratio: 0.25,
        },
      },
    ],
    [{ HOME: '/home/ada' }, { stateFolder: '/home/ada/.local/state/resource-gateway' }],
    [{ HOME: '/home/ada', XDG_STATE_HOME: '/state' }, { stateFolder: '/state/resource-gateway' }],
    [
      { HOME: '/home/ada', XDG_STATE_HOME: 'state' },
      { stateFolder: '/home/ada/.local/state/resource-gateway' },
    ],
  ])('accepts %j', (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  test.each<[Record<string, string>, object | undefined]>([
    [
      { ...mail, SMTP_URL: 'smtp://mail.example.com' },
      {
        server: { host: 'mail.example.com', port: 587, secure: false },
        from: { address: 'gateway@example.com' },
      },
    ],
    [
      { ...mail, SMTP_URL: 'SMTPS://ada:p%3A%2F%C3%A4@mail.example.com/' },
      { server: { host: 'mail.example.com', port: 465, secure: true, user: 'ada', password: 'p:/ä' } },
    ],
    [{ ...mail, SMTP_URL: 'smtp://[::1]:1025' }, { server: { host: '::1', port: 1025, secure: false } }],
    [
      { ...mail, MAIL_FROM: ' Gäteway, the  <gateway@example.com> ' },
      { from: { address: 'gateway@example.com', name: 'Gäteway, the' } },
    ],
    [
      { ...mail, MAIL_FROM: '"Doe, Jane"<jane@example.com>' },
      { from: { address: 'jane@example.com', name: 'Doe, Jane' } },
    ],
    [{ ...mail, MAIL_FROM: '<gateway@example.com>' }, { from: { address: 'gateway@example.com' } }],
    [{ ...mail, SMTP_URL: '' }, undefined],
  ])('sends mails by %j', (env, expected) => {
    const { mail: found } = readConfig(env);
    expect(found).toEqual(expected && expect.objectContaining(expected));
  });

  test.each<[Record<string, string>, string, string?]>([
    [{ PORT: '65536' }, 'PORT'],
    [{ PORT: '-1' }, 'PORT'],
    [{ PORT: '80.5' }, 'PORT'],
    [{ PORT: 'http' }, 'PORT'],
    [{ PORT: ' ' }, 'PORT'],
    [{ AUTH_JWT_SECRET: 'x'.repeat(31) }, 'AUTH_JWT_SECRET'],
    [{ AUTH_JWT_SECRET: ` ${'x'.repeat(31)}\n` }, 'AUTH_JWT_SECRET', 'blanks'],
    [{ ...provider, AUTH_JWKS_URL: 'file:///keys' }, 'AUTH_JWKS_URL'],
    [{ ...provider, AUTH_JWKS_URL: 'keys' }, 'AUTH_JWKS_URL'],
    [{ ...provider, AUTH_ISSUER: '' }, 'AUTH_ISSUER'],
    [{ ...provider, AUTH_AUDIENCE: '' }, 'AUTH_AUDIENCE'],
    [{ AUTH_ISSUER: 'me' }, 'AUTH_ISSUER'],
    [{ AUTH_AUDIENCE: 'you' }, 'AUTH_AUDIENCE'],
    [{ UPSTREAM: 'calendars' }, 'UPSTREAM', 'calendar, storage'],
    [{ UPSTREAM: 'calendar,' }, 'UPSTREAM', 'calendar, storage'],
    [{ ...upstream, ...auth }, 'UPSTREAM', 'AUTH_JWT_SECRET'],
    [{ ...upstream, ...provider }, 'UPSTREAM', 'AUTH_JWKS_URL'],
    [{ UPSTREAM_CALENDAR_URL: 'https://calendar.example.com' }, 'UPSTREAM_CALENDAR_URL', 'needs UPSTREAM'],
    [{ UPSTREAM_POLL_SECONDS: '5' }, 'UPSTREAM_POLL_SECONDS', 'needs UPSTREAM'],
    [
      { UPSTREAM: 'storage', UPSTREAM_CALENDAR_URL: 'https://calendar.example.com' },
      'UPSTREAM_CALENDAR_URL',
      'needs calendar in UPSTREAM',
    ],
    [
      { UPSTREAM: 'calendar', UPSTREAM_STORAGE_URL: 'https://storage.example.com' },
      'UPSTREAM_STORAGE_URL',
      'needs storage in UPSTREAM',
    ],
    [
      { ...upstream, UPSTREAM_CALENDAR_URL: 'http://calendar.example.com' },
      'UPSTREAM_CALENDAR_URL',
      'loopback',
    ],
    [
      { ...upstream, UPSTREAM_CALENDAR_URL: 'https://calendar.example.com/?key=1' },
      'UPSTREAM_CALENDAR_URL',
      'query',
    ],
    [
      { ...upstream, UPSTREAM_STORAGE_URL: 'https://me:pw@storage.example.com' },
      'UPSTREAM_STORAGE_URL',
      'neither a user',
    ],
    [
      { ...upstream, UPSTREAM_STORAGE_URL: 'https://me@storage.example.com' },
      'UPSTREAM_STORAGE_URL',
      'neither a user',
    ],
    [{ ...upstream, UPSTREAM_TOKENINFO_URL: 'ftp://id.example.com' }, 'UPSTREAM_TOKENINFO_URL', 'https://'],
    [
      { ...upstream, UPSTREAM_INTROSPECTION_URL: 'https://id.example.com/introspect' },
      'UPSTREAM_INTROSPECTION_URL',
      'id:secret@',
    ],
    [
      { ...upstream, UPSTREAM_INTROSPECTION_URL: 'https://gateway@id.example.com/introspect' },
      'UPSTREAM_INTROSPECTION_URL',
      'id:secret@',
    ],
    [
      { ...upstream, UPSTREAM_INTROSPECTION_URL: 'https://a:p%w@id.example.com/introspect' },
      'UPSTREAM_INTROSPECTION_URL',
      '%25',
    ],
    [
      { ...upstream, UPSTREAM_INTROSPECTION_URL: 'http://a:b@id.example.com/introspect' },
      'UPSTREAM_INTROSPECTION_URL',
      'loopback',
    ],
    [{ ...upstream, UPSTREAM_INTROSPECTION_URL: 'id.example.com' }, 'UPSTREAM_INTROSPECTION_URL', 'https://'],
    [{ ...upstream, UPSTREAM_POLL_SECONDS: '0' }, 'UPSTREAM_POLL_SECONDS', '1 to 3600'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://db:99999/x' }, 'DATABASE_URL', 'its port at most 65535'],
    [{ DATABASE_URL: 'postgres://me:pass/word@db/x' }, 'DATABASE_URL', '%2F'],
    [{ DATABASE_URL: 'postgres://db/x?sslmod=verify-full' }, 'DATABASE_URL', 'sslmod,'],
    [{ DATABASE_URL: 'postgres://db/x?sslmode=verify' }, 'DATABASE_URL', 'verify-full'],
    [{ BROKER_URL: 'http://broker' }, 'BROKER_URL', 'nats://'],
    [{ BROKER_URL: 'nats://broker:99999' }, 'BROKER_URL', 'its port at most 65535'],
    [{ BROKER_URL: 'nats://' }, 'BROKER_URL', 'a host'],
    [{ BROKER_URL: 'nats://?x' }, 'BROKER_URL', 'a host'],
    [{ ...mail, MAIL_FROM: '' }, 'MAIL_FROM', 'required with SMTP_URL'],
    ...[
      'Gateway',
      'gateway',
      'Gateway <gateway>',
      'Gateway gateway@example.com',
      'a@example.com, b@example.com',
      'A <a@example.com> B',
      'gäte@example.com',
      'A\r\nBcc: x@example.com <a@example.com>',
      'A\u2028B <a@example.com>',
    ].map((from): [Record<string, string>, string, string] => [
      { ...mail, MAIL_FROM: from },
      'MAIL_FROM',
      'gateway@example.com',
    ]),
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM'],
    [{ ...mail, SMTP_URL: 'http://mail' }, 'SMTP_URL', 'smtp:// or smtps://'],
    [{ ...mail, SMTP_URL: 'mail.example.com:25' }, 'SMTP_URL', 'smtp:// or smtps://'],
    [{ ...mail, SMTP_URL: 'smtp://mail:99999' }, 'SMTP_URL', 'at most 65535'],
    [{ ...mail, SMTP_URL: 'smtp://mail:0' }, 'SMTP_URL', '1 to 65535'],
    [{ ...mail, SMTP_URL: 'smtp://' }, 'SMTP_URL', 'a host'],
    [{ ...mail, SMTP_URL: 'smtp://ada:p/w@mail' }, 'SMTP_URL', '%2F'],
    [{ ...mail, SMTP_URL: 'smtp://ada:p%w@mail' }, 'SMTP_URL', '%25'],
    [{ ...mail, SMTP_URL: 'smtp://ada@mail' }, 'SMTP_URL', 'or neither'],
    ...['/path', '?x=1', '?', '#x'].map((behind): [Record<string, string>, string, string] => [
      { ...mail, SMTP_URL: `smtp://mail${behind}` },
      'SMTP_URL',
      'nothing behind',
    ]),
    [{ RATE_LIMIT: '0' }, 'RATE_LIMIT'],
    [{ RATE_LIMIT: '1.5' }, 'RATE_LIMIT'],
    [{ RATE_LIMIT: 'none' }, 'RATE_LIMIT'],
    [{ EXPLORER: 'true' }, 'EXPLORER'],
    [{ INTROSPECTION: 'on' }, 'INTROSPECTION'],
    [{ TRUST_PROXY: 'proxy.internal' }, 'TRUST_PROXY', '10.0.0.0/8'],
    [{ TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '10.0.0.1,' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '::/129' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY'],
    [{ WEBHOOK_NETWORKS: 'internal' }, 'WEBHOOK_NETWORKS', '10.0.0.0/8'],
    [{ WEBHOOK_NETWORKS: 'fe80::1%1/64' }, 'WEBHOOK_NETWORKS'],
    [{ DRAIN_DELAY: '5s' }, 'DRAIN_DELAY', 'whole number'],
    [{ DRAIN_DELAY: '-1' }, 'DRAIN_DELAY'],
    [{ DATABASE_POOL: '0' }, 'DATABASE_POOL'],
    [{ DATABASE_POOL: 'many' }, 'DATABASE_POOL'],
    [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL', 'trace'],
    [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://a.example/' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://a.example,' }, 'CORS_ORIGINS'],
    [{ PUBSUB_HOST: 'https://pubsub.example.com' }, 'PUBSUB_HOST'],
    [{ PUBSUB: 'true' }, 'PUBSUB', 'on or off'],
    [{ PUBSUB_EMULATOR_HOST: 'localhost' }, 'PUBSUB_EMULATOR_HOST', 'localhost:8085'],
    [{ PUBSUB_EMULATOR_HOST: 'http://localhost:8085' }, 'PUBSUB_EMULATOR_HOST'],
    [{ PUBSUB_EMULATOR_HOST: 'localhost:85000' }, 'PUBSUB_EMULATOR_HOST'],
    [{ STORAGE_HOST: 'a b' }, 'STORAGE_HOST'],
    [{ PRIMARY_CALENDARS: 'on' }, 'PRIMARY_CALENDARS', 'auto'],
    [{ CALENDAR_TIME_ZONE: 'Mars' }, 'CALENDAR_TIME_ZONE', 'IANA'],
    [{ CALENDAR_URL: 'calendar.example.com' }, 'CALENDAR_URL', 'https:// or http://'],
    [{ CALENDAR_URL: 'https://x/y?z' }, 'CALENDAR_URL', 'query'],
    [{ CALENDAR_URL: 'https://x/y#q' }, 'CALENDAR_URL', 'fragment'],
    [{ SIGNING_SECRET: 'short' }, 'SIGNING_SECRET'],
    [{ SIGNING_SECRET: ' '.repeat(40) }, 'SIGNING_SECRET', 'blanks'],
    [{ MAX_CONNECTIONS: '0' }, 'MAX_CONNECTIONS'],
    [{ METRICS_HOST: '10.0.0.5' }, 'METRICS_HOST'],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER', 'parentbased_traceidratio'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG', '0 to 1'],
    [{ OTEL_TRACES_SAMPLER_ARG: 'half' }, 'OTEL_TRACES_SAMPLER_ARG'],
    [{ OTEL_SDK_DISABLED: 'yes' }, 'OTEL_SDK_DISABLED'],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'staging' }, 'OTEL_RESOURCE_ATTRIBUTES', 'percent'],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' }, 'OTEL_RESOURCE_ATTRIBUTES'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/?x=1' }, 'OTEL_EXPORTER_OTLP_ENDPOINT', 'query'],
  ])('refuses %j and names the variable and what would do', (env, name, cause = '') => {
    const [line = '', ...more] = problems(env);
    expect(line).toContain(cause);
    expect(line).toMatch(new RegExp(`^ {2}${name}: \\S.+`));
    expect(more).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '10.0.0.5', 'gateway.example.com', '127.0.0.1.example.com'])(
    'refuses a demo on %s',
    (host) => {
      expect(problems({ HOST: host })).toEqual([
        '  HOST: must be a loopback address (127.0.0.1, ::1, localhost) as long as no AUTH_… variable is set',
      ]);
    },
  );

  test('names everything that is wrong, and echoes no secret', () => {
    const lines = problems({
      PORT: 'x',
      AUTH_JWT_SECRET: 'hunter2',
      SIGNING_SECRET: 'hunter2',
      EXPLORER: 'yes',
      ...mail,
      SMTP_URL: 'smtp://hunter2:hunter2@mail/x',
    });
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual([
      'PORT',
      'AUTH_JWT_SECRET',
      'SMTP_URL',
      'EXPLORER',
      'SIGNING_SECRET',
    ]);
    expect(lines.join()).not.toContain('hunter2');
  });
});

test('compose.yaml leaves what depends on the operator to be filled in, and names no variable that there is not', () => {
  const [, gateway = ''] = /^ {4}environment:\n((?: {6}.*\n)*)/m.exec(read('compose.yaml')) ?? [];
  const given = [...gateway.matchAll(/^ {6}([A-Z_]+):(.*)$/gm)].map(([, name = '', value = '']) => ({
    name,
    isOpen: value === '',
  }));
  expect(given.filter(({ name }) => !settings.includes(name))).toEqual([]);
  const open = given.flatMap(({ name, isOpen }) => (isOpen ? [name] : []));
  expect(open).toEqual(
    expect.arrayContaining([
      'SEED_FILE',
      'CORS_ORIGINS',
      ...settings.filter((name) => /^(AUTH|OTEL)_/.test(name)),
    ]),
  );
});
