import { eventually } from '../eventually.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { exportData } from '../../src/seed/export.ts';
import { importData } from '../../src/seed/import.ts';
import { countOn } from '../../src/seed/progress.ts';
import { exported, imported, targetOf } from './data.harness.ts';

const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const person = (id: string, events: readonly unknown[] = []) => ({
  id,
  owner: id,
  timeZone: 'Europe/Berlin',
  events,
});
const series = {
  id: 'series',
  start: { date: '2026-12-01' },
  end: { date: '2026-12-02' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
};
const at = '2026-12-01T00:00:00.000Z';
const instance = { original: '20261202', updated: at, event: { summary: 'Other' } };

describe('a file of npm run data', () => {
  let gateway: TestGateway;
  const start = async (...calendars: readonly object[]): Promise<void> => {
    gateway = await startGateway({}, { seed: { calendars } });
  };
  afterEach(() => gateway.close());
  const load = (...calendars: readonly object[]) => imported(gateway.stores, JSON.stringify({ calendars }));
  const issuesOf = async (...calendars: readonly object[]): Promise<string[]> =>
    (await load(...calendars)).issues.map(({ path, reason }) => `${path.join('.')} ${reason}`);
  const read = async (eventId: string, as: string = alice) =>
    (
      await gateway.ask(
        `query ($eventId: String!) { event(calendarId: "primary", eventId: $eventId) { summary status attendees { email } reminders { useDefault } } }`,
        { eventId },
        { as },
      )
    ).data.event;

  test.each<[string, object, string[]]>([
    [
      'a calendar that is not there',
      { copies: { 'nobody@example.com': { guest: 'nobody@example.com' } } },
      ['copies.nobody@example.com notFound'],
    ],
    ['no guest', { copies: { [bob]: {} } }, [`copies.${bob}.guest required`]],
    [
      'the id of another event',
      { copies: { [bob]: { id: 'lunch', guest: bob } } },
      [`copies.${bob}.id duplicate`],
    ],
    [
      'fields of all',
      { copies: { [alice]: { event: { summary: 'x' } } } },
      [`copies.${alice}.event.summary invalid`],
    ],
    [
      'reminders that do not go together',
      {
        copies: {
          [alice]: {
            viewers: {
              [bob]: {
                updated: at,
                reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 5 }] },
              },
            },
          },
        },
      },
      [`copies.${alice}.viewers.${bob}.reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride`],
    ],
    [
      'names that no entry can have',
      JSON.parse(
        `{ "copies": { "__proto__": {}, "${alice}": { "viewers": { "__proto__": {} } } } }`,
      ) as object,
      ['copies.__proto__ invalid', `copies.${alice}.viewers.__proto__ invalid`],
    ],
    [
      'values that are none',
      { copies: { [alice]: { state: 'gone', updated: 'then' } } },
      [`copies.${alice}.state invalid`, `copies.${alice}.updated invalid`],
    ],
    [
      'fields of others as a user’s own',
      { copies: { [alice]: { viewers: { [bob]: { updated: at, colorId: '3' } } } } },
      [`copies.${alice}.viewers.${bob}.colorId invalid`],
    ],
    ['an instance of no series', { copies: {}, instances: [instance] }, ['instances.0.original invalid']],
    [
      'an instance twice, and at no start',
      {
        ...series,
        copies: {},
        instances: [instance, instance, { original: '20261209' }, { original: 'soon' }],
      },
      ['instances.3.original invalid'],
    ],
    [
      'an instance twice',
      { ...series, copies: {}, instances: [instance, instance] },
      ['instances.1.original duplicate'],
    ],
    [
      'wrong fields of an instance',
      {
        ...series,
        copies: {},
        instances: [
          { ...instance, event: { summary: 5, nope: 1 }, answers: { [bob]: { responseStatus: 'maybe' } } },
        ],
      },
      [
        'instances.0.event.summary invalid',
        'instances.0.event.nope invalid',
        `instances.0.answers.${bob}.responseStatus invalid`,
      ],
    ],
    [
      'times of an instance that do not fit',
      {
        ...series,
        copies: {},
        instances: [{ original: '20261202', event: { end: { date: '2026-12-01' } } }],
      },
      ['instances.0.event.end timeRangeEmpty'],
    ],
  ])('is refused with %s', async (_what, event, issues) => {
    await start(person(alice), person(bob, [{ id: 'lunch', ...day }]));
    expect(await issuesOf(person(alice, [{ id: 'event', ...day, ...event }]), person(bob))).toEqual(
      issues.map((issue) => `calendars.0.events.0.${issue}`),
    );
  });

  test('replaces an event, its instances and its guests’ copies; others’ settings that a REST body does not tell stay', async () => {
    await start(person(alice, [{ ...series, summary: 'Old', attendees: [{ email: bob }] }]), person(bob));
    const patch =
      'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }';
    const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };
    expect(
      (await gateway.ask(patch, { eventId: 'series', event: { reminders } }, { as: bob })).errors,
    ).toBeUndefined();
    const before = JSON.parse(await exported(gateway.stores)).calendars as object[];
    expect(
      (await gateway.ask(patch, { eventId: 'series_20261203', event: { summary: 'Moved' } })).errors,
    ).toBeUndefined();
    expect((await load(person(alice, [{ ...series, summary: 'New' }]))).counts.events).toMatchObject({
      changed: 1,
    });
    expect(await read('series', bob)).toMatchObject({ status: 'cancelled' });
    expect((await load(...before)).counts.events).toMatchObject({ changed: 1 });
    expect([await read('series', bob), await read('series_20261203')]).toMatchObject([
      { summary: 'Old', status: 'confirmed', reminders: { useDefault: false } },
      { summary: 'Old' },
    ]);
    expect((await load(...before)).counts.events).toMatchObject({ changed: 0, unchanged: 1 });
  });

  test('has who was taken off a series and invited to an instance: there it is the same, alone, and goes along when the guest is back', async () => {
    const patch = async (eventId: string, ...guests: string[]): Promise<void> => {
      const document =
        'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }';
      expect(
        (await gateway.ask(document, { eventId, event: { attendees: guests.map((email) => ({ email })) } }))
          .errors,
      ).toBeUndefined();
    };
    await start(person(alice, [{ ...series, attendees: [{ email: bob }] }]), person(bob));
    await patch('series', carol);
    await patch('series_20261202', carol, bob);
    const [text, own, seen] = [
      await exported(gateway.stores),
      await exported(gateway.stores, bob),
      await read('series_20261202', bob),
    ];
    expect(seen).toMatchObject({ status: 'confirmed' });
    await gateway.close();
    await start();
    expect((await imported(gateway.stores, text)).issues).toEqual([]);
    expect([
      await exported(gateway.stores),
      await read('series_20261202', bob),
      await read('series', bob),
    ]).toMatchObject([text, seen, { status: 'cancelled' }]);
    await patch('series', bob);
    expect([await read('series_20261202', bob), await read('series_20261203', bob)]).toMatchObject([
      { status: 'confirmed' },
      { status: 'confirmed' },
    ]);
    await patch('series', carol);
    expect(await read('series_20261202', bob)).toMatchObject({ status: 'cancelled', summary: null });
    await gateway.close();
    await start();
    expect((await imported(gateway.stores, own)).issues).toEqual([]);
    expect([await read('series_20261202', bob), await read('series', bob)]).toMatchObject([
      { status: 'confirmed' },
      null,
    ]);
  });

  test.each([alice, bob])(
    'of %s alone, taken where it is from, changes nothing of who is on an instance without its series',
    async (calendarId) => {
      const document =
        'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }';
      await start(person(alice, [{ ...series, attendees: [{ email: bob }] }]), person(bob));
      for (const [eventId, attendees] of [
        ['series', []],
        ['series_20261202', [{ email: bob }]],
      ])
        await gateway.ask(document, { eventId, event: { attendees } });
      const all = await exported(gateway.stores);
      expect(all).toContain('"apart":true');
      expect(
        (await imported(gateway.stores, await exported(gateway.stores, calendarId))).counts.events,
      ).toMatchObject({ changed: 0 });
      expect(await exported(gateway.stores)).toBe(all);
    },
  );

  test.each([
    ['a stranger', false],
    ['a guest of the series before', true],
  ])('has no guest on an instance who was invited to it later: %s', async (_who, isOff) => {
    const patch = async (eventId: string, event: object): Promise<void> => {
      const document =
        'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }';
      expect((await gateway.ask(document, { eventId, event })).errors).toBeUndefined();
    };
    await start(
      person(alice, [{ ...series, attendees: [{ email: carol }, ...(isOff ? [{ email: bob }] : [])] }]),
      person(bob),
    );
    if (isOff) await patch('series', { attendees: [{ email: carol }] });
    await patch('series_20261202', { summary: 'Own' });
    const text = await exported(gateway.stores);
    await patch('series_20261202', { attendees: [{ email: carol }, { email: bob }] });
    expect(await read('series_20261202', bob)).toMatchObject({ status: 'confirmed' });
    expect((await imported(gateway.stores, text)).counts.events).toMatchObject({ changed: 1 });
    expect([await read('series_20261202', bob), (await read('series_20261202')).attendees]).toMatchObject([
      { status: 'cancelled', summary: null },
      [{ email: carol }],
    ]);
    expect((await imported(gateway.stores, text)).counts.events).toMatchObject({ changed: 0 });
  });

  test('of one calendar invites guests who have a calendar where it goes', async () => {
    await start(person(alice, [{ id: 'event', ...day, attendees: [{ email: bob }] }]), person(bob));
    const text = await exported(gateway.stores, alice);
    await gateway.close();
    await start(person(bob));
    expect((await imported(gateway.stores, text)).counts.events).toMatchObject({ added: 1 });
    expect(await read('event', bob)).toMatchObject({ status: 'confirmed' });
  });

  test('brings an event to each of its guests once, also where the calendars come one by one, or its own was deleted', async () => {
    const event = {
      id: 'event',
      iCalUID: 'event@example.com',
      ...day,
      attendees: [{ email: bob }, { email: carol }],
    };
    await start(person(alice, [event]), person(bob), person(carol));
    const each = await Promise.all([carol, alice, bob].map((id) => exported(gateway.stores, id)));
    await gateway.close();
    for (const files of [each, each.slice().reverse(), each.filter((text) => !text.includes('"copies"'))]) {
      await start();
      for (const text of files) await imported(gateway.stores, text);
      for (const id of [alice, bob, carol]) {
        const { data } = await gateway.ask('{ calendars { id } }', {}, { as: id });
        expect(data.calendars).toHaveLength(1);
        await eventually(async () =>
          expect(await gateway.stores.calendars.claimJob(0, { calendarId: id })).toBeUndefined(),
        );
        expect(
          (await gateway.ask('{ events(calendarId: "primary") { nodes { id } } }', {}, { as: id })).data
            .events.nodes.length,
        ).toBeLessThan(2);
      }
      await gateway.close();
    }
    await start();
  });

  test('is taken but for what breaks a rule, and all of that is told', async () => {
    await start(person(alice, [{ id: 'event', ...day }]));
    const bucket = { name: 'my-photos', project: 'my-project', managers: [alice] };
    const subscription = { id: '1', topic: 'projects/my-project/topics/photos' };
    const file = {
      calendars: [
        'none',
        { id: 'odd', owner: alice, timeZone: 'Mars', events: [{ id: 'x!' }, 5] },
        person('team'),
        person('team'),
        { ...person('listless'), events: {} },
        {
          ...person(bob, [
            { id: 'event', ...day },
            { id: 'event', ...day },
            { ...day, summary: 'Without an id' },
            5,
          ]),
          summary: 'Bob',
          backgroundColor: '#ABCDEF',
          created: '2026-12-01T00:00:00Z',
        },
      ],
      buckets: [
        bucket,
        bucket,
        5,
        { ...bucket, name: 'other', managers: ['none'], notifications: [{ topic: 'none' }, subscription] },
      ],
    };
    const report = await importData(file, targetOf(gateway.stores));
    expect(report.issues.map(({ path, reason }) => `${path.join('.')} ${reason}`).sort()).toEqual(
      [
        'buckets.1.name duplicate',
        'buckets.2 invalid',
        'buckets.3.managers.0 invalid',
        'buckets.3.notifications.0.topic invalid',
        'calendars.0 invalid',
        'calendars.1.events.0.end required',
        'calendars.1.events.0.start required',
        'calendars.1.events.1 invalid',
        'calendars.1.timeZone invalid',
        'calendars.2.owner invalid',
        'calendars.3.owner invalid',
        'calendars.4.events invalid',
        'calendars.4.owner invalid',
        'calendars.5.events.1.id duplicate',
        'calendars.5.events.3 invalid',
      ].sort(),
    );
    expect(report.counts).toMatchObject({
      calendars: { added: 1 },
      events: { added: 2 },
      buckets: { added: 1 },
      subscriptions: { added: 0, refused: 2 },
    });
    expect([
      report.exitCode,
      (await imported(gateway.stores, JSON.stringify({ calendars: ['none'] }))).exitCode,
    ]).toEqual([1, 2]);
    await expect(importData({ calendar: [] }, targetOf(gateway.stores))).rejects.toThrow(
      'There is no such field.',
    );
  });

  test('replaces settings of calendars and buckets, and raises where ids go on', async () => {
    const bucket = { name: 'my-photos', project: 'my-project', managers: [alice] };
    const states = async (file: object): Promise<unknown> => {
      const {
        counts: { calendars, buckets },
      } = await importData(
        file,
        targetOf(gateway.stores, () => Date.UTC(2026, 11, 3)),
      );
      return [calendars, buckets].map((counts) =>
        Object.entries(counts)
          .filter(([, count]) => count > 0)
          .map(([state]) => state)
          .join(),
      );
    };
    await start();
    const first = { calendars: [{ ...person(alice), created: '2026-12-01T00:00:00Z' }], buckets: [bucket] };
    expect([await states(first), await states(first)]).toEqual([
      ['added', 'added'],
      ['unchanged', 'unchanged'],
    ]);
    expect(
      await states({
        calendars: [{ ...person(alice), summary: 'Alice' }],
        buckets: [{ ...bucket, requesterPays: true, metageneration: 7 }],
      }),
    ).toEqual(['changed', 'changed']);
    expect(
      await states({
        calendars: [{ ...person(alice), summary: 'Alice', owner: bob }],
        buckets: [{ ...bucket, requesterPays: true, metageneration: 7, lastId: 9 }],
      }),
    ).toEqual(['refused', 'changed']);
    const { data } = await gateway.ask(
      '{ calendar(calendarId: "primary") { summary created updated } bucket(bucket: "my-photos", userProject: "my-project") { metageneration updated billing { requesterPays } } }',
      {},
      { as: alice },
    );
    expect(data).toMatchObject({
      calendar: { summary: 'Alice', created: '2026-12-01T00:00:00Z', updated: '2026-12-03T00:00:00.000Z' },
      bucket: { metageneration: '7', billing: { requesterPays: true } },
    });
    const {
      data: { insertNotification },
    } = await gateway.ask(
      'mutation { insertNotification(bucket: "my-photos", userProject: "my-project", notification: { topic: "projects/my-project/topics/photos" }) { id } }',
      {},
      { as: alice },
    );
    expect(insertNotification.id).toBe('10');
  });

  test('of many calendars and buckets has them all, in order, and fills an empty store as a seed', async () => {
    const bucket = (index: number) => ({
      name: `bucket-${1000 + index}`,
      project: 'my-project',
      managers: [alice],
      notifications: [
        { id: '2', topic: 'projects/my-project/topics/second', custom_attributes: { b: '1', a: '2' } },
        { id: '1', topic: 'projects/my-project/topics/first' },
      ],
    });
    const given = {
      calendars: Array.from({ length: 260 }, (_, index) =>
        person(`person${1000 + index}@example.com`, index === 7 ? [series] : []),
      ),
      buckets: Array.from({ length: 260 }, (_, index) => bucket(index)),
    };
    gateway = await startGateway({}, { seed: given });
    let counted = 0;
    let text = '';
    for await (const line of exportData(targetOf(gateway.stores), { onProgress: (done) => (counted = done) }))
      text += line;
    expect([
      counted,
      (JSON.parse(text) as typeof given).calendars.map(({ id }) => id),
      (JSON.parse(text) as typeof given).buckets.map(({ name }) => name),
    ]).toEqual([1, given.calendars.map(({ id }) => id), given.buckets.map(({ name }) => name)]);
    await expect(exported(gateway.stores, 'nobody')).rejects.toThrow('There is no calendar "nobody".');
    await gateway.close();
    gateway = await startGateway({}, { seed: JSON.parse(text) });
    expect(await exported(gateway.stores)).toBe(text);
    const twice = {
      calendars: [
        {
          ...person('person1007@example.com'),
          events: (JSON.parse(text) as typeof given).calendars[7]?.events.flatMap((one) => [one, one]),
        },
      ],
    };
    await expect(startGateway({}, { seed: twice })).rejects.toThrow(
      'The calendar has an event with this id.',
    );
  });

  test('names each subscription once, and changes none that is the same, in whatever order its attributes stand', async () => {
    const bucket = { name: 'my-photos', project: 'my-project', managers: [alice] };
    const subscription = {
      id: '1',
      topic: 'projects/my-project/topics/photos',
      custom_attributes: { b: '1', a: '2' },
    };
    await start();
    const first = await importData(
      { buckets: [{ ...bucket, notifications: [subscription, subscription] }] },
      targetOf(gateway.stores),
    );
    expect([
      first.issues.map(({ path, reason }) => `${path.join('.')} ${reason}`),
      first.counts.subscriptions,
    ]).toMatchObject([['buckets.0.notifications.1.id duplicate'], { added: 1, refused: 1 }]);
    expect(
      (await imported(gateway.stores, await exported(gateway.stores))).counts.subscriptions,
    ).toMatchObject({ unchanged: 1 });
  });

  test('leaves to others what is theirs: another event under the same id, another owner', async () => {
    await start(person(alice, [{ id: 'event', ...day, attendees: [{ email: bob }] }]), person(bob));
    expect(
      await issuesOf(
        person(bob, [
          { id: 'event', iCalUID: 'other', ...day },
          { id: 'event', ...day },
        ]),
        { ...person(alice), owner: bob },
      ),
    ).toEqual([
      'calendars.1.owner immutable',
      'calendars.0.events.1.id duplicate',
      'calendars.0.events.0.id duplicate',
    ]);
  });

  test('has an instance changed by a body of its own, and a guest’s body the guest’s own part', async () => {
    const own = {
      id: 'series_20261202',
      recurringEventId: 'series',
      originalStartTime: { date: '2026-12-02' },
      start: { date: '2026-12-02' },
      end: { date: '2026-12-03' },
      summary: 'Second',
    };
    const given = [
      person(alice, [{ ...series, attendees: [{ email: bob }] }, own]),
      person(bob, [{ ...series, organizer: { email: alice }, colorId: '3' }]),
    ];
    await start(...given);
    expect((await load(...given)).counts.events).toEqual({ added: 0, changed: 0, unchanged: 3, refused: 0 });
    expect(
      (
        await load(
          person(alice, [{ ...own, summary: 'Two' }]),
          person(bob, [{ ...series, organizer: { email: alice }, colorId: '4' }]),
        )
      ).counts.events,
    ).toMatchObject({ changed: 2 });
    expect(await read('series_20261202', bob)).toMatchObject({ summary: 'Two' });
  });
});

test('an export of many events tells a terminal how far it is', () => {
  const written: string[] = [];
  const { count, end } = countOn({ write: (text) => written.push(text) });
  for (let done = 1; done <= 6001; done += 1) count(done);
  end();
  expect(written).toEqual([
    '\rExporting: 5,000 events',
    '\rExporting: 6,000 events',
    '\rExporting: 6,001 events\n',
  ]);
});
