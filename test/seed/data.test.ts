import { eventually } from '../eventually.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { exportData } from '../../src/seed/export.ts';
import { importData } from '../../src/seed/import.ts';
import { countOn, type ImportReport } from '../../src/seed/report.ts';
import { exported, imported, targetOf } from './data.harness.ts';

const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const timeZone = 'Europe/Berlin';
const person = (id: string, events: readonly unknown[] = []) => ({ id, owner: id, timeZone, events });
const series = { id: 'series', ...day, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
const second = 'series_20261202';
const photos = 'projects/my-project/topics/photos';
const bucket = { name: 'my-photos', project: 'my-project', managers: [alice] };
const at = '2026-12-01T00:00:00.000Z';
const instance = { original: '20261202', updated: at, event: { summary: 'Other' } };
const popup = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };

const linesOf = ({ issues }: ImportReport): string[] =>
  issues.map(({ path, reason }) => `${path.join('.')} ${reason}`);

describe('a file of npm run data', () => {
  let gateway: TestGateway;
  const start = async (...calendars: readonly object[]): Promise<void> => {
    gateway = await startGateway({}, { seed: { calendars } });
  };
  /** Another gateway, with a store of its own. */
  const restart = async (...calendars: readonly object[]): Promise<void> => {
    await gateway.close();
    await start(...calendars);
  };
  afterEach(() => gateway.close());
  const take = (text: string) => imported(gateway.stores, text);
  const load = (...calendars: readonly object[]) => take(JSON.stringify({ calendars }));
  const read = async (eventId: string, as: string = alice) =>
    (
      await gateway.ask(
        'query ($eventId: String!) { event(calendarId: "primary", eventId: $eventId) { summary status attendees { email } reminders { useDefault } } }',
        { eventId },
        { as },
      )
    ).data.event;
  const patch = async (eventId: string, event: object, as: string = alice): Promise<void> => {
    const { errors } = await gateway.ask(
      'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }',
      { eventId, event },
      { as },
    );
    expect(errors).toBeUndefined();
  };
  const invite = (eventId: string, ...guests: string[]) =>
    patch(eventId, { attendees: guests.map((email) => ({ email })) });

  const copy = (owner: string, part: object) => ({ copies: { [owner]: part } });
  const viewed = (part: object) => copy(alice, { viewers: { [bob]: { updated: at, ...part } } });
  const changed = (...instances: readonly object[]) => ({ ...series, copies: {}, instances });

  test.each<[string, object, string[]]>([
    ['a calendar that is not there', copy(carol, { guest: carol }), [`copies.${carol} notFound`]],
    ['no guest', copy(bob, {}), [`copies.${bob}.guest required`]],
    ['the id of another event', copy(bob, { id: 'lunch', guest: bob }), [`copies.${bob}.id duplicate`]],
    ['fields of all', copy(alice, { event: { summary: 'x' } }), [`copies.${alice}.event.summary invalid`]],
    [
      'reminders that do not go together',
      viewed({ reminders: { ...popup, useDefault: true } }),
      [`copies.${alice}.viewers.${bob}.reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride`],
    ],
    [
      'names that no entry can have',
      JSON.parse(`{ "copies": { "__proto__": {}, "${alice}": { "viewers": { "__proto__": {} } } } }`),
      ['copies.__proto__ invalid', `copies.${alice}.viewers.__proto__ invalid`],
    ],
    [
      'values that are none',
      copy(alice, { state: 'gone', updated: 'then' }),
      [`copies.${alice}.state invalid`, `copies.${alice}.updated invalid`],
    ],
    ['fields of others', viewed({ colorId: '3' }), [`copies.${alice}.viewers.${bob}.colorId invalid`]],
    ['an instance of no series', { copies: {}, instances: [instance] }, ['instances.0.original invalid']],
    [
      'an instance twice, and at no start',
      changed(instance, instance, { original: '20261209' }, { original: 'soon' }),
      ['instances.3.original invalid'],
    ],
    ['an instance twice', changed(instance, instance), ['instances.1.original duplicate']],
    [
      'wrong fields of an instance',
      changed({ ...instance, event: { summary: 5, no: 1 }, answers: { [bob]: { responseStatus: 'maybe' } } }),
      ['event.summary', 'event.no', `answers.${bob}.responseStatus`].map((of) => `instances.0.${of} invalid`),
    ],
    [
      'times of an instance that do not fit',
      changed({ original: '20261202', event: { end: { date: '2026-12-01' } } }),
      ['instances.0.event.end timeRangeEmpty'],
    ],
  ])('is refused with %s', async (_what, event, issues) => {
    await start(person(alice), person(bob, [{ id: 'lunch', ...day }]));
    expect(linesOf(await load(person(alice, [{ id: 'event', ...day, ...event }]), person(bob)))).toEqual(
      issues.map((issue) => `calendars.0.events.0.${issue}`),
    );
  });

  test('replaces an event, its instances and its guests’ copies; others’ settings that a REST body does not tell stay', async () => {
    await start(person(alice, [{ ...series, summary: 'Old', attendees: [{ email: bob }] }]), person(bob));
    await patch('series', { reminders: popup }, bob);
    const before = JSON.parse(await exported(gateway.stores)).calendars as object[];
    await patch('series_20261203', { summary: 'Moved' });
    expect((await load(person(alice, [{ ...series, summary: 'New' }]))).counts.events.changed).toBe(1);
    expect(await read('series', bob)).toMatchObject({ status: 'cancelled' });
    expect((await load(...before)).counts.events.changed).toBe(1);
    expect([await read('series', bob), await read('series_20261203')]).toMatchObject([
      { summary: 'Old', status: 'confirmed', reminders: { useDefault: false } },
      { summary: 'Old' },
    ]);
    expect((await load(...before)).counts.events).toMatchObject({ changed: 0, unchanged: 1 });
  });

  test('has who was taken off a series and invited to an instance: there it is the same, alone, and goes along when the guest is back', async () => {
    await start(person(alice, [{ ...series, attendees: [{ email: bob }] }]), person(bob));
    await invite('series', carol);
    await invite(second, carol, bob);
    const [text, own] = [await exported(gateway.stores), await exported(gateway.stores, bob)];
    const seen = await read(second, bob);
    expect(seen.status).toBe('confirmed');
    await restart();
    expect((await take(text)).issues).toEqual([]);
    expect(await exported(gateway.stores)).toBe(text);
    expect(await read(second, bob)).toEqual(seen);
    expect((await read('series', bob)).status).toBe('cancelled');
    await invite('series', bob);
    for (const id of [second, 'series_20261203']) expect((await read(id, bob)).status).toBe('confirmed');
    await invite('series', carol);
    expect(await read(second, bob)).toMatchObject({ status: 'cancelled', summary: null });
    await restart();
    expect((await take(own)).issues).toEqual([]);
    expect((await read(second, bob)).status).toBe('confirmed');
    expect(await read('series', bob)).toBeNull();
  });

  test('keeps for whom an instance stays one though it shows that guest nothing of its own any more', async () => {
    const closed = { ...series, guestsCanSeeOtherGuests: false, attendees: [{ email: bob }] };
    await start(person(alice, [closed]), person(bob));
    const answer = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'declined' }] };
    for (const id of [second, 'series']) await patch(id, answer, bob);
    const text = await exported(gateway.stores);
    expect(text).toContain('"staysFor":["bob@example.com"]');
    await restart();
    expect((await take(text)).issues).toEqual([]);
    expect(await exported(gateway.stores)).toBe(text);
  });

  test.each([alice, bob])(
    'of %s alone, taken where it is from, changes nothing of who is on an instance without its series',
    async (calendarId) => {
      await start(person(alice, [{ ...series, attendees: [{ email: bob }] }]), person(bob));
      await invite('series');
      await invite(second, bob);
      const all = await exported(gateway.stores);
      expect(all).toContain('"apart":true');
      expect((await take(await exported(gateway.stores, calendarId))).counts.events.changed).toBe(0);
      expect(await exported(gateway.stores)).toBe(all);
    },
  );

  test.each([
    ['a stranger', []],
    ['a guest of the series before', [{ email: bob }]],
  ])('has no guest on an instance who was invited to it later: %s', async (_who, before) => {
    await start(person(alice, [{ ...series, attendees: [{ email: carol }, ...before] }]), person(bob));
    if (before.length > 0) await invite('series', carol);
    await patch(second, { summary: 'Own' });
    const text = await exported(gateway.stores);
    await invite(second, carol, bob);
    expect((await read(second, bob)).status).toBe('confirmed');
    expect((await take(text)).counts.events.changed).toBe(1);
    expect(await read(second, bob)).toMatchObject({ status: 'cancelled', summary: null });
    expect((await read(second)).attendees).toEqual([{ email: carol }]);
    expect((await take(text)).counts.events.changed).toBe(0);
  });

  test('of one calendar invites guests who have a calendar where it goes', async () => {
    await start(person(alice, [{ id: 'event', ...day, attendees: [{ email: bob }] }]), person(bob));
    const text = await exported(gateway.stores, alice);
    await restart(person(bob));
    expect((await take(text)).counts.events.added).toBe(1);
    expect((await read('event', bob)).status).toBe('confirmed');
  });

  test('brings an event to each of its guests once, also where the calendars come one by one, or its own was deleted', async () => {
    const attendees = [{ email: bob }, { email: carol }];
    const event = { id: 'event', iCalUID: 'event@example.com', ...day, attendees };
    await start(person(alice, [event]), person(bob), person(carol));
    const each = await Promise.all([carol, alice, bob].map((id) => exported(gateway.stores, id)));
    for (const files of [each, each.slice().reverse(), each.filter((text) => !text.includes('"copies"'))]) {
      await restart();
      for (const text of files) await take(text);
      for (const as of [alice, bob, carol]) {
        expect((await gateway.ask('{ calendars { id } }', {}, { as })).data.calendars).toHaveLength(1);
        await eventually(async () =>
          expect(await gateway.stores.calendars.claimJob(0, { calendarId: as })).toBeUndefined(),
        );
        const { data } = await gateway.ask('{ events(calendarId: "primary") { nodes { id } } }', {}, { as });
        expect(data.events.nodes.length).toBeLessThan(2);
      }
    }
  });

  test('is taken but for what breaks a rule, and all of that is told', async () => {
    await start(person(alice, [{ id: 'event', ...day }]));
    const again = { id: 'event', ...day };
    const file = {
      calendars: [
        'none',
        { id: 'odd', owner: alice, timeZone: 'Mars', events: [{ id: 'x!' }, 5] },
        person('team'),
        person('team'),
        { ...person('listless'), events: {} },
        {
          ...person(bob, [again, again, { ...day, summary: 'Without an id' }, 5]),
          summary: 'Bob',
          backgroundColor: '#ABCDEF',
          created: '2026-12-01T00:00:00Z',
        },
      ],
      buckets: [
        bucket,
        bucket,
        5,
        { ...bucket, name: 'b2', managers: ['none'], notifications: [{ topic: 'none' }, { topic: photos }] },
      ],
    };
    const report = await importData(file, targetOf(gateway.stores));
    expect(linesOf(report).sort()).toEqual([
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
    ]);
    expect(report.counts).toMatchObject({
      calendars: { added: 1 },
      events: { added: 2 },
      buckets: { added: 1 },
      subscriptions: { added: 0, refused: 2 },
    });
    expect([report.exitCode, (await take('{ "calendars": ["none"] }')).exitCode]).toEqual([1, 2]);
    const unknown = importData({ calendar: [] }, targetOf(gateway.stores));
    await expect(unknown).rejects.toThrow('There is no such field.');
  });

  test('replaces settings of calendars and buckets, and raises where ids go on', async () => {
    const states = async (calendar: object, settings: object): Promise<unknown> => {
      const { counts } = await importData(
        { calendars: [{ ...person(alice), ...calendar }], buckets: [{ ...bucket, ...settings }] },
        targetOf(gateway.stores, () => Date.UTC(2026, 11, 3)),
      );
      return [counts.calendars, counts.buckets].map((count) =>
        Object.entries(count)
          .filter(([, number]) => number > 0)
          .map(([state]) => state)
          .join(),
      );
    };
    await start();
    const created = '2026-12-01T00:00:00Z';
    const settings = { requesterPays: true, metageneration: 7 };
    expect(await states({ created }, {})).toEqual(['added', 'added']);
    expect(await states({ created }, {})).toEqual(['unchanged', 'unchanged']);
    expect(await states({ summary: 'Alice' }, settings)).toEqual(['changed', 'changed']);
    const more = await states({ summary: 'Alice', owner: bob }, { ...settings, lastId: 9 });
    expect(more).toEqual(['refused', 'changed']);
    const { data } = await gateway.ask(
      '{ calendar(calendarId: "primary") { summary created updated } bucket(bucket: "my-photos", userProject: "my-project") { metageneration updated billing { requesterPays } } }',
    );
    expect(data).toMatchObject({
      calendar: { summary: 'Alice', created, updated: '2026-12-03T00:00:00.000Z' },
      bucket: { metageneration: '7', billing: { requesterPays: true } },
    });
    const inserted = await gateway.ask(
      `mutation { insertNotification(bucket: "my-photos", userProject: "my-project", notification: { topic: "${photos}" }) { id } }`,
    );
    expect(inserted.data.insertNotification.id).toBe('10');
  });

  test('of many calendars and buckets has them all, in order, and fills an empty store as a seed', async () => {
    const notifications = [
      { id: '2', topic: 'projects/my-project/topics/second', custom_attributes: { b: '1', a: '2' } },
      { id: '1', topic: 'projects/my-project/topics/first' },
    ];
    const numbers = Array.from({ length: 260 }, (_, index) => 1000 + index);
    const given = {
      calendars: numbers.map((number) =>
        person(`person${number}@example.com`, number === 1007 ? [series] : []),
      ),
      buckets: numbers.map((number) => ({ ...bucket, name: `bucket-${number}`, notifications })),
    };
    gateway = await startGateway({}, { seed: given });
    let counted = 0;
    let text = '';
    for await (const line of exportData(targetOf(gateway.stores), { onProgress: (done) => (counted = done) }))
      text += line;
    const file = JSON.parse(text) as typeof given;
    expect(counted).toBe(1);
    expect(file.calendars.map(({ id }) => id)).toEqual(given.calendars.map(({ id }) => id));
    expect(file.buckets.map(({ name }) => name)).toEqual(given.buckets.map(({ name }) => name));
    await expect(exported(gateway.stores, 'nobody')).rejects.toThrow('There is no calendar "nobody".');
    await gateway.close();
    gateway = await startGateway({}, { seed: file });
    expect(await exported(gateway.stores)).toBe(text);
    const events = file.calendars[7]?.events.flatMap((one) => [one, one]);
    const twice = startGateway({}, { seed: { calendars: [person('person1007@example.com', events)] } });
    await expect(twice).rejects.toThrow('The calendar has an event with this id.');
  });

  test('names each subscription once, and changes none that is the same, in whatever order its attributes stand', async () => {
    const subscription = { id: '1', topic: photos, custom_attributes: { b: '1', a: '2' } };
    await start();
    const file = { buckets: [{ ...bucket, notifications: [subscription, subscription] }] };
    const first = await importData(file, targetOf(gateway.stores));
    expect(linesOf(first)).toEqual(['buckets.0.notifications.1.id duplicate']);
    expect(first.counts.subscriptions).toMatchObject({ added: 1, refused: 1 });
    expect((await take(await exported(gateway.stores))).counts.subscriptions.unchanged).toBe(1);
  });

  test('may have times of changes with any offset: they are given in UTC', async () => {
    await start();
    await load(person(alice, [{ id: 'event', ...day, updated: '2026-12-01T01:00:00+01:00', copies: {} }]));
    const query = '{ event(calendarId: "primary", eventId: "event") { updated } }';
    expect((await gateway.ask(query)).data.event.updated).toBe(at);
  });

  test('leaves to others what is theirs: another event under the same id, another owner', async () => {
    const event = { id: 'event', ...day };
    await start(person(alice, [{ ...event, attendees: [{ email: bob }] }]), person(bob));
    const given = [person(bob, [{ ...event, iCalUID: 'other' }, event]), { ...person(alice), owner: bob }];
    expect(linesOf(await load(...given))).toEqual([
      'calendars.1.owner immutable',
      'calendars.0.events.1.id duplicate',
      'calendars.0.events.0.id duplicate',
    ]);
  });

  test('has an instance changed by a body of its own, and a guest’s body the guest’s own part', async () => {
    const times = { start: { date: '2026-12-02' }, end: { date: '2026-12-03' } };
    const of = { recurringEventId: 'series', originalStartTime: times.start };
    const own = { id: second, ...of, ...times, summary: 'Second' };
    const bobs = { ...series, organizer: { email: alice } };
    const whole = { ...series, attendees: [{ email: bob }] };
    const given = [person(alice, [whole, own]), person(bob, [{ ...bobs, colorId: '3' }])];
    await start(...given);
    expect((await load(...given)).counts.events).toEqual({ added: 0, changed: 0, unchanged: 3, refused: 0 });
    const more = [person(alice, [{ ...own, summary: 'Two' }]), person(bob, [{ ...bobs, colorId: '4' }])];
    expect((await load(...more)).counts.events.changed).toBe(2);
    expect(await read(second, bob)).toMatchObject({ summary: 'Two' });
  });
});

test('an export of many events tells a terminal how far it is', () => {
  const written: string[] = [];
  const { count, end } = countOn({ write: (text) => written.push(text) });
  for (let done = 1; done <= 6001; done += 1) count(done);
  end();
  const shown = '\rExporting: 5,000 events\rExporting: 6,000 events\rExporting: 6,001 events\n';
  expect(written.join('')).toBe(shown);
});
