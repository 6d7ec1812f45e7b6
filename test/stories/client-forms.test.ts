import { alice, berlin, oneDay, useEventGateway, zonedHour, type EventJson } from '../event/event.harness.ts';
import { useRest } from '../faces/rest/rest.harness.ts';
import { importData } from '../../src/seed/import.ts';
import { createSeedTarget } from '../seed/data.harness.ts';

/*
 * Bodies as Google's clients and calendar programs write them. Each row has the sent body, the stored
 * fields and the warnings; it is sent in variables, over REST and in an import file.
 */
interface Row {
  readonly title: string;
  readonly sentBody: Readonly<Record<string, unknown>>;
  readonly storedFields: Readonly<Record<string, unknown>>;
  readonly warningTexts?: readonly string[];
}

const dailyRule = 'RRULE:FREQ=DAILY;COUNT=5';
const dailyUntil = (end: string): string[] => [`RRULE:FREQ=DAILY;UNTIL=${end}`];
const allDay = { ...oneDay, start: { ...oneDay.start } };
const timeZone = 'America/New_York';
const inNewYork = { start: { ...oneDay.start, timeZone }, end: oneDay.end };
const timedInNewYork = {
  start: { dateTime: '2026-12-01T10:00:00', timeZone },
  end: { dateTime: '2026-12-01T11:00:00', timeZone },
};
/** A row whose recurrence lines are stored in another form: each line that changes has a warning. */
const makeRecurrenceRow = (
  title: string,
  times: object,
  sentLines: readonly string[],
  storedLines: readonly string[],
): Row => ({
  title,
  sentBody: { ...times, recurrence: sentLines },
  storedFields: { recurrence: storedLines },
  warningTexts: sentLines.flatMap((line, index) =>
    storedLines.includes(line) ? [] : [`recurrence.${index} normalized`],
  ),
});
let fileCount = 0;
const rows: readonly Row[] = [
  {
    title: 'the only supported event type',
    sentBody: { ...zonedHour, eventType: 'default' },
    storedFields: {},
  },
  {
    title: 'another event type',
    sentBody: { ...zonedHour, eventType: 'focusTime', focusTimeProperties: { chatStatus: 'available' } },
    storedFields: {},
    warningTexts: ['eventType notOffered', 'focusTimeProperties notOffered'],
  },
  {
    title: 'properties of a working location',
    sentBody: { ...zonedHour, workingLocationProperties: { type: 'homeOffice' }, birthdayProperties: null },
    storedFields: {},
    warningTexts: ['workingLocationProperties notOffered'],
  },
  makeRecurrenceRow(
    'UNTIL of a day with a timed start',
    zonedHour,
    dailyUntil('20261216'),
    dailyUntil('20261216T225959Z'),
  ),
  makeRecurrenceRow(
    'UNTIL in UTC with an all-day start',
    allDay,
    dailyUntil('20261211T233000Z'),
    dailyUntil('20261212'),
  ),
  makeRecurrenceRow(
    'UNTIL at midnight in UTC, all-day start',
    allDay,
    dailyUntil('20261211T235959Z'),
    dailyUntil('20261211'),
  ),
  makeRecurrenceRow(
    'a floating UNTIL, all-day start',
    allDay,
    dailyUntil('20261211T070000'),
    dailyUntil('20261211'),
  ),
  makeRecurrenceRow(
    'UNTIL in UTC, all-day start with a zone',
    inNewYork,
    dailyUntil('20261212T030000Z'),
    dailyUntil('20261211'),
  ),
  makeRecurrenceRow(
    'UNTIL of 9999-12-31',
    timedInNewYork,
    dailyUntil('99991231'),
    dailyUntil('99991231T235959Z'),
  ),
  makeRecurrenceRow(
    'EXDATE of days with a timed start',
    zonedHour,
    [dailyRule, 'EXDATE;VALUE=DATE:20261202,20261204'],
    [dailyRule, 'EXDATE:20261202T090000Z,20261204T090000Z'],
  ),
  makeRecurrenceRow(
    'EXDATE of a bare day',
    zonedHour,
    [dailyRule, 'EXDATE:20261203'],
    [dailyRule, 'EXDATE:20261203T090000Z'],
  ),
  makeRecurrenceRow(
    'EXDATE of days on which nothing starts',
    zonedHour,
    [dailyRule, 'EXDATE;VALUE=DATE:20270101'],
    [dailyRule],
  ),
  makeRecurrenceRow(
    'EXDATE of times with an all-day start',
    allDay,
    [dailyRule, 'EXDATE;TZID=America/New_York:20261202T220000'],
    [dailyRule, 'EXDATE;VALUE=DATE:20261202'],
  ),
  makeRecurrenceRow(
    'EXDATE in UTC with an all-day start',
    allDay,
    [dailyRule, 'EXDATE:20261202T233000Z,20261203T000000Z'],
    [dailyRule, 'EXDATE;VALUE=DATE:20261203'],
  ),
  makeRecurrenceRow('a trailing ;', zonedHour, ['RRULE:FREQ=DAILY;COUNT=5;'], [dailyRule]),
  makeRecurrenceRow('lower case', zonedHour, ['rrule:freq=daily;count=5'], [dailyRule]),
  makeRecurrenceRow(
    'X- parts',
    zonedHour,
    ['RRULE;X-END=20261205T090000Z:FREQ=DAILY;X-NOTE=1;COUNT=5'],
    [dailyRule],
  ),
  makeRecurrenceRow('spaces at the ends', zonedHour, [` ${dailyRule} `], [dailyRule]),
  makeRecurrenceRow(
    'times of the day with an all-day start',
    allDay,
    ['RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0;COUNT=5'],
    [dailyRule],
  ),
  makeRecurrenceRow(
    'a Windows time zone in a line',
    zonedHour,
    [dailyRule, 'EXDATE;TZID=W. Europe Standard Time:20261202T100000'],
    [dailyRule, 'EXDATE;TZID=Europe/Berlin:20261202T100000'],
  ),
  {
    title: 'a time zone in another case in a line',
    sentBody: { ...zonedHour, recurrence: [dailyRule, 'EXDATE;TZID=europe/berlin:20261202T100000'] },
    storedFields: { recurrence: [dailyRule, 'EXDATE;TZID=Europe/Berlin:20261202T100000'] },
  },
  {
    title: 'Windows time zones',
    sentBody: {
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2026-12-01T23:00:00', timeZone: 'india standard time' },
    },
    storedFields: {
      start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: berlin },
      end: { dateTime: '2026-12-01T23:00:00+05:30', timeZone: 'Asia/Calcutta' },
    },
    warningTexts: ['start.timeZone normalized', 'end.timeZone normalized'],
  },
  {
    title: 'time zones in another case',
    sentBody: {
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'europe/BERLIN' },
      end: { dateTime: '2026-12-01T23:00:00', timeZone: 'asia/calcutta' },
    },
    storedFields: {
      start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: berlin },
      end: { dateTime: '2026-12-01T23:00:00+05:30', timeZone: 'Asia/Calcutta' },
    },
  },
];
describe('bodies of Google clients', () => {
  const gateway = useEventGateway();
  const rest = useRest();

  test.each(rows)('$title', async ({ sentBody: body, storedFields, warningTexts = [] }) => {
    const inserted = await gateway.insert(body);
    expect([inserted.problems, inserted.warningTexts]).toEqual([
      [],
      warningTexts.map((warningText) => `event.${warningText}`),
    ]);
    expect(inserted.event).toMatchObject(storedFields);
    const repeated = await gateway.patch(inserted.event.id, {
      recurrence: inserted.event.recurrence,
      start: inserted.event.start,
    });
    expect([repeated.problems, repeated.warningTexts, repeated.event.etag]).toEqual([
      [],
      [],
      inserted.event.etag,
    ]);
    const { event: plainEvent } = await gateway.insert({
      start: inserted.event.start,
      end: inserted.event.end,
    });
    const patched = await gateway.patch(plainEvent.id, body);
    expect([patched.problems, patched.warningTexts]).toEqual([
      [],
      warningTexts.map((warningText) => `event.${warningText}`),
    ]);
    expect(patched.event).toMatchObject(storedFields);

    const restResponse = await rest.send('POST /calendar/v3/calendars/primary/events', body);
    expect([restResponse.status, restResponse.warnings ?? []]).toEqual([
      200,
      warningTexts.map((warningText) => warningText.replace(/^(\S+) (\S+)$/, '$2 $1')),
    ]);
    expect(restResponse.json).toMatchObject(storedFields);

    const id = `fromafile${(fileCount += 1)}`;
    const file = {
      calendars: [{ id: alice, owner: alice, timeZone: berlin, events: [{ id, ...body }] }],
    };
    const report = await importData(file, createSeedTarget(gateway.stores));
    expect(report.issues).toEqual([]);
    expect(report.warnings.map(({ path, reason }) => `${path.slice(4).join('.')} ${reason}`)).toEqual(
      warningTexts,
    );
    expect(await gateway.readOn(alice, id)).toMatchObject(storedFields);
  });

  test('accepts Google’s names of conference types and links', async () => {
    const body = {
      ...zonedHour,
      conferenceData: {
        createRequest: { requestId: 'r', conferenceSolutionKey: { type: 'hangoutsMeet' } },
      },
    };
    const { event, problems, warningTexts } = await gateway.insert(body, { conferenceDataVersion: 1 });
    expect([problems, warningTexts]).toEqual([[], []]);
    expect(event.conferenceData.conferenceSolution.key.type).toBe('hostedCall');
    const { callLink, conferenceData } = event;
    const sentBackBody = { hangoutLink: callLink, conferenceData: withType(conferenceData, 'hangoutsMeet') };
    const repeated = await gateway.patch(event.id, sentBackBody, { conferenceDataVersion: 1 });
    expect([repeated.problems, repeated.warningTexts, repeated.event.etag]).toEqual([[], [], event.etag]);
    const changed = await gateway.patch(event.id, { hangoutLink: 'https://meet.example.com/x' });
    expect(changed.warningTexts).toEqual(['event.callLink readOnly']);
    expect((await gateway.patch(event.id, { hangoutLink: 'a', callLink: 'b' })).problems).toEqual([
      'BAD_USER_INPUT event.hangoutLink invalid',
    ]);
  });

  test.each([
    ['a floating UNTIL with a zone', zonedHour, ['RRULE:FREQ=DAILY;UNTIL=20261216T100000']],
    ['RDATE of the other kind', zonedHour, ['RDATE;VALUE=DATE:20261216']],
    ['EXDATE of times in UTC with a zone', allDay, ['EXDATE;TZID=Europe/Berlin:20261202T090000Z', dailyRule]],
    ['EXDATE with an invalid date', allDay, ['EXDATE:20261399', dailyRule]],
    ['a line without a value', zonedHour, ['EXDATE;TZID', dailyRule]],
    ['COUNT with UNTIL', zonedHour, ['RRULE:FREQ=DAILY;COUNT=3;UNTIL=20261216']],
  ])('%s is an error', async (_title, base, recurrence) => {
    const { problems } = await gateway.insert({ ...base, recurrence });
    expect(problems).toEqual(['BAD_USER_INPUT event.recurrence.0 invalid']);
  });

  test('other lines are read despite an invalid one', async () => {
    const recurrence = ['rrule:freq=daily;until=20261216', null, 'EXDATE;VALUE=DATE:20261203'];
    expect((await gateway.insert({ ...zonedHour, recurrence })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.1 required',
    ]);
    const invalidRecurrence = ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20261203,20261399'];
    expect((await gateway.insert({ ...zonedHour, recurrence: invalidRecurrence })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.1 invalid',
    ]);
  });

  test.each([
    ['no zone', {}, 'required'],
    ['an unknown zone', { timeZone: 'Europe/Nowhere' }, 'invalid'],
  ])('UNTIL of a day causes no further issue where the start has %s', async (_title, zone, reason) => {
    const { problems } = await gateway.insert({
      start: { dateTime: '2026-12-01T10:00:00+01:00', ...zone },
      end: { dateTime: '2026-12-01T11:00:00+01:00', ...zone },
      recurrence: dailyUntil('20261216'),
    });
    expect(problems.filter((problem) => problem.includes('timeZone'))).toEqual(
      ['start', 'end'].map((time) => `BAD_USER_INPUT event.${time}.timeZone ${reason}`),
    );
  });

  test('many excluded days are stored in several lines of the allowed length', async () => {
    const days = Array.from({ length: 500 }, (_, index) =>
      new Date(Date.UTC(2026, 11, 1 + index)).toISOString().slice(0, 10).replaceAll('-', ''),
    );
    const recurrence = ['RRULE:FREQ=DAILY', `EXDATE;VALUE=DATE:${days.join(',')}`, 'RDATE:x'];
    expect((await gateway.insert({ ...zonedHour, recurrence })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.2 invalid',
    ]);
    const { event } = await gateway.insert({ ...zonedHour, recurrence: recurrence.slice(0, 2) });
    expect(event.recurrence).toHaveLength(3);
  });

  test('days that exclude more than 2,500 occurrences are refused', async () => {
    const recurrence = ['RRULE:FREQ=MINUTELY', 'EXDATE;VALUE=DATE:20261202,20261203'];
    const { problems, errors } = await gateway.insert({ ...zonedHour, recurrence });
    expect(problems).toEqual(['BAD_USER_INPUT event.recurrence.1 tooMany']);
    expect(errors?.[0]?.extensions.issues[0]?.params).toEqual({ max: 2500 });
  });

  test('a warning has the stored value', async () => {
    const { warnings } = await gateway.insert({ ...zonedHour, recurrence: dailyUntil('20261216') });
    expect(warnings?.[0]?.message).toBe('Stored as RRULE:FREQ=DAILY;UNTIL=20261216T225959Z');
  });

  test('accepts Google’s fields of calendars and buckets, with warnings', async () => {
    const insertCalendarMutation = `mutation ($calendar: CalendarInput!) { result: insertCalendar(calendar: $calendar) { timeZone } }`;
    const inserted = await gateway.run(insertCalendarMutation, {
      calendar: { selected: true, hidden: true, colorId: '5', timeZone: 'W. Europe Standard Time' },
    });
    expect([inserted.problems, inserted.warningTexts, inserted.event.timeZone]).toEqual([
      [],
      ['calendar.hidden notOffered', 'calendar.colorId notOffered', 'calendar.timeZone normalized'],
      berlin,
    ]);
    const insertBucketMutation = `mutation ($bucket: BucketInput!) { result: insertBucket(project: "a-project", bucket: $bucket) { name } }`;
    const insertedBucket = await gateway.run(insertBucketMutation, {
      bucket: { name: 'a-bucket-of-forms', location: 'EU', storageClass: 'STANDARD', labels: { a: 'b' } },
    });
    expect([insertedBucket.problems, insertedBucket.warningTexts]).toEqual([
      [],
      ['bucket.location notOffered', 'bucket.storageClass notOffered', 'bucket.labels notOffered'],
    ]);
  });

  test('two values for one field are refused in a file too', async () => {
    const event = {
      id: 'twonames',
      ...zonedHour,
      hangoutLink: 'https://a.example/',
      callLink: 'https://b.example/',
    };
    const file = { calendars: [{ id: alice, owner: alice, timeZone: berlin, events: [event] }] };
    const report = await importData(file, createSeedTarget(gateway.stores));
    expect(report.issues.map(({ path }) => path.join('.'))).toEqual(['calendars.0.events.0.hangoutLink']);
    expect(report.format()).toContain('hangoutLink');
  });

  test('accepts Google’s fields in files, with warnings', async () => {
    const file = {
      calendars: [
        {
          kind: 'calendar#calendarListEntry',
          id: 'zora@example.com',
          owner: 'zora@example.com',
          accessRole: 'owner',
          selected: true,
          timeZone: 'W. Europe Standard Time',
        },
      ],
      buckets: [
        {
          kind: 'storage#bucket',
          name: 'of-a-file',
          project: 'p',
          location: 'EU',
          billing: { requesterPays: true },
        },
      ],
    };
    const report = await importData(file, createSeedTarget(gateway.stores));
    expect(report.issues).toEqual([]);
    expect(report.warnings.map(({ path }) => path.join('.'))).toEqual([
      'calendars.0.timeZone',
      'calendars.0.kind',
      'calendars.0.accessRole',
      'buckets.0.kind',
      'buckets.0.location',
    ]);
  });
});

const withType = ({ conferenceSolution, ...conference }: EventJson, type: string) => ({
  ...conference,
  conferenceSolution: { ...conferenceSolution, key: { type } },
});
