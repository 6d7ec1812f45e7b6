import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../src/app.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { createProgressLine } from '../../src/seed/import-report.ts';
import { SeedError } from '../../src/seed/import.ts';
import { secret, startGateway } from '../harness.ts';

const owner = 'alice@example.com';
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const calendar = { id: 'work', owner, timeZone: 'Europe/Berlin' };
const bucket = { name: 'photos', project: 'p', managers: [owner] };
const seedWith = (change: object) => ({ calendars: [{ ...calendar, ...change }] });
const calendarB = { ...calendar, id: 'b' };
const invalidEvent = { id: 'wrong', colorId: '12', ...day };
const reader = { email: owner, role: 'reader' };

/** Starts a gateway with a seed; returns `path reason` of each issue if the seed is refused. */
async function startForIssues(seed: unknown): Promise<string[]> {
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
    const seed = {
      ...seedWith({ events: [event] }),
      buckets: [{ ...bucket, notifications: [notification, {}] }],
    };
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
    ['the required fields only', { calendars: [calendar], buckets: [{ name: 'b', project: 'p' }] }],
  ])('may be %s', async (_case, seed) => {
    expect(await startForIssues(seed)).toEqual([]);
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
      'invalid values in a calendar',
      seedWith({ owner: 'alice', timeZone: 'Mars/Olympus', events: {} }),
      ['calendars.0.events invalid', 'calendars.0.owner invalid', 'calendars.0.timeZone invalid'],
    ],
    [
      'an unknown role',
      seedWith({ acl: [reader, { email: 'x', role: 'king' }] }),
      ['calendars.0.acl.1.email invalid', 'calendars.0.acl.1.role invalid'],
    ],
    [
      'reminders out of range',
      seedWith({ defaultReminders: [{ method: 'sms', minutes: 40321 }] }),
      ['calendars.0.defaultReminders.0.method invalid', 'calendars.0.defaultReminders.0.minutes invalid'],
    ],
    [
      'invalid values in a bucket',
      { buckets: [{ name: '', managers: ['x'] }] },
      ['buckets.0.managers.0 invalid', 'buckets.0.name invalid', 'buckets.0.project required'],
    ],
    [
      'names that are too long',
      { ...seedWith({ id: 'é'.repeat(513) }), buckets: [{ ...bucket, name: 'é'.repeat(112) }] },
      ['buckets.0.name invalid', 'calendars.0.id invalid'],
    ],
    ['a calendar twice', { calendars: [calendar, calendarB, calendar] }, ['calendars.2.id duplicate']],
    ['a bucket twice', { buckets: [bucket, bucket] }, ['buckets.1.name duplicate']],
  ])('is refused with %s', async (_case, seed, issues) => {
    expect(await startForIssues(seed)).toEqual(issues);
  });
});

describe('seed data is validated as far as possible:', () => {
  const events = [invalidEvent];
  const duplicateEvent = { id: 'twice', ...day };
  const bucketWithIssue = { ...bucket, notifications: [{ topic: 'wrong' }] };
  const topicIssue = 'buckets.0.notifications.0.topic invalid';
  const colorIssue = 'calendars.0.events.0.colorId invalid';

  test.each<[string, object, string[]]>([
    [
      'one invalid calendar',
      {
        calendars: [{ id: 'a' }, { ...calendar, events }, calendar],
        buckets: [{ name: 'x', no: 1 }, bucketWithIssue],
      },
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
    [
      'a part that is no list',
      { calendars: {}, buckets: [bucketWithIssue] },
      [topicIssue, 'calendars invalid'],
    ],
    [
      'a calendar without an owner',
      { calendars: [{ id: 'a', timeZone: 'UTC', events: [duplicateEvent, duplicateEvent] }] },
      ['calendars.0.events.1.id duplicate', 'calendars.0.owner required'],
    ],
    [
      'an unknown field of a calendar or bucket',
      { ...seedWith({ colour: 1, events }), buckets: [{ ...bucketWithIssue, colour: 1 }] },
      ['buckets.0.colour invalid', topicIssue, 'calendars.0.colour invalid', colorIssue],
    ],
  ])('%s does not hide other issues', async (_case, seed, issues) => {
    expect(await startForIssues(seed)).toEqual(issues);
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
  const writeSeedFile = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test('is loaded into the store at start', async () => {
    const SEED_FILE = writeSeedFile('good.json', JSON.stringify({ buckets: [bucket] }));
    const gateway = await startGateway({ SEED_FILE });
    const { data } = await gateway.ask(
      '{ notifications(bucket: "photos") { id } event(calendarId: "primary", eventId: "teammeeting") { id } }',
    );
    await gateway.close();
    expect(data).toEqual({ notifications: [], event: null });
  });

  test.each([
    ['that is missing', (): string => join(folder, 'missing.json')],
    ['that is not JSON', (): string => writeSeedFile('broken.json', '{ "calendars": [')],
    ['that is a folder', (): string => folder],
  ])('%s stops the start with a message that names variable and file', async (_case, createPath) => {
    const path = createPath();
    const startResult = startGateway({ SEED_FILE: path });
    await expect(startResult).rejects.toThrow(ConfigError);
    await expect(startResult).rejects.toThrow(`SEED_FILE: ${path} cannot be read as JSON: `);
  });

  test('with issues stops the start and lists them by path', async () => {
    const path = writeSeedFile('wrong.json', JSON.stringify(seedWith({ events: [invalidEvent] })));
    await expect(startGateway({ SEED_FILE: path })).rejects.toThrow(
      /^The seed data is not valid:\n {2}calendars\[0\]\.events\[0\]\.colorId: \S.+$/,
    );
  });

  /** Starts a gateway; returns its notices, and the demo's calendar and bucket if they exist. */
  async function startAndRead(env: Readonly<Record<string, string>>) {
    const silentOptions = { logLevel: 'silent', includesProcessMetrics: false } as const;
    const { app, stores, startupMessages } = await compose(readConfig(env), silentOptions);
    const [alice] = await stores.calendars.calendars([{ id: owner }]);
    const [photos] = await stores.buckets.buckets(['demo-photos']);
    await app.close();
    return { alice, photos, notices: startupMessages };
  }

  test.each(['null', '{ "calendars": 5 }'])(
    'of another form (%s) stops a demo with its issues',
    async (text) => {
      const startResult = startAndRead({ SEED_FILE: writeSeedFile('form.json', text) });
      await expect(startResult).rejects.toThrow(/^The seed data is not valid:\n/);
    },
  );

  test('is optional for the demo, which has its own data', async () => {
    expect(await startAndRead({})).toMatchObject({
      alice: { owner },
      photos: { name: 'demo-photos' },
      notices: expect.not.arrayContaining([expect.stringContaining('empty')]),
    });
  });

  test('is the only data of a gateway that is not a demo: without it the store is empty, with a notice', async () => {
    expect(await startAndRead({ AUTH_JWT_SECRET: secret })).toEqual({
      alice: undefined,
      photos: undefined,
      notices: [
        'Data is kept in memory and lost when the gateway stops. Set DATABASE_URL to keep it.',
        'The store starts empty. Set SEED_FILE to load calendars and buckets.',
      ],
    });
  });

  test('of many events shows its progress on a terminal, of few events nothing', async () => {
    const output: string[] = [];
    const onProgress = createProgressLine({ write: (text) => output.push(text) });
    const loadEvents = async (count: number): Promise<void> => {
      const seed = seedWith({ events: Array.from({ length: count }, () => day) });
      await (await startGateway({}, { seed, onProgress })).close();
    };
    await loadEvents(4999);
    expect(output).toEqual([]);
    await loadEvents(5001);
    expect([output[0], output.at(-1)]).toEqual([
      '\rLoading the seed: 250 of 5,001 events',
      '\rLoading the seed: 5,001 of 5,001 events\n',
    ]);
  });
});
