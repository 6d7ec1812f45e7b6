import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { secret } from '../harness.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/docs/first-steps.md`, 'utf8');

interface Block {
  readonly kind: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^```(sh|sh start|json)\n(.*?)^```$/gms)].map(([, kind = '', text = '']) => ({ kind, text }));

/** The page's commands in their order, and all that they are to print. */
const commands = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text).join('\n');
const expected = blocks.filter(({ kind }) => kind === 'json').flatMap(({ text }) => text.trim().split('\n')).map((line) => JSON.parse(line) as unknown);

/** `…` fits any text. */
const asPattern = (value: unknown): unknown => {
  if (value === '…') return expect.any(String);
  if (Array.isArray(value)) return value.map(asPattern);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asPattern(inner)])) : value;
};

describeWithPostgres('somebody who starts with an empty database', () => {
  let database: TestDatabase;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    database = await createDatabase();
    gateway = await startGatewayProcess({ DATABASE_URL: database.url, SEED_FILE: '' });
  }, 60_000);
  afterAll(async () => {
    await gateway?.kill();
    await database?.remove();
  }, 60_000);

  test('does all that the page says, as it says it', async () => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, URL: gateway.url, AUTH_JWT_SECRET: secret };
    const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', commands], { env, cwd: root });
    expect(stderr.replaceAll(/^npm warn.*\n/gm, '')).toBe('');
    expect(stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as unknown)).toEqual(expected.map(asPattern));
  }, 60_000);
});
