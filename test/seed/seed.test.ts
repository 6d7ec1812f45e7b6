import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../src/compose.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { progressOn } from '../../src/seed/progress.ts';
import { SeedError } from '../../src/seed/seed.ts';
import { secret, startGateway } from '../harness.ts';

const owner = 'alice@example.com';
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const calendar = { id: 'work', owner, timeZone: 'Europe/Berlin' };
const bucket = { name: 'photos', project: 'p', managers: [owner] };

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
    const seed = {
      calendars: [{ ...calendar, events: [event] }],
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
      { calendars: [{ ...calendar, owner: 'alice', timeZone: 'Mars/Olympus', events: {} }] },
      ['calendars.0.events invalid', 'calendars.0.owner invalid', 'calendars.0.timeZone invalid'],
    ],
    [
      'an unknown role',
      {
        calendars: [
          {
            ...calendar,
            acl: [
              { email: owner, role: 'reader' },
              { email: 'x', role: 'king' },
            ],
          },
        ],
      },
      ['calendars.0.acl.1.email invalid', 'calendars.0.acl.1.role invalid'],
    ],
    [
      'reminders out of range',
      { calendars: [{ ...calendar, defaultReminders: [{ method: 'sms', minutes: 40321 }] }] },
      ['calendars.0.defaultReminders.0.method invalid', 'calendars.0.defaultReminders.0.minutes invalid'],
    ],
    [
      'wrong values in a bucket',
      { buckets: [{ name: '', managers: ['x'] }] },
      ['buckets.0.managers.0 invalid', 'buckets.0.name invalid', 'buckets.0.project required'],
    ],
    [
      'names that are too long',
      { calendars: [{ ...calendar, id: 'é'.repeat(513) }], buckets: [{ ...bucket, name: 'é'.repeat(112) }] },
      ['buckets.0.name invalid', 'calendars.0.id invalid'],
    ],
    [
      'a calendar twice',
      { calendars: [calendar, { ...calendar, id: 'b' }, calendar] },
      ['calendars.2.id duplicate'],
    ],
    ['a bucket twice', { buckets: [bucket, bucket] }, ['buckets.1.name duplicate']],
    [
      'an event twice',
      {
        calendars: [
          {
            ...calendar,
            events: [
              { id: 'again', ...day },
              { id: 'again', ...day },
            ],
          },
        ],
      },
      ['calendars.0.events.1.id duplicate'],
    ],
    [
      'a notification twice',
      { buckets: [{ ...bucket, notifications: [{ id: '1' }, { id: '1' }] }] },
      ['buckets.0.notifications.1.id duplicate'],
    ],
  ])('is refused with %s', async (_what, seed, issues) => {
    expect(await issuesOf(seed)).toEqual(issues);
  });

  test('of events and notifications is told with all issues at once, each with its full path', async () => {
    const events = [
      { id: 'fine1', ...day },
      { id: 'wrong', colorId: '12', attendees: [{ email: 'x' }], ...day },
      'no event',
    ];
    const more = { ...calendar, id: 'more', events: [{ ...day, nope: 1 }] };
    const notifications = [{}, { topic: 'wrong', custom_attributes: { goog: 'x' } }];
    expect(
      await issuesOf({ calendars: [{ ...calendar, events }, more], buckets: [{ ...bucket, notifications }] }),
    ).toEqual([
      'buckets.0.notifications.1.custom_attributes.goog invalid',
      'buckets.0.notifications.1.topic invalid',
      'calendars.0.events.1.attendees.0.email invalid',
      'calendars.0.events.1.colorId invalid',
      'calendars.0.events.2 invalid',
      'calendars.1.events.0.nope invalid',
    ]);
  });
});

describe('seed data is validated as far as it has a form:', () => {
  const events = [{ id: 'wrong', colorId: '12', ...day }];
  const notifications = [{ topic: 'wrong' }];

  test.each<[string, object, string[]]>([
    [
      'one wrong calendar',
      {
        calendars: [{ id: 'a' }, { ...calendar, events }, calendar],
        buckets: [
          { name: 'x', colour: 1 },
          { ...bucket, notifications },
        ],
      },
      [
        'buckets.0.colour invalid',
        'buckets.0.project required',
        'buckets.1.notifications.0.topic invalid',
        'calendars.0.owner required',
        'calendars.0.timeZone required',
        'calendars.1.events.0.colorId invalid',
        'calendars.2.id duplicate',
      ],
    ],
    [
      'a fault of a calendar or bucket',
      {
        calendars: [
          { ...calendar, timeZone: 'Mars', events },
          { ...calendar, owner: 'nobody' },
        ],
        buckets: [{ ...bucket, managers: 1, notifications }],
      },
      [
        'buckets.0.managers invalid',
        'buckets.0.notifications.0.topic invalid',
        'calendars.0.events.0.colorId invalid',
        'calendars.0.timeZone invalid',
        'calendars.1.id duplicate',
        'calendars.1.owner invalid',
      ],
    ],
    [
      'an unknown part',
      { calendars: [{ ...calendar, events }], buckets: [{ ...bucket, notifications }], zz: 1 },
      ['buckets.0.notifications.0.topic invalid', 'calendars.0.events.0.colorId invalid', 'zz invalid'],
    ],
    [
      'a part that is no list',
      { calendars: {}, buckets: [{ ...bucket, notifications }] },
      ['buckets.0.notifications.0.topic invalid', 'calendars invalid'],
    ],
    [
      'an unknown field of a calendar or bucket',
      { calendars: [{ ...calendar, colour: 1, events }], buckets: [{ ...bucket, colour: 1, notifications }] },
      [
        'buckets.0.colour invalid',
        'buckets.0.notifications.0.topic invalid',
        'calendars.0.colour invalid',
        'calendars.0.events.0.colorId invalid',
      ],
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
    const gateway = await startGateway({
      SEED_FILE: file('good.json', JSON.stringify({ buckets: [bucket] })),
    });
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
    const wrong = { calendars: [{ ...calendar, events: [{ id: 'wrong', colorId: '12', ...day }] }] };
    await expect(startGateway({ SEED_FILE: file('wrong.json', JSON.stringify(wrong)) })).rejects.toThrow(
      /^The seed data is not valid:\n {2}calendars\[0\]\.events\[0\]\.colorId: \S.+$/,
    );
  });

  test('is not needed: without one the demo has its own data', async () => {
    const { app, stores, notices } = await compose(readConfig({}), {
      logLevel: 'silent',
      processMetrics: false,
    });
    const [alice, photos] = [
      await stores.calendars.calendars([{ id: 'alice@example.com' }]),
      await stores.buckets.buckets(['demo-photos']),
    ];
    await app.close();
    expect([alice, photos, notices.join()]).toMatchObject([
      [{ owner: 'alice@example.com' }],
      [{ name: 'demo-photos' }],
      expect.not.stringContaining('empty'),
    ]);
  });

  test('is what a gateway that is no demo has its data from: without one it starts empty, and says so', async () => {
    const { app, stores, notices } = await compose(readConfig({ AUTH_JWT_SECRET: secret }), {
      logLevel: 'silent',
      processMetrics: false,
    });
    const [alice, photos] = [
      await stores.calendars.calendars([{ id: 'alice@example.com' }]),
      await stores.buckets.buckets(['demo-photos']),
    ];
    await app.close();
    expect([alice, photos]).toEqual([[undefined], [undefined]]);
    expect(notices).toEqual([
      'Everything is kept in memory and lost when the gateway stops. Set DATABASE_URL to keep it.',
      'The store starts empty. Set SEED_FILE to load calendars and buckets.',
    ]);
  });

  test('of many events tells a terminal how far it is, and of few events nothing', async () => {
    const written: string[] = [];
    const onProgress = progressOn({ write: (text) => written.push(text) });
    const many = Array.from({ length: 5001 }, () => day);
    await (
      await startGateway({}, { seed: { calendars: [{ ...calendar, events: many.slice(2) }] }, onProgress })
    ).close();
    expect(written).toEqual([]);
    await (
      await startGateway({}, { seed: { calendars: [{ ...calendar, events: many }] }, onProgress })
    ).close();
    expect([written[0], written.at(-1)]).toEqual([
      '\rLoading the seed: 250 of 5,001 events',
      '\rLoading the seed: 5,001 of 5,001 events\n',
    ]);
  });
});
