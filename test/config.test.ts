import { readFileSync } from 'node:fs';
import { ConfigError, readConfig, type Config } from '../src/config.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

const auth = { AUTH_JWT_SECRET: 'x'.repeat(32) };
const provider = { AUTH_JWKS_URL: 'https://id.example.com/keys', AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'gateway' };

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

describe('the configuration', () => {
  test('without any variable is a demo on this machine', () => {
    expect(readConfig({})).toEqual({
      port: 4000,
      host: '127.0.0.1',
      demo: true,
      auth: {},
      rateLimit: 6000,
      explorer: true,
      federation: false,
      compiledOperations: 'on',
      workers: 1,
      introspection: 'open',
      corsOrigins: [],
      pubsubHost: 'pubsub.googleapis.com',
      storageHost: 'www.googleapis.com',
      calendarUrl: 'https://calendar.example.com',
      connections: { total: 4096, perAddress: 2048 },
    });
  });

  test.each([auth, provider])('with a way to check tokens is no demo: no explorer, introspection with a token only', (env) => {
    expect(readConfig(env)).toMatchObject({ demo: false, explorer: false, introspection: 'authenticated' });
  });

  test('is read from the environment of the process unless told otherwise', () => {
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
    const names = ['PORT', 'HOST', 'AUTH_JWT_SECRET', 'AUTH_JWKS_URL', 'SEED_FILE', 'RATE_LIMIT', 'EXPLORER', 'CORS_ORIGINS'];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}));
  });

  test.each<[Record<string, string>, Partial<Config>]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65535 }],
    [{ HOST: 'localhost' }, { host: 'localhost', demo: true }],
    [{ HOST: '::1' }, { host: '::1', demo: true }],
    [{ HOST: '127.0.0.2' }, { host: '127.0.0.2', demo: true }],
    [{ HOST: '0.0.0.0', ...auth }, { host: '0.0.0.0', demo: false }],
    [auth, { auth: { secret: auth.AUTH_JWT_SECRET } }],
    [{ AUTH_JWT_SECRET: 'ü'.repeat(16) }, { auth: { secret: 'ü'.repeat(16) } }],
    [{ ...auth, AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'you' }, { auth: { secret: auth.AUTH_JWT_SECRET, issuer: 'me', audience: 'you' } }],
    [provider, { auth: { jwksUrl: provider.AUTH_JWKS_URL, issuer: provider.AUTH_ISSUER, audience: 'gateway' } }],
    [{ BROKER_URL: 'nats://broker:4222' }, { brokerUrl: 'nats://broker:4222' }],
    // Without a host it is the socket of this machine.
    [{ DATABASE_URL: 'postgres:///gateway?host=/run/postgresql' }, { databaseUrl: 'postgres:///gateway?host=/run/postgresql' }],
    [{ SEED_FILE: './seed.json' }, { seedFile: './seed.json' }],
    [{ RATE_LIMIT: '1' }, { rateLimit: 1 }],
    [{ RATE_LIMIT: 'off' }, { rateLimit: 'off' }],
    [{ EXPLORER: 'off' }, { explorer: false }],
    [{ EXPLORER: 'on', ...auth }, { explorer: true }],
    [{ ...auth, WORKERS: '4', DATABASE_URL: 'postgres://db/x' }, { workers: 4 }],
    [{ INTROSPECTION: 'off' }, { introspection: 'off' }],
    [{ INTROSPECTION: 'authenticated' }, { introspection: 'authenticated' }],
    [{ INTROSPECTION: 'open', ...auth }, { introspection: 'open' }],
    [{ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }, { corsOrigins: ['https://a.example', 'http://localhost:5173'] }],
    [{ PUBSUB_HOST: 'localhost:8085', STORAGE_HOST: 'storage.example.com' }, { pubsubHost: 'localhost:8085', storageHost: 'storage.example.com' }],
    [{ CALENDAR_URL: 'https://cal.example.com/base//' }, { calendarUrl: 'https://cal.example.com/base' }],
    [{ SIGNING_SECRET: 's'.repeat(32) }, { signingSecret: 's'.repeat(32) }],
    [{ MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '5' }, { connections: { total: 10, perAddress: 5 } }],
    [{ METRICS_PORT: '9090' }, { metrics: { host: '127.0.0.1', port: 9090 } }],
    [{ METRICS_PORT: '9090', METRICS_HOST: '10.0.0.5' }, { metrics: { host: '10.0.0.5', port: 9090 } }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' }, { tracing: { endpoint: 'http://otel:4318', serviceName: 'resource-gateway' } }],
    [{ HOME: '/home/ada' }, { stateFolder: '/home/ada/.local/state/resource-gateway' }],
    [{ HOME: '/home/ada', XDG_STATE_HOME: '/state' }, { stateFolder: '/state/resource-gateway' }],
    [{ HOME: '/home/ada', XDG_STATE_HOME: 'state' }, { stateFolder: '/home/ada/.local/state/resource-gateway' }],
  ])('accepts %j', (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
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
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://db:99999/x' }, 'DATABASE_URL', 'its port at most 65535'],
    [{ DATABASE_URL: 'postgres://me:pass/word@db/x' }, 'DATABASE_URL', '%2F'],
    [{ BROKER_URL: 'http://broker' }, 'BROKER_URL', 'nats://'],
    [{ BROKER_URL: 'nats://broker:99999' }, 'BROKER_URL', 'its port at most 65535'],
    [{ BROKER_URL: 'nats://' }, 'BROKER_URL', 'a host'],
    [{ BROKER_URL: 'nats://?x' }, 'BROKER_URL', 'a host'],
    [{ RATE_LIMIT: '0' }, 'RATE_LIMIT'],
    [{ RATE_LIMIT: '1.5' }, 'RATE_LIMIT'],
    [{ RATE_LIMIT: 'none' }, 'RATE_LIMIT'],
    [{ EXPLORER: 'true' }, 'EXPLORER'],
    [{ INTROSPECTION: 'on' }, 'INTROSPECTION'],
    [{ WORKERS: '0' }, 'WORKERS'],
    [{ ...auth, WORKERS: '2' }, 'WORKERS'],
    [{ WORKERS: '2', DATABASE_URL: 'postgres://db/x' }, 'WORKERS'],
    [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://a.example/' }, 'CORS_ORIGINS'],
    [{ CORS_ORIGINS: 'https://a.example,' }, 'CORS_ORIGINS'],
    [{ PUBSUB_HOST: 'https://pubsub.example.com' }, 'PUBSUB_HOST'],
    [{ STORAGE_HOST: 'a b' }, 'STORAGE_HOST'],
    [{ CALENDAR_URL: 'calendar.example.com' }, 'CALENDAR_URL', 'https:// or http://'],
    [{ CALENDAR_URL: 'https://x/y?z' }, 'CALENDAR_URL', 'query'],
    [{ CALENDAR_URL: 'https://x/y#q' }, 'CALENDAR_URL', 'fragment'],
    [{ SIGNING_SECRET: 'short' }, 'SIGNING_SECRET'],
    [{ SIGNING_SECRET: ' '.repeat(40) }, 'SIGNING_SECRET', 'blanks'],
    [{ MAX_CONNECTIONS: '0' }, 'MAX_CONNECTIONS'],
    [{ METRICS_HOST: '10.0.0.5' }, 'METRICS_HOST'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/?x=1' }, 'OTEL_EXPORTER_OTLP_ENDPOINT', 'query'],
  ])('refuses %j and names the variable and what would do', (env, name, cause = '') => {
    const [line = '', ...more] = problems(env);
    expect(line).toContain(cause);
    expect(line).toMatch(new RegExp(`^ {2}${name}: \\S.+`));
    expect(more).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '10.0.0.5', 'gateway.example.com', '127.0.0.1.example.com'])('refuses a demo on %s', (host) => {
    expect(problems({ HOST: host })).toEqual([
      '  HOST: must be a loopback address (127.0.0.1, ::1, localhost) as long as no AUTH_… variable is set',
    ]);
  });

  test('names everything that is wrong, and echoes no secret', () => {
    const lines = problems({ PORT: 'x', AUTH_JWT_SECRET: 'hunter2', SIGNING_SECRET: 'hunter2', EXPLORER: 'yes' });
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual(['PORT', 'AUTH_JWT_SECRET', 'EXPLORER', 'SIGNING_SECRET']);
    expect(lines.join()).not.toContain('hunter2');
  });
});

test('compose.yaml leaves what depends on the operator to be filled in, and names no variable that there is not', () => {
  const table = [...read('README.md').matchAll(/^\| (`[A-Z_`, ]+) \|/gm)].flatMap(([, names = '']) => names.match(/[A-Z_]+/g) ?? []);
  const [, gateway = ''] = /^ {4}environment:\n((?: {6}.*\n)*)/m.exec(read('compose.yaml')) ?? [];
  const given = [...gateway.matchAll(/^ {6}([A-Z_]+):(.*)$/gm)].map(([, name = '', value = '']) => ({ name, isOpen: value === '' }));
  expect(given.filter(({ name }) => !table.includes(name))).toEqual([]);
  const open = given.flatMap(({ name, isOpen }) => (isOpen ? [name] : []));
  expect(open).toEqual(expect.arrayContaining(['SEED_FILE', 'CORS_ORIGINS', ...table.filter((name) => /^(AUTH|OTEL)_/.test(name))]));
});
