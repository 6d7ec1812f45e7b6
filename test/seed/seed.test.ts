import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../src/app.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { progressOn } from '../../src/seed/report.ts';
import { SeedError } from '../../src/seed/seed.ts';
import { secret, startGateway } from '../harness.ts';

const owner = 'alice@example.com';
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const calendar = { id: 'work', owner, timeZone: 'Europe/Berlin' };
const bucket = { name: 'photos', project: 'p', managers: [owner] };
const one = (change: object) => ({ calendars: [{ ...calendar, ...change }] });
const other = { ...calendar, id: 'b' };
const wrong = { id: 'wrong', colorId: '12', ...day };
const reader = { email: owner, role: 'reader' };

/** Starts from a seed; `path reason` of each issue when it is refused. */
async function issuesOf(seed: unknown): Promise<string[]> {
  try {
    await (await startGateway({}, { seed })).close();
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    for (const { path, message } of error.issues) {
      expect(message).not.toBe('');
      expect(error.message).toContain(message);
      expect(error.message).toContain(String(path[0] ?? '(top level)'));
    }
    return error.issues.map(({ path, reason }) => `${path.join('.')} ${reason}`).sort();
  }
}

describe('seed data', () => {
  test('fills calendars and buckets, read-only fields included', async () => {
    const event = { id: 'locked', summary: 'Locked', locked: true, created: '2020-01-01T00:00:00Z', ...day };
    const notification = { id: '7', topic: 'projects/my-project/topics/new' };
    const seed = { ...one({ events: [event] }), buckets: [{ ...bucket, notifications: [notification, {}] }] };
    const gateway = await startGateway({}, { seed });
    const { data, errors } = await gateway.ask(`{
      event(calendarId: "primary", eventId: "locked") { summary locked created }
      notifications(bucket: "photos") { id topic }
    }`);
    await gateway.close();
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      event: { summary: 'Locked', locked: true, created: '2020-01-01T00:00:00Z' },
      notifications: [
        { id: '7', topic: '//pubsub.googleapis.com/projects/my-project/topics/new' },
        { id: '8', topic: null },
      ],
    });
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['empty lists', { calendars: [], buckets: [] }],
    ['the least of each', { calendars: [calendar], buckets: [{ name: 'b', project: 'p' }] }],
  ])('may hold %s', async (_what, seed) => {
    expect(await issuesOf(seed)).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    ['a list', [], [' invalid']],
    ['an unknown part', { calendar: [] }, ['calendar invalid']],
    [
      'a calendar without anything',
      { calendars: [calendar, {}] },
      ['calendars.1.id required', 'calendars.1.owner required', 'calendars.1.timeZone required'],
    ],
    [
      'wrong values in a calendar',
      one({ owner: 'alice', timeZone: 'Mars/Olympus', events: {} }),
      ['calendars.0.events invalid', 'calendars.0.owner invalid', 'calendars.0.timeZone invalid'],
    ],
    [
      'an unknown role',
      one({ acl: [reader, { email: 'x', role: 'king' }] }),
      ['calendars.0.acl.1.email invalid', 'calendars.0.acl.1.role invalid'],
    ],
    [
      'reminders out of range',
      one({ defaultReminders: [{ method: 'sms', minutes: 40321 }] }),
      ['calendars.0.defaultReminders.0.method invalid', 'calendars.0.defaultReminders.0.minutes invalid'],
    ],
    [
      'wrong values in a bucket',
      { buckets: [{ name: '', managers: ['x'] }] },
      ['buckets.0.managers.0 invalid', 'buckets.0.name invalid', 'buckets.0.project required'],
    ],
    [
      'names that are too long',
      { ...one({ id: 'é'.repeat(513) }), buckets: [{ ...bucket, name: 'é'.repeat(112) }] },
      ['buckets.0.name invalid', 'calendars.0.id invalid'],
    ],
    ['a calendar twice', { calendars: [calendar, other, calendar] }, ['calendars.2.id duplicate']],
    ['a bucket twice', { buckets: [bucket, bucket] }, ['buckets.1.name duplicate']],
  ])('is refused with %s', async (_what, seed, issues) => {
    expect(await issuesOf(seed)).toEqual(issues);
  });
});

describe('seed data is validated as far as it has a form:', () => {
  const events = [wrong];
  const twice = { id: 'twice', ...day };
  const odd = { ...bucket, notifications: [{ topic: 'wrong' }] };
  const topic = 'buckets.0.notifications.0.topic invalid';
  const color = 'calendars.0.events.0.colorId invalid';

  test.each<[string, object, string[]]>([
    [
      'one wrong calendar',
      { calendars: [{ id: 'a' }, { ...calendar, events }, calendar], buckets: [{ name: 'x', no: 1 }, odd] },
      [
        'buckets.0.no invalid',
        'buckets.0.project required',
        'buckets.1.notifications.0.topic invalid',
        'calendars.0.owner required',
        'calendars.0.timeZone required',
        'calendars.1.events.0.colorId invalid',
        'calendars.2.id duplicate',
      ],
    ],
    ['a part that is no list', { calendars: {}, buckets: [odd] }, [topic, 'calendars invalid']],
    [
      'a calendar without an owner',
      { calendars: [{ id: 'a', timeZone: 'UTC', events: [twice, twice] }] },
      ['calendars.0.events.1.id duplicate', 'calendars.0.owner required'],
    ],
    [
      'an unknown field of a calendar or bucket',
      { ...one({ colour: 1, events }), buckets: [{ ...odd, colour: 1 }] },
      ['buckets.0.colour invalid', topic, 'calendars.0.colour invalid', color],
    ],
  ])('%s hides nothing of the rest', async (_what, seed, issues) => {
    expect(await issuesOf(seed)).toEqual(issues);
  });
});

describe('the seed file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'seed-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test('is what the store starts from', async () => {
    const SEED_FILE = file('good.json', JSON.stringify({ buckets: [bucket] }));
    const gateway = await startGateway({ SEED_FILE });
    const { data } = await gateway.ask(
      '{ notifications(bucket: "photos") { id } event(calendarId: "primary", eventId: "teammeeting") { id } }',
    );
    await gateway.close();
    expect(data).toEqual({ notifications: [], event: null });
  });

  test.each([
    ['that is missing', (): string => join(folder, 'missing.json')],
    ['that is no JSON', (): string => file('broken.json', '{ "calendars": [')],
    ['that is a folder', (): string => folder],
  ])('%s stops the start, and the message names variable and file', async (_what, name) => {
    const path = name();
    const started = startGateway({ SEED_FILE: path });
    await expect(started).rejects.toThrow(ConfigError);
    await expect(started).rejects.toThrow(`SEED_FILE: ${path} cannot be read as JSON: `);
  });

  test('with issues stops the start and lists them by path', async () => {
    const path = file('wrong.json', JSON.stringify(one({ events: [wrong] })));
    await expect(startGateway({ SEED_FILE: path })).rejects.toThrow(
      /^The seed data is not valid:\n {2}calendars\[0\]\.events\[0\]\.colorId: \S.+$/,
    );
  });

  /** State after a start: the demo's calendar and bucket, if they are there, and its notices. */
  async function startedWith(env: Readonly<Record<string, string>>) {
    const quiet = { logLevel: 'silent', processMetrics: false } as const;
    const { app, stores, notices } = await compose(readConfig(env), quiet);
    const [alice] = await stores.calendars.calendars([{ id: owner }]);
    const [photos] = await stores.buckets.buckets(['demo-photos']);
    await app.close();
    return { alice, photos, notices };
  }

  test('is not needed: without one the demo has its own data', async () => {
    expect(await startedWith({})).toMatchObject({
      alice: { owner },
      photos: { name: 'demo-photos' },
      notices: expect.not.arrayContaining([expect.stringContaining('empty')]),
    });
  });

  test('is what a gateway that is no demo has its data from: without one it starts empty, and says so', async () => {
    expect(await startedWith({ AUTH_JWT_SECRET: secret })).toEqual({
      alice: undefined,
      photos: undefined,
      notices: [
        'Everything is kept in memory and lost when the gateway stops. Set DATABASE_URL to keep it.',
        'The store starts empty. Set SEED_FILE to load calendars and buckets.',
      ],
    });
  });

  test('of many events tells a terminal how far it is, and of few events nothing', async () => {
    const written: string[] = [];
    const onProgress = progressOn({ write: (text) => written.push(text) });
    const load = async (count: number): Promise<void> => {
      const seed = one({ events: Array.from({ length: count }, () => day) });
      await (await startGateway({}, { seed, onProgress })).close();
    };
    await load(4999);
    expect(written).toEqual([]);
    await load(5001);
    expect([written[0], written.at(-1)]).toEqual([
      '\rLoading the seed: 250 of 5,001 events',
      '\rLoading the seed: 5,001 of 5,001 events\n',
    ]);
  });
});
