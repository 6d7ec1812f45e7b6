import { eventually } from '../eventually.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { exportData } from '../../src/seed/export.ts';
import { importData } from '../../src/seed/import.ts';
import { createProgressLine, type ImportReport } from '../../src/seed/import-report.ts';
import { exportText, importText, createSeedTarget } from './data.harness.ts';

const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;
const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
const timeZone = 'Europe/Berlin';
const personalCalendar = (id: string, events: readonly unknown[] = []) => ({
  id,
  owner: id,
  timeZone,
  events,
});
const series = { id: 'series', ...day, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
const secondInstanceId = 'series_20261202';
const photosTopic = 'projects/my-project/topics/photos';
const bucket = { name: 'my-photos', project: 'my-project', managers: [alice] };
const changeTime = '2026-12-01T00:00:00.000Z';
const instance = { original: '20261202', updated: changeTime, event: { summary: 'Other' } };
const popupReminder = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };

const eventQuery =
  'query ($eventId: String!) { event(calendarId: "primary", eventId: $eventId) { summary status attendees { email } reminders { useDefault } } }';
const patchMutation =
  'mutation ($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id } }';

const issuesOf = ({ issues }: ImportReport): string[] =>
  issues.map(({ path, reason }) => `${path.join('.')} ${reason}`);

describe('a file of npm run data', () => {
  let gateway: TestGateway;
  const start = async (...calendars: readonly object[]): Promise<void> => {
    gateway = await startGateway({}, { seed: { calendars } });
  };
  /** Replaces the gateway by one with a new store. */
  const restart = async (...calendars: readonly object[]): Promise<void> => {
    await gateway.close();
    await start(...calendars);
  };
  afterEach(() => gateway.close());
  const importFile = (file: string) => importText(gateway.stores, file);
  const importCalendars = (...calendars: readonly object[]) => importFile(JSON.stringify({ calendars }));
  const readEvent = async (eventId: string, as: string = alice) =>
    (await gateway.ask(eventQuery, { eventId }, { as })).data.event;
  const patchEvent = async (eventId: string, event: object, as: string = alice): Promise<void> => {
    expect((await gateway.ask(patchMutation, { eventId, event }, { as })).errors).toBeUndefined();
  };
  const invite = (eventId: string, ...guests: string[]) =>
    patchEvent(eventId, { attendees: guests.map((email) => ({ email })) });

  const copiesWith = (owner: string, part: object) => ({ copies: { [owner]: part } });
  const copiesWithViewerPart = (part: object) =>
    copiesWith(alice, { viewers: { [bob]: { updated: changeTime, ...part } } });
  const seriesWithInstances = (...instances: readonly object[]) => ({ ...series, copies: {}, instances });

  test.each<[string, object, string[]]>([
    ['a missing calendar', copiesWith(carol, { guest: carol }), [`copies.${carol} notFound`]],
    ['no guest', copiesWith(bob, {}), [`copies.${bob}.guest required`]],
    ['the id of another event', copiesWith(bob, { id: 'lunch', guest: bob }), [`copies.${bob}.id duplicate`]],
    [
      'event fields',
      copiesWith(alice, { event: { summary: 'x' } }),
      [`copies.${alice}.event.summary invalid`],
    ],
    [
      'inconsistent reminders',
      copiesWithViewerPart({ reminders: { ...popupReminder, useDefault: true } }),
      [`copies.${alice}.viewers.${bob}.reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride`],
    ],
    [
      'invalid names of entries',
      JSON.parse(`{ "copies": { "__proto__": {}, "${alice}": { "viewers": { "__proto__": {} } } } }`),
      ['copies.__proto__ invalid', `copies.${alice}.viewers.__proto__ invalid`],
    ],
    [
      'invalid values',
      copiesWith(alice, { state: 'gone', updated: 'then' }),
      [`copies.${alice}.state invalid`, `copies.${alice}.updated invalid`],
    ],
    [
      'shared fields',
      copiesWithViewerPart({ colorId: '3' }),
      [`copies.${alice}.viewers.${bob}.colorId invalid`],
    ],
    ['an instance of no series', { copies: {}, instances: [instance] }, ['instances.0.original invalid']],
    [
      'an instance twice, and at no start',
      seriesWithInstances(instance, instance, { original: '20261209' }, { original: 'soon' }),
      ['instances.3.original invalid'],
    ],
    ['an instance twice', seriesWithInstances(instance, instance), ['instances.1.original duplicate']],
    [
      'wrong fields of an instance',
      seriesWithInstances({
        ...instance,
        event: { summary: 5, no: 1 },
        answers: { [bob]: { responseStatus: 'maybe' } },
      }),
      ['event.summary', 'event.no', `answers.${bob}.responseStatus`].map(
        (path) => `instances.0.${path} invalid`,
      ),
    ],
    [
      'inconsistent times of an instance',
      seriesWithInstances({ original: '20261202', event: { end: { date: '2026-12-01' } } }),
      ['instances.0.event.end timeRangeEmpty'],
    ],
  ])('is refused with %s', async (_case, event, issues) => {
    await start(personalCalendar(alice), personalCalendar(bob, [{ id: 'lunch', ...day }]));
    expect(
      issuesOf(
        await importCalendars(
          personalCalendar(alice, [{ id: 'event', ...day, ...event }]),
          personalCalendar(bob),
        ),
      ),
    ).toEqual(issues.map((issue) => `calendars.0.events.0.${issue}`));
  });

  test('replaces an event, its instances and the copies of its guests, but keeps settings of other users that a REST body lacks', async () => {
    await start(
      personalCalendar(alice, [{ ...series, summary: 'Old', attendees: [{ email: bob }] }]),
      personalCalendar(bob),
    );
    await patchEvent('series', { reminders: popupReminder }, bob);
    const calendarsBefore = JSON.parse(await exportText(gateway.stores)).calendars as object[];
    await patchEvent('series_20261203', { summary: 'Moved' });
    expect(
      (await importCalendars(personalCalendar(alice, [{ ...series, summary: 'New' }]))).counts.events.changed,
    ).toBe(1);
    expect(await readEvent('series', bob)).toMatchObject({ status: 'cancelled' });
    expect((await importCalendars(...calendarsBefore)).counts.events.changed).toBe(1);
    expect([await readEvent('series', bob), await readEvent('series_20261203')]).toMatchObject([
      { summary: 'Old', status: 'confirmed', reminders: { useDefault: false } },
      { summary: 'Old' },
    ]);
    expect((await importCalendars(...calendarsBefore)).counts.events).toMatchObject({
      changed: 0,
      unchanged: 1,
    });
  });

  test('keeps a guest of one instance who was removed from the series; a later invitation to the series includes the instance', async () => {
    await start(personalCalendar(alice, [{ ...series, attendees: [{ email: bob }] }]), personalCalendar(bob));
    await invite('series', carol);
    await invite(secondInstanceId, carol, bob);
    const [file, bobsExport] = [await exportText(gateway.stores), await exportText(gateway.stores, bob)];
    const instanceBefore = await readEvent(secondInstanceId, bob);
    expect(instanceBefore.status).toBe('confirmed');
    await restart();
    expect((await importFile(file)).issues).toEqual([]);
    expect(await exportText(gateway.stores)).toBe(file);
    expect(await readEvent(secondInstanceId, bob)).toEqual(instanceBefore);
    expect((await readEvent('series', bob)).status).toBe('cancelled');
    await invite('series', bob);
    for (const id of [secondInstanceId, 'series_20261203'])
      expect((await readEvent(id, bob)).status).toBe('confirmed');
    await invite('series', carol);
    expect(await readEvent(secondInstanceId, bob)).toMatchObject({ status: 'cancelled', summary: null });
    await restart();
    expect((await importFile(bobsExport)).issues).toEqual([]);
    expect((await readEvent(secondInstanceId, bob)).status).toBe('confirmed');
    expect(await readEvent('series', bob)).toBeNull();
  });

  test('keeps the guests for whom an instance stays an exception without visible differences', async () => {
    const seriesWithHiddenGuests = { ...series, guestsCanSeeOtherGuests: false, attendees: [{ email: bob }] };
    await start(personalCalendar(alice, [seriesWithHiddenGuests]), personalCalendar(bob));
    const declinedResponse = {
      attendeesOmitted: true,
      attendees: [{ email: bob, responseStatus: 'declined' }],
    };
    for (const id of [secondInstanceId, 'series']) await patchEvent(id, declinedResponse, bob);
    const file = await exportText(gateway.stores);
    expect(file).toContain('"staysFor":["bob@example.com"]');
    await restart();
    expect((await importFile(file)).issues).toEqual([]);
    expect(await exportText(gateway.stores)).toBe(file);
  });

  test.each([alice, bob])(
    'of the calendar of %s alone, imported into its own store, keeps guests of single instances',
    async (calendarId) => {
      await start(
        personalCalendar(alice, [{ ...series, attendees: [{ email: bob }] }]),
        personalCalendar(bob),
      );
      await invite('series');
      await invite(secondInstanceId, bob);
      const exportBefore = await exportText(gateway.stores);
      expect(exportBefore).toContain('"apart":true');
      expect((await importFile(await exportText(gateway.stores, calendarId))).counts.events.changed).toBe(0);
      expect(await exportText(gateway.stores)).toBe(exportBefore);
    },
  );

  test.each([
    ['a stranger', []],
    ['a guest of the series before', [{ email: bob }]],
  ])('removes a guest who was invited to an instance after the export: %s', async (_case, guestsBefore) => {
    await start(
      personalCalendar(alice, [{ ...series, attendees: [{ email: carol }, ...guestsBefore] }]),
      personalCalendar(bob),
    );
    if (guestsBefore.length > 0) await invite('series', carol);
    await patchEvent(secondInstanceId, { summary: 'Own' });
    const file = await exportText(gateway.stores);
    await invite(secondInstanceId, carol, bob);
    expect((await readEvent(secondInstanceId, bob)).status).toBe('confirmed');
    expect((await importFile(file)).counts.events.changed).toBe(1);
    expect(await readEvent(secondInstanceId, bob)).toMatchObject({ status: 'cancelled', summary: null });
    expect((await readEvent(secondInstanceId)).attendees).toEqual([{ email: carol }]);
    expect((await importFile(file)).counts.events.changed).toBe(0);
  });

  test('of a guest’s calendar leaves out an instance whose guest list was cleared before the invitation', async () => {
    await start(
      personalCalendar(alice, [{ ...series, attendees: [{ email: carol }] }]),
      personalCalendar(bob),
    );
    await patchEvent(secondInstanceId, { attendees: null });
    await invite('series', bob);
    const file = await exportText(gateway.stores, bob);
    await restart();
    expect((await importFile(file)).issues).toEqual([]);
    expect((await readEvent(secondInstanceId, bob)).status).toBe('cancelled');
    expect((await readEvent('series_20261203', bob)).status).toBe('confirmed');
  });

  test('of one calendar invites guests who have a calendar in the target store', async () => {
    await start(
      personalCalendar(alice, [{ id: 'event', ...day, attendees: [{ email: bob }] }]),
      personalCalendar(bob),
    );
    const file = await exportText(gateway.stores, alice);
    await restart(personalCalendar(bob));
    expect((await importFile(file)).counts.events.added).toBe(1);
    expect((await readEvent('event', bob)).status).toBe('confirmed');
  });

  test('adds an event to each guest’s calendar once, even if calendars are imported one by one or the organizer’s was deleted', async () => {
    const attendees = [{ email: bob }, { email: carol }];
    const eventOfThree = { id: 'event', iCalUID: 'event@example.com', ...day, attendees };
    await start(personalCalendar(alice, [eventOfThree]), personalCalendar(bob), personalCalendar(carol));
    const exportsOfEach = await Promise.all([carol, alice, bob].map((id) => exportText(gateway.stores, id)));
    for (const files of [
      exportsOfEach,
      exportsOfEach.slice().reverse(),
      exportsOfEach.filter((file) => !file.includes('"copies"')),
    ]) {
      await restart();
      for (const file of files) await importFile(file);
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

  test('is imported except for what breaks a rule, with a report of all issues', async () => {
    await start(personalCalendar(alice, [{ id: 'event', ...day }]));
    const sameEvent = { id: 'event', ...day };
    const file = {
      calendars: [
        'none',
        { id: 'odd', owner: alice, timeZone: 'Mars', events: [{ id: 'x!' }, 5] },
        personalCalendar('team'),
        personalCalendar('team'),
        { ...personalCalendar('listless'), events: {} },
        {
          ...personalCalendar(bob, [sameEvent, sameEvent, { ...day, summary: 'Without an id' }, 5]),
          summary: 'Bob',
          backgroundColor: '#ABCDEF',
          created: '2026-12-01T00:00:00Z',
        },
      ],
      buckets: [
        bucket,
        bucket,
        5,
        {
          ...bucket,
          name: 'b2',
          managers: ['none'],
          notifications: [{ topic: 'none' }, { topic: photosTopic }],
        },
      ],
    };
    const report = await importData(file, createSeedTarget(gateway.stores));
    expect(issuesOf(report).sort()).toEqual([
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
    expect([report.exitCode, (await importFile('{ "calendars": ["none"] }')).exitCode]).toEqual([1, 2]);
    const importOfUnknownField = importData({ calendar: [] }, createSeedTarget(gateway.stores));
    await expect(importOfUnknownField).rejects.toThrow('There is no such field.');
  });

  test('replaces settings of calendars and buckets, and raises the next notification ID', async () => {
    const importSettings = async (calendar: object, settings: object): Promise<unknown> => {
      const { counts } = await importData(
        { calendars: [{ ...personalCalendar(alice), ...calendar }], buckets: [{ ...bucket, ...settings }] },
        createSeedTarget(gateway.stores, () => Date.UTC(2026, 11, 3)),
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
    expect(await importSettings({ created }, {})).toEqual(['added', 'added']);
    expect(await importSettings({ created }, {})).toEqual(['unchanged', 'unchanged']);
    expect(await importSettings({ summary: 'Alice' }, settings)).toEqual(['changed', 'changed']);
    const result = await importSettings({ summary: 'Alice', owner: bob }, { ...settings, lastId: 9 });
    expect(result).toEqual(['refused', 'changed']);
    const { data } = await gateway.ask(
      '{ calendar(calendarId: "primary") { summary created updated } bucket(bucket: "my-photos", userProject: "my-project") { metageneration updated billing { requesterPays } } }',
    );
    expect(data).toMatchObject({
      calendar: { summary: 'Alice', created, updated: '2026-12-03T00:00:00.000Z' },
      bucket: { metageneration: '7', billing: { requesterPays: true } },
    });
    const inserted = await gateway.ask(
      `mutation { insertNotification(bucket: "my-photos", userProject: "my-project", notification: { topic: "${photosTopic}" }) { id } }`,
    );
    expect(inserted.data.insertNotification.id).toBe('10');
  });

  test('of many calendars and buckets contains all in order, and works as a seed', async () => {
    const notifications = [
      { id: '2', topic: 'projects/my-project/topics/second', custom_attributes: { b: '1', a: '2' } },
      { id: '1', topic: 'projects/my-project/topics/first' },
    ];
    const numbers = Array.from({ length: 260 }, (_, index) => 1000 + index);
    const eventsOf = (number: number): object[] => (number === 1007 ? [series] : []);
    const calendars = {
      calendars: numbers.map((number) => personalCalendar(`person${number}@example.com`, eventsOf(number))),
      buckets: numbers.map((number) => ({ ...bucket, name: `bucket-${number}`, notifications })),
    };
    gateway = await startGateway({}, { seed: calendars });
    let eventCount = 0;
    let file = '';
    const onProgress = (done: number): unknown => (eventCount = done);
    for await (const line of exportData(createSeedTarget(gateway.stores), { onProgress })) file += line;
    const parsed = JSON.parse(file) as typeof calendars;
    expect(eventCount).toBe(1);
    expect(parsed.calendars.map(({ id }) => id)).toEqual(calendars.calendars.map(({ id }) => id));
    expect(parsed.buckets.map(({ name }) => name)).toEqual(calendars.buckets.map(({ name }) => name));
    await expect(exportText(gateway.stores, 'nobody')).rejects.toThrow('There is no calendar "nobody".');
    await gateway.close();
    gateway = await startGateway({}, { seed: parsed });
    expect(await exportText(gateway.stores)).toBe(file);
    const events = parsed.calendars[7]?.events.flatMap((event) => [event, event]);
    const startWithDuplicates = startGateway(
      {},
      { seed: { calendars: [personalCalendar('person1007@example.com', events)] } },
    );
    await expect(startWithDuplicates).rejects.toThrow('The calendar has an event with this id.');
  });

  test('refuses duplicate subscriptions, and keeps equal ones regardless of the order of attributes', async () => {
    const subscription = { id: '1', topic: photosTopic, custom_attributes: { b: '1', a: '2' } };
    await start();
    const file = { buckets: [{ ...bucket, notifications: [subscription, subscription] }] };
    const firstReport = await importData(file, createSeedTarget(gateway.stores));
    expect(issuesOf(firstReport)).toEqual(['buckets.0.notifications.1.id duplicate']);
    expect(firstReport.counts.subscriptions).toMatchObject({ added: 1, refused: 1 });
    expect((await importFile(await exportText(gateway.stores))).counts.subscriptions.unchanged).toBe(1);
  });

  test('may have times of changes with any offset, which are returned in UTC', async () => {
    await start();
    await importCalendars(
      personalCalendar(alice, [{ id: 'event', ...day, updated: '2026-12-01T01:00:00+01:00', copies: {} }]),
    );
    const query = '{ event(calendarId: "primary", eventId: "event") { updated } }';
    expect((await gateway.ask(query)).data.event.updated).toBe(changeTime);
  });

  test('does not replace another event under the same ID, or the owner of a calendar', async () => {
    const event = { id: 'event', ...day };
    await start(personalCalendar(alice, [{ ...event, attendees: [{ email: bob }] }]), personalCalendar(bob));
    const bobsCalendar = personalCalendar(bob, [{ ...event, iCalUID: 'other' }, event]);
    expect(issuesOf(await importCalendars(bobsCalendar, { ...personalCalendar(alice), owner: bob }))).toEqual(
      [
        'calendars.1.owner immutable',
        'calendars.0.events.1.id duplicate',
        'calendars.0.events.0.id duplicate',
      ],
    );
  });

  test('changes an instance by its own body, and a guest’s part by the guest’s body', async () => {
    const times = { start: { date: '2026-12-02' }, end: { date: '2026-12-03' } };
    const instanceReference = { recurringEventId: 'series', originalStartTime: times.start };
    const secondInstance = { id: secondInstanceId, ...instanceReference, ...times, summary: 'Second' };
    const bobsCopy = { ...series, organizer: { email: alice } };
    const seriesWithGuest = { ...series, attendees: [{ email: bob }] };
    const calendars = [
      personalCalendar(alice, [seriesWithGuest, secondInstance]),
      personalCalendar(bob, [{ ...bobsCopy, colorId: '3' }]),
    ];
    await start(...calendars);
    expect((await importCalendars(...calendars)).counts.events).toMatchObject({
      changed: 0,
      unchanged: 3,
      refused: 0,
    });
    const editedCalendars = [
      personalCalendar(alice, [{ ...secondInstance, summary: 'Two' }]),
      personalCalendar(bob, [{ ...bobsCopy, colorId: '4' }]),
    ];
    expect((await importCalendars(...editedCalendars)).counts.events.changed).toBe(2);
    expect(await readEvent(secondInstanceId, bob)).toMatchObject({ summary: 'Two' });
  });
});

test('an export of many events shows its progress on a terminal', () => {
  const output: string[] = [];
  const onProgress = createProgressLine({ write: (text) => output.push(text) }, 'Exporting');
  for (const done of [4000, 5000, 6000]) onProgress(done);
  onProgress(6001, 6001);
  const expectedOutput =
    '\rExporting: 5,000 events\rExporting: 6,000 events\rExporting: 6,001 of 6,001 events\n';
  expect(output.join('')).toBe(expectedOutput);
});
