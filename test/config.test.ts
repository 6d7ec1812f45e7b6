import { readFileSync } from 'node:fs';
import { environment } from '../src/config/environment.ts';
import { ConfigError, readConfig, type Config } from '../src/config.ts';

const readText = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

const authEnv = { AUTH_JWT_SECRET: 'x'.repeat(32) };
const sender = 'gateway@example.com';
const mailEnv = { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: sender };
const upstreamEnv = { UPSTREAM: 'calendar,storage' };
const [calendarOnlyEnv, storageOnlyEnv] = [{ UPSTREAM: 'calendar' }, { UPSTREAM: ' storage ' }];
const loopbackUrl = 'http://[::1]:1';
const introspectionUrl = 'https://gate%40way:p%25w@id.example/in';
const introspectionIdentity = {
  introspection: { url: 'https://id.example/in', id: 'gate@way', secret: 'p%w' },
};
const upstreamBases = {
  calendar: 'https://www.googleapis.com/calendar/v3',
  storage: 'https://storage.googleapis.com/storage/v1',
};
const upstreamDefaults = {
  identity: { tokeninfo: 'https://oauth2.googleapis.com/tokeninfo' },
  pollSeconds: 30,
};
const otelEnv = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel' };
const tracingDefaults = {
  endpoint: 'http://otel',
  serviceName: 'resource-gateway',
  attributes: {},
  sampler: 'parentbased_always_on' as const,
  ratio: 1,
};
const createUpstreamConfig = (more: object) =>
  ({ upstream: { ...upstreamDefaults, ...more } }) as Partial<Config>;
const createTracingConfig = (more: Partial<Config['tracing']>) => ({
  tracing: { ...tracingDefaults, ...more },
});
const authBySecret = { secret: authEnv.AUTH_JWT_SECRET };
const jwksUrl = 'https://id.example.com/keys';
const connectionLimits = { connections: { total: 10, perAddress: 5 } };
const namedService = createTracingConfig({
  serviceName: 'named',
  attributes: { 'service.name': 'named', a: 'b=c' },
});
const samplerEnv = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
const providerEnv = {
  AUTH_JWKS_URL: jwksUrl,
  AUTH_ISSUER: 'https://id.example.com',
  AUTH_AUDIENCE: 'gateway',
};

/** Returns the lines of the error for an environment, one for each variable. */
function listProblems(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n').slice(1);
  }
  return [];
}

const documentedSettings = [...readText('docs/configuration.md').matchAll(/^\| (`[A-Z_`, ]+) \|/gm)].flatMap(
  ([, names = '']) => names.match(/[A-Z_]+/g) ?? [],
);

test('the table in docs/configuration.md has exactly the existing settings', () => {
  expect(documentedSettings.toSorted()).toEqual(Object.keys(environment.shape).sort());
});

describe('the configuration', () => {
  test('without any variable is that of a demo on loopback', () => {
    expect(readConfig({})).toEqual({
      port: 4000,
      host: '127.0.0.1',
      demo: true,
      auth: {},
      rateLimit: 6000,
      databasePool: 10,
      drainDelay: 0,
      webhooks: { networks: [] },
      channels: false,
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
      calendarFeeds: true,
      connections: { total: 4096, perAddress: 2048 },
    });
  });

  test.each([authEnv, providerEnv, upstreamEnv])(
    'with token verification is no demo: explorer off, introspection with a token only',
    (env) => {
      const expectedConfig = { demo: false, explorer: false, introspection: 'authenticated' };
      expect(readConfig(env)).toMatchObject({ ...expectedConfig, logLevel: 'info', drainDelay: 5 });
    },
  );

  test('is read from the environment of the process by default', () => {
    const originalHost = process.env.PUBSUB_HOST;
    process.env.PUBSUB_HOST = 'pubsub.example.com';
    try {
      expect(readConfig().pubsubHost).toBe('pubsub.example.com');
    } finally {
      if (originalHost === undefined) delete process.env.PUBSUB_HOST;
      else process.env.PUBSUB_HOST = originalHost;
    }
  });

  test('treats an empty variable as absent', () => {
    expect(readConfig(Object.fromEntries(documentedSettings.map((name) => [name, ''])))).toEqual(
      readConfig({}),
    );
  });

  test.each<[Record<string, string>, Partial<Record<keyof Config, unknown>>]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65535 }],
    [{ HOST: 'localhost' }, { host: 'localhost', demo: true }],
    [{ HOST: '::1' }, { host: '::1', demo: true }],
    [{ HOST: '127.0.0.2' }, { host: '127.0.0.2', demo: true }],
    [
      { HOST: '0.0.0.0', ...authEnv },
      { host: '0.0.0.0', demo: false },
    ],
    [authEnv, { auth: authBySecret }],
    [{ AUTH_JWT_SECRET: 'ü'.repeat(16) }, { auth: { secret: 'ü'.repeat(16) } }],
    [
      { ...authEnv, AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'you' },
      { auth: { ...authBySecret, issuer: 'me', audience: 'you' } },
    ],
    [providerEnv, { auth: { jwksUrl: jwksUrl, issuer: 'https://id.example.com', audience: 'gateway' } }],
    [{ BROKER_URL: 'nats://broker:4222' }, { brokerUrl: 'nats://broker:4222' }],
    // Without a host, the local socket is used.
    [{ DATABASE_URL: 'postgres:///gateway?host=/run' }, { databaseUrl: 'postgres:///gateway?host=/run' }],
    [{ TRUST_PROXY: '10.0.0.0/8, ::1,192.0.2.7' }, { trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.7'] }],
    [
      { WEBHOOKS_FILE: './webhooks.json', WEBHOOK_NETWORKS: '10.0.0.0/8, fd00::/8' },
      { webhooks: { file: './webhooks.json', networks: ['10.0.0.0/8', 'fd00::/8'] } },
    ],
    [{ CHANNELS: 'on' }, { channels: true }],
    [{ DRAIN_DELAY: '20' }, { drainDelay: 20 }],
    [{ ...authEnv, DRAIN_DELAY: '0' }, { drainDelay: 0 }],
    [{ DATABASE_POOL: '3' }, { databasePool: 3 }],
    [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ LOG_LEVEL: 'error', ...authEnv }, { logLevel: 'error' }],
    [{ ...upstreamEnv, HOST: '0.0.0.0' }, { upstream: { ...upstreamBases, ...upstreamDefaults } }],
    [
      { ...calendarOnlyEnv, UPSTREAM_CALENDAR_URL: `${loopbackUrl}/v3/` },
      createUpstreamConfig({ calendar: `${loopbackUrl}/v3` }),
    ],
    [
      { ...calendarOnlyEnv, UPSTREAM_POLL_SECONDS: '5' },
      createUpstreamConfig({ storage: undefined, pollSeconds: 5 }),
    ],
    [
      { ...storageOnlyEnv, UPSTREAM_STORAGE_URL: 'https://a.example' },
      createUpstreamConfig({ storage: 'https://a.example' }),
    ],
    [
      { ...storageOnlyEnv, UPSTREAM_TOKENINFO_URL: loopbackUrl },
      createUpstreamConfig({ calendar: undefined, identity: { tokeninfo: loopbackUrl } }),
    ],
    [
      { ...upstreamEnv, UPSTREAM_TOKENINFO_URL: loopbackUrl, UPSTREAM_INTROSPECTION_URL: introspectionUrl },
      createUpstreamConfig({ identity: introspectionIdentity }),
    ],
    [{ PRIMARY_CALENDARS: 'off' }, { primaryCalendars: 'off' }],
    [authEnv, { calendarFeeds: false }],
    [{ ...authEnv, CALENDAR_FEEDS: 'on' }, { calendarFeeds: true }],
    [{ CALENDAR_FEEDS: 'on' }, { calendarFeeds: true }],
    [{ CALENDAR_FEEDS: 'off' }, { calendarFeeds: false }],
    [
      { ...providerEnv, CALENDAR_FEEDS: 'on', SIGNING_SECRET: authEnv.AUTH_JWT_SECRET },
      { calendarFeeds: true },
    ],
    [{ CALENDAR_TIME_ZONE: 'Asia/Tokyo' }, { calendarTimeZone: 'Asia/Tokyo' }],
    [{ SEED_FILE: './seed.json' }, { seedFile: './seed.json' }],
    [{ RATE_LIMIT: '1' }, { rateLimit: 1 }],
    [{ RATE_LIMIT: 'off' }, { rateLimit: 'off' }],
    [{ EXPLORER: 'off' }, { explorer: false }],
    [{ EXPLORER: 'on', ...authEnv }, { explorer: true }],
    [{ INTROSPECTION: 'off' }, { introspection: 'off' }],
    [{ INTROSPECTION: 'authenticated' }, { introspection: 'authenticated' }],
    [{ INTROSPECTION: 'open', ...authEnv }, { introspection: 'open' }],
    [{ CORS_ORIGINS: 'https://a.example, http://b:5' }, { corsOrigins: ['https://a.example', 'http://b:5'] }],
    [{ PUBSUB_HOST: 'localhost:8085' }, { pubsubHost: 'localhost:8085' }],
    [{ STORAGE_HOST: 'storage.example.com' }, { storageHost: 'storage.example.com' }],
    [{ PUBSUB: 'on' }, { pubsub: {} }],
    [{ PUBSUB_EMULATOR_HOST: 'localhost:8085' }, { pubsub: { emulatorHost: 'localhost:8085' } }],
    [{ PUBSUB_EMULATOR_HOST: '[::1]:8432' }, { pubsub: { emulatorHost: '[::1]:8432' } }],
    [{ PUBSUB: 'off', PUBSUB_EMULATOR_HOST: 'localhost:8085' }, { pubsub: undefined }],
    [{ CALENDAR_URL: 'https://cal.example.com/base//' }, { calendarUrl: 'https://cal.example.com/base' }],
    [{ SIGNING_SECRET: 's'.repeat(32) }, { signingSecret: 's'.repeat(32) }],
    [{ MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '5' }, connectionLimits],
    [{ METRICS_PORT: '9090' }, { metrics: { host: '127.0.0.1', port: 9090 } }],
    [{ METRICS_PORT: '9090', METRICS_HOST: '10.0.0.5' }, { metrics: { host: '10.0.0.5', port: 9090 } }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' },
      createTracingConfig({ endpoint: 'http://otel:4318' }),
    ],
    [{ ...otelEnv, OTEL_RESOURCE_ATTRIBUTES: 'service.name=named, a=b%3Dc' }, namedService],
    [{ ...otelEnv, OTEL_SDK_DISABLED: 'True' }, { tracing: undefined }],
    [
      { ...otelEnv, ...samplerEnv, OTEL_SDK_DISABLED: 'false' },
      createTracingConfig({ sampler: 'traceidratio', ratio: 0.25 }),
    ],
    [{ HOME: '/home/ada' }, { stateFolder: '/home/ada/.local/state/resource-gateway' }],
    [{ HOME: '/home/ada', XDG_STATE_HOME: '/state' }, { stateFolder: '/state/resource-gateway' }],
    [{ HOME: '/home/a', XDG_STATE_HOME: 'state' }, { stateFolder: '/home/a/.local/state/resource-gateway' }],
  ])('accepts %j', (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  test.each<[Record<string, string>, object | undefined]>([
    [mailEnv, { server: { host: 'mail.example.com', port: 587, secure: false }, from: { address: sender } }],
    [
      { ...mailEnv, SMTP_URL: 'SMTPS://ada:p%3A%2F%C3%A4@mail.example.com/' },
      { server: { host: 'mail.example.com', port: 465, secure: true, user: 'ada', password: 'p:/ä' } },
    ],
    [{ ...mailEnv, SMTP_URL: 'smtp://[::1]:1025' }, { server: { host: '::1', port: 1025, secure: false } }],
    [
      { ...mailEnv, MAIL_FROM: ` Gäteway, A  <${sender}> ` },
      { from: { address: sender, name: 'Gäteway, A' } },
    ],
    [{ ...mailEnv, MAIL_FROM: `"Doe, Jane"<${sender}>` }, { from: { address: sender, name: 'Doe, Jane' } }],
    [{ ...mailEnv, MAIL_FROM: '<gateway@example.com>' }, { from: { address: 'gateway@example.com' } }],
    [{ ...mailEnv, SMTP_URL: '' }, undefined],
  ])('sends mails by %j', (env, expected) => {
    const { mail } = readConfig(env);
    expect(mail).toEqual(expected && expect.objectContaining(expected));
  });

  /** A variable with invalid values, a part of the expected message, and other variables that are set. */
  type InvalidSetting = readonly [
    name: string,
    values: string[],
    messagePart?: string,
    others?: Record<string, string>,
  ];
  const invalidSettings: readonly InvalidSetting[] = [
    ['PORT', ['65536', '-1', '80.5', 'http', ' ']],
    ['AUTH_JWT_SECRET', ['x'.repeat(31)]],
    ['AUTH_JWT_SECRET', [` ${'x'.repeat(31)}\n`], 'white space'],
    ['AUTH_JWKS_URL', ['file:///keys', 'keys'], '', providerEnv],
    ['AUTH_ISSUER', [''], '', providerEnv],
    ['AUTH_AUDIENCE', [''], '', providerEnv],
    ['AUTH_ISSUER', ['me']],
    ['AUTH_AUDIENCE', ['you']],
    ['UPSTREAM', ['calendars', 'calendar,'], 'calendar, storage'],
    ['UPSTREAM', ['calendar'], 'AUTH_JWT_SECRET', authEnv],
    ['UPSTREAM', ['calendar'], 'AUTH_JWKS_URL', providerEnv],
    ['UPSTREAM_CALENDAR_URL', ['https://calendar.example.com'], 'needs UPSTREAM'],
    ['UPSTREAM_POLL_SECONDS', ['5'], 'needs UPSTREAM'],
    ['UPSTREAM_CALENDAR_URL', ['https://a.example'], 'needs calendar in UPSTREAM', { UPSTREAM: 'storage' }],
    ['UPSTREAM_STORAGE_URL', ['https://a.example'], 'needs storage in UPSTREAM', { UPSTREAM: 'calendar' }],
    ['UPSTREAM_CALENDAR_URL', ['http://calendar.example.com'], 'loopback', upstreamEnv],
    ['UPSTREAM_CALENDAR_URL', ['https://calendar.example.com/?key=1'], 'query', upstreamEnv],
    ['UPSTREAM_STORAGE_URL', ['https://me:pw@a.example', 'https://me@a'], 'neither a user', upstreamEnv],
    ['UPSTREAM_TOKENINFO_URL', ['ftp://id.example.com'], 'https://', upstreamEnv],
    ['UPSTREAM_INTROSPECTION_URL', ['https://a.example/in', 'https://me@a'], 'id:secret@', upstreamEnv],
    ['UPSTREAM_INTROSPECTION_URL', ['https://a:p%w@id.example.com/introspect'], '%25', upstreamEnv],
    ['UPSTREAM_INTROSPECTION_URL', ['http://a:b@id.example.com/introspect'], 'loopback', upstreamEnv],
    ['UPSTREAM_INTROSPECTION_URL', ['id.example.com'], 'https://', upstreamEnv],
    ['UPSTREAM_POLL_SECONDS', ['0'], '1 to 3600', upstreamEnv],
    ['DATABASE_URL', ['mysql://localhost/x']],
    ['DATABASE_URL', ['postgres://db:99999/x'], 'its port at most 65535'],
    ['DATABASE_URL', ['postgres://me:pass/word@db/x'], '%2F'],
    ['DATABASE_URL', ['postgres://db/x?sslmod=verify-full'], 'sslmod,'],
    ['DATABASE_URL', ['postgres://db/x?sslmode=verify'], 'verify-full'],
    ['BROKER_URL', ['http://broker'], 'nats://'],
    ['BROKER_URL', ['nats://broker:99999'], 'its port at most 65535'],
    ['BROKER_URL', ['nats://', 'nats://?x'], 'a host'],
    ['MAIL_FROM', [''], 'required with SMTP_URL', mailEnv],
    ['MAIL_FROM', ['Gateway', 'gateway', 'Gateway <gateway>', 'gäte@example.com'], sender, mailEnv],
    ['MAIL_FROM', [`Gateway ${sender}`, 'a@b.example, c@b.example', 'A <a@example.com> B'], sender, mailEnv],
    ['MAIL_FROM', ['A\r\nBcc: x@example.com <a@example.com>', 'A\u2028B <a@b.example>'], sender, mailEnv],
    ['MAIL_FROM', ['nobody']],
    ['SMTP_URL', ['http://mail', 'mail.example.com:25'], 'smtp:// or smtps://', mailEnv],
    ['SMTP_URL', ['smtp://mail:99999'], 'at most 65535', mailEnv],
    ['SMTP_URL', ['smtp://mail:0'], '1 to 65535', mailEnv],
    ['SMTP_URL', ['smtp://'], 'a host', mailEnv],
    ['SMTP_URL', ['smtp://ada:p/w@mail'], '%2F', mailEnv],
    ['SMTP_URL', ['smtp://ada:p%w@mail'], '%25', mailEnv],
    ['SMTP_URL', ['smtp://ada@mail'], 'or neither', mailEnv],
    ['SMTP_URL', ['smtp://m/path', 'smtp://m?x=1', 'smtp://m?', 'smtp://m#x'], 'must end after', mailEnv],
    ['RATE_LIMIT', ['0', '1.5', 'none']],
    ['EXPLORER', ['true']],
    ['INTROSPECTION', ['on']],
    ['TRUST_PROXY', ['proxy.internal'], '10.0.0.0/8'],
    ['TRUST_PROXY', ['10.0.0.0/33', '10.0.0.1,', '::/129', 'true']],
    ['WEBHOOK_NETWORKS', ['internal'], '10.0.0.0/8'],
    ['WEBHOOK_NETWORKS', ['fe80::1%1/64']],
    ['CHANNELS', ['yes'], 'on or off'],
    ['DRAIN_DELAY', ['5s'], 'whole number'],
    ['DRAIN_DELAY', ['-1']],
    ['DATABASE_POOL', ['0', 'many']],
    ['LOG_LEVEL', ['verbose'], 'trace'],
    ['CORS_ORIGINS', ['*', 'https://a.example/', 'https://a.example,']],
    ['PUBSUB_HOST', ['https://pubsub.example.com']],
    ['PUBSUB', ['true'], 'on or off'],
    ['PUBSUB_EMULATOR_HOST', ['localhost'], 'localhost:8085'],
    ['PUBSUB_EMULATOR_HOST', ['http://localhost:8085', 'localhost:85000']],
    ['STORAGE_HOST', ['a b']],
    ['PRIMARY_CALENDARS', ['on'], 'auto'],
    ['CALENDAR_TIME_ZONE', ['Mars'], 'IANA'],
    ['CALENDAR_FEEDS', ['yes'], 'on or off'],
    ['CALENDAR_FEEDS', ['on'], 'SIGNING_SECRET or AUTH_JWT_SECRET', providerEnv],
    ['CALENDAR_FEEDS', ['on'], 'SIGNING_SECRET or AUTH_JWT_SECRET', upstreamEnv],
    ['CALENDAR_URL', ['calendar.example.com'], 'https:// or http://'],
    ['CALENDAR_URL', ['https://x/y?z'], 'query'],
    ['CALENDAR_URL', ['https://x/y#q'], 'fragment'],
    ['SIGNING_SECRET', ['short']],
    ['SIGNING_SECRET', [' '.repeat(40)], 'white space'],
    ['MAX_CONNECTIONS', ['0']],
    ['METRICS_HOST', ['10.0.0.5']],
    ['OTEL_TRACES_SAMPLER', ['jaeger_remote'], 'parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', ['1.5'], '0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', ['half']],
    ['OTEL_SDK_DISABLED', ['yes']],
    ['OTEL_RESOURCE_ATTRIBUTES', ['staging'], 'percent'],
    ['OTEL_RESOURCE_ATTRIBUTES', ['a=%zz']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['otel:4318']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['http://otel:4318/?x=1'], 'query'],
  ];
  test.each(
    invalidSettings.flatMap(([name, values, messagePart = '', others = {}]) =>
      values.map((value) => ({ name, value, others, messagePart })),
    ),
  )('refuses $name=$value with $others, and names valid values', ({ name, value, others, messagePart }) => {
    const [line = '', ...otherLines] = listProblems({ ...others, [name]: value });
    expect(line).toContain(messagePart);
    expect(line).toMatch(new RegExp(`^ {2}${name}: \\S.+`));
    expect(otherLines).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '10.0.0.5', 'gateway.example.com', '127.0.0.1.example.com'])(
    'refuses a demo on %s',
    (host) => {
      const loopbackRule = 'must be a loopback address (127.0.0.1, ::1, localhost)';
      expect(listProblems({ HOST: host })).toEqual([
        `  HOST: ${loopbackRule} as long as no AUTH_… variable is set`,
      ]);
    },
  );

  test('reports every invalid variable, without secrets', () => {
    const secrets = { AUTH_JWT_SECRET: 'hunter2', SIGNING_SECRET: 'hunter2' };
    const invalidMailEnv = { ...mailEnv, SMTP_URL: 'smtp://hunter2:hunter2@mail/x' };
    const lines = listProblems({ PORT: 'x', EXPLORER: 'yes', ...secrets, ...invalidMailEnv });
    const names = 'PORT AUTH_JWT_SECRET SMTP_URL EXPLORER SIGNING_SECRET'.split(' ');
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual(names);
    expect(lines.join()).not.toContain('hunter2');
  });
});

test("compose.yaml leaves the operator's settings empty and has no unknown variable", () => {
  const [, environmentText = ''] = /^ {4}environment:\n((?: {6}.*\n)*)/m.exec(readText('compose.yaml')) ?? [];
  const composeVariables = [...environmentText.matchAll(/^ {6}([A-Z_]+):(.*)$/gm)];
  expect(composeVariables.filter(([, name = '']) => !documentedSettings.includes(name))).toEqual([]);
  const emptyVariables = composeVariables.flatMap(([, name, value]) => (value === '' ? [name] : []));
  const operatorSettings = documentedSettings.filter((name) =>
    /^(AUTH_.*|OTEL_.*|SEED_FILE|CORS_ORIGINS)$/.test(name),
  );
  expect(emptyVariables).toEqual(expect.arrayContaining(operatorSettings));
});

test('compose.yaml gives the gateway DRAIN_DELAY and 10 s to stop', () => {
  const readSeconds = (name: string): number =>
    Number(new RegExp(`^ +${name}: (\\d+)s?$`, 'm').exec(readText('compose.yaml'))?.[1]);
  expect(readSeconds('stop_grace_period')).toBe(readSeconds('DRAIN_DELAY') + 10);
});
