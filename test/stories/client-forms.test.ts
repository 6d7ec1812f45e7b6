import { alice, berlin, day, useEvents, zoned, type Shown } from '../event/event.harness.ts';
import { useRest } from '../faces/rest/rest.harness.ts';
import { importData } from '../../src/seed/import.ts';
import { targetOf } from '../seed/data.harness.ts';

/*
 * Contract, section 14: bodies that Google's API, its clients and calendar programs write. Each row says what is sent, what
 * is stored of it, and the warnings; it is sent in variables, over REST and in a file of an import.
 */
interface Row {
  readonly title: string;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly stored: Readonly<Record<string, unknown>>;
  readonly notes?: readonly string[];
}

const rule = 'RRULE:FREQ=DAILY;COUNT=5';
const allDay = { ...day, start: { ...day.start } };
const lines = (title: string, base: object, sent: readonly string[], stored: readonly string[]): Row => ({
  title,
  sent: { ...base, recurrence: sent },
  stored: { recurrence: stored },
  notes: sent.flatMap((line, index) => (stored.includes(line) ? [] : [`recurrence.${index} normalized`])),
});
let files = 0;
const rows: readonly Row[] = [
  { title: 'the only type of events', sent: { ...zoned, eventType: 'default' }, stored: {} },
  {
    title: 'another type of events',
    sent: { ...zoned, eventType: 'focusTime', focusTimeProperties: { chatStatus: 'available' } },
    stored: {},
    notes: ['eventType notOffered', 'focusTimeProperties notOffered'],
  },
  {
    title: 'properties of a working location',
    sent: { ...zoned, workingLocationProperties: { type: 'homeOffice' }, birthdayProperties: null },
    stored: {},
    notes: ['workingLocationProperties notOffered'],
  },
  lines(
    'UNTIL of a day with a timed start',
    zoned,
    ['RRULE:FREQ=DAILY;UNTIL=20261216'],
    ['RRULE:FREQ=DAILY;UNTIL=20261216T225959Z'],
  ),
  lines(
    'UNTIL in UTC with an all-day start',
    allDay,
    ['RRULE:FREQ=DAILY;UNTIL=20261211T233000Z'],
    ['RRULE:FREQ=DAILY;UNTIL=20261212'],
  ),
  lines(
    'UNTIL at midnight in UTC with an all-day start',
    allDay,
    ['RRULE:FREQ=DAILY;UNTIL=20261211T235959Z'],
    ['RRULE:FREQ=DAILY;UNTIL=20261211'],
  ),
  lines(
    'a floating UNTIL with an all-day start',
    allDay,
    ['RRULE:FREQ=DAILY;UNTIL=20261211T070000'],
    ['RRULE:FREQ=DAILY;UNTIL=20261211'],
  ),
  lines(
    'UNTIL in UTC with an all-day start in a zone of its own',
    { start: { ...day.start, timeZone: 'America/New_York' }, end: day.end },
    ['RRULE:FREQ=DAILY;UNTIL=20261212T030000Z'],
    ['RRULE:FREQ=DAILY;UNTIL=20261211'],
  ),
  lines(
    'EXDATE of days with a timed start',
    zoned,
    [rule, 'EXDATE;VALUE=DATE:20261202,20261204'],
    [rule, 'EXDATE:20261202T090000Z,20261204T090000Z'],
  ),
  lines(
    'EXDATE of a bare day with a timed start',
    zoned,
    [rule, 'EXDATE:20261203'],
    [rule, 'EXDATE:20261203T090000Z'],
  ),
  lines('EXDATE of days on which nothing starts', zoned, [rule, 'EXDATE;VALUE=DATE:20270101'], [rule]),
  lines(
    'EXDATE of times with an all-day start',
    allDay,
    [rule, 'EXDATE;TZID=America/New_York:20261202T220000'],
    [rule, 'EXDATE;VALUE=DATE:20261202'],
  ),
  lines(
    'EXDATE in UTC with an all-day start',
    allDay,
    [rule, 'EXDATE:20261202T233000Z,20261203T000000Z'],
    [rule, 'EXDATE;VALUE=DATE:20261203'],
  ),
  lines('a trailing ;', zoned, ['RRULE:FREQ=DAILY;COUNT=5;'], [rule]),
  lines('lower case', zoned, ['rrule:freq=daily;count=5'], [rule]),
  lines(
    'X- parts',
    zoned,
    ['RRULE;X-EVOLUTION-ENDDATE=20261205T090000Z:FREQ=DAILY;X-NOTE=1;COUNT=5'],
    [rule],
  ),
  lines('blanks at the ends', zoned, [` ${rule} `], [rule]),
  lines(
    'times of the day with an all-day start',
    allDay,
    ['RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0;COUNT=5'],
    [rule],
  ),
  lines(
    'a zone of Windows in a line',
    zoned,
    [rule, 'EXDATE;TZID=W. Europe Standard Time:20261202T100000'],
    [rule, 'EXDATE;TZID=Europe/Berlin:20261202T100000'],
  ),
  {
    title: 'a zone in another spelling in a line',
    sent: { ...zoned, recurrence: [rule, 'EXDATE;TZID=europe/berlin:20261202T100000'] },
    stored: { recurrence: [rule, 'EXDATE;TZID=Europe/Berlin:20261202T100000'] },
  },
  {
    title: 'zones of Windows',
    sent: {
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2026-12-01T23:00:00', timeZone: 'india standard time' },
    },
    stored: {
      start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: berlin },
      end: { dateTime: '2026-12-01T23:00:00+05:30', timeZone: 'Asia/Calcutta' },
    },
    notes: ['start.timeZone normalized', 'end.timeZone normalized'],
  },
  {
    title: 'zones in another spelling',
    sent: {
      start: { dateTime: '2026-12-01T10:00:00', timeZone: 'europe/BERLIN' },
      end: { dateTime: '2026-12-01T23:00:00', timeZone: 'asia/calcutta' },
    },
    stored: {
      start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: berlin },
      end: { dateTime: '2026-12-01T23:00:00+05:30', timeZone: 'Asia/Calcutta' },
    },
  },
];
describe('bodies as clients have them', () => {
  const gateway = useEvents();
  const rest = useRest();

  test.each(rows)('$title', async ({ sent, stored, notes = [] }) => {
    const made = await gateway.insert(sent);
    expect([made.problems, made.notes]).toEqual([[], notes.map((note) => `event.${note}`)]);
    expect(made.event).toMatchObject(stored);
    const again = await gateway.patch(made.event.id, {
      recurrence: made.event.recurrence,
      start: made.event.start,
    });
    expect([again.problems, again.notes, again.event.etag]).toEqual([[], [], made.event.etag]);
    const { event: plain } = await gateway.insert({ start: made.event.start, end: made.event.end });
    const patched = await gateway.patch(plain.id, sent);
    expect([patched.problems, patched.notes]).toEqual([[], notes.map((note) => `event.${note}`)]);
    expect(patched.event).toMatchObject(stored);

    const posted = await rest.send('POST /calendar/v3/calendars/primary/events', sent);
    expect([posted.status, posted.warnings ?? []]).toEqual([
      200,
      notes.map((note) => note.replace(/^(\S+) (\S+)$/, '$2 $1')),
    ]);
    expect(posted.json).toMatchObject(stored);

    const id = `fromafile${(files += 1)}`;
    const file = {
      calendars: [{ id: alice, owner: alice, timeZone: berlin, events: [{ id, ...sent }] }],
    };
    const report = await importData(file, targetOf(gateway.stores));
    expect(report.issues).toEqual([]);
    expect(report.warnings.map(({ path, reason }) => `${path.slice(4).join('.')} ${reason}`)).toEqual(notes);
    expect(await gateway.on(alice, id)).toMatchObject(stored);
  });

  test('the names of calls', async () => {
    const sent = {
      ...zoned,
      conferenceData: {
        createRequest: { requestId: 'r', conferenceSolutionKey: { type: 'hangoutsMeet' } },
      },
    };
    const { event, problems, notes } = await gateway.insert(sent, { conferenceDataVersion: 1 });
    expect([problems, notes]).toEqual([[], []]);
    expect(event.conferenceData.conferenceSolution.key.type).toBe('hostedCall');
    const { callLink, conferenceData } = event;
    const back = { hangoutLink: callLink, conferenceData: withType(conferenceData, 'hangoutsMeet') };
    const again = await gateway.patch(event.id, back, { conferenceDataVersion: 1 });
    expect([again.problems, again.notes, again.event.etag]).toEqual([[], [], event.etag]);
    const other = await gateway.patch(event.id, { hangoutLink: 'https://meet.example.com/x' });
    expect(other.notes).toEqual(['event.callLink readOnly']);
    expect((await gateway.patch(event.id, { hangoutLink: 'a', callLink: 'b' })).problems).toEqual([
      'BAD_USER_INPUT event.hangoutLink invalid',
    ]);
  });

  test.each([
    ['a floating UNTIL with a zone', zoned, ['RRULE:FREQ=DAILY;UNTIL=20261216T100000']],
    ['RDATE of the other kind', zoned, ['RDATE;VALUE=DATE:20261216']],
    ['EXDATE of times in UTC with a zone', allDay, ['EXDATE;TZID=Europe/Berlin:20261202T090000Z', rule]],
    ['EXDATE of what is no date', allDay, ['EXDATE:20261399', rule]],
    ['a line without a value', zoned, ['EXDATE;TZID', rule]],
    ['COUNT with UNTIL', zoned, ['RRULE:FREQ=DAILY;COUNT=3;UNTIL=20261216']],
  ])('%s is an error', async (_title, base, recurrence) => {
    const { problems } = await gateway.insert({ ...base, recurrence });
    expect(problems).toEqual(['BAD_USER_INPUT event.recurrence.0 invalid']);
  });

  test('lines beside one that is none are read in their forms', async () => {
    const recurrence = ['rrule:freq=daily;until=20261216', null, 'EXDATE;VALUE=DATE:20261203'];
    expect((await gateway.insert({ ...zoned, recurrence })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.1 required',
    ]);
    const bad = ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20261203,20261399'];
    expect((await gateway.insert({ ...zoned, recurrence: bad })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.1 invalid',
    ]);
  });

  test.each([
    ['no zone', {}, ['event.start.timeZone required', 'event.end.timeZone required']],
    [
      'a zone that there is not',
      { timeZone: 'Europe/Nowhere' },
      ['event.start.timeZone invalid', 'event.end.timeZone invalid'],
    ],
  ])('UNTIL of a day where the start has %s', async (_title, zone, problems) => {
    const bare = (dateTime: string) => ({ dateTime, ...zone });
    const { problems: found } = await gateway.insert({
      start: bare('2026-12-01T10:00:00+01:00'),
      end: bare('2026-12-01T11:00:00+01:00'),
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261216'],
    });
    expect(found.filter((one) => one.includes('timeZone'))).toEqual(
      problems.map((one) => `BAD_USER_INPUT ${one}`),
    );
  });

  test('many excluded days are stored in lines of a length that is allowed', async () => {
    const days = Array.from({ length: 500 }, (_, index) =>
      new Date(Date.UTC(2026, 11, 1 + index)).toISOString().slice(0, 10).replaceAll('-', ''),
    );
    const recurrence = ['RRULE:FREQ=DAILY', `EXDATE;VALUE=DATE:${days.join(',')}`, 'RDATE:x'];
    expect((await gateway.insert({ ...zoned, recurrence })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.2 invalid',
    ]);
    const { event } = await gateway.insert({ ...zoned, recurrence: recurrence.slice(0, 2) });
    expect(event.recurrence).toHaveLength(3);
  });

  test('UNTIL of the last day that there is', async () => {
    const timeZone = 'America/New_York';
    const { problems, event } = await gateway.insert({
      start: { dateTime: '2026-12-01T10:00:00', timeZone },
      end: { dateTime: '2026-12-01T11:00:00', timeZone },
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=99991231'],
    });
    expect([problems, event.recurrence]).toEqual([[], ['RRULE:FREQ=DAILY;UNTIL=99991231T235959Z']]);
  });

  test('days that exclude more than 2,500 occurrences', async () => {
    const recurrence = ['RRULE:FREQ=MINUTELY', 'EXDATE;VALUE=DATE:20261202,20261203'];
    const { problems, errors } = await gateway.insert({ ...zoned, recurrence });
    expect(problems).toEqual(['BAD_USER_INPUT event.recurrence.1 tooMany']);
    expect(errors?.[0]?.extensions.issues[0]?.params).toEqual({ max: 2500 });
  });

  test('a warning gives what is stored', async () => {
    const { warnings } = await gateway.insert({
      ...zoned,
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261216'],
    });
    expect(warnings?.[0]?.message).toBe('Stored as RRULE:FREQ=DAILY;UNTIL=20261216T225959Z');
  });

  test('names of calendars and buckets', async () => {
    const calendar = `mutation ($calendar: CalendarInput!) { result: insertCalendar(calendar: $calendar) { timeZone } }`;
    const made = await gateway.run(calendar, {
      calendar: { selected: true, hidden: true, colorId: '5', timeZone: 'W. Europe Standard Time' },
    });
    expect([made.problems, made.notes, made.event.timeZone]).toEqual([
      [],
      ['calendar.hidden notOffered', 'calendar.colorId notOffered', 'calendar.timeZone normalized'],
      berlin,
    ]);
    const bucket = `mutation ($bucket: BucketInput!) { result: insertBucket(project: "a-project", bucket: $bucket) { name } }`;
    const stored = await gateway.run(bucket, {
      bucket: { name: 'a-bucket-of-forms', location: 'EU', storageClass: 'STANDARD', labels: { a: 'b' } },
    });
    expect([stored.problems, stored.notes]).toEqual([
      [],
      ['bucket.location notOffered', 'bucket.storageClass notOffered', 'bucket.labels notOffered'],
    ]);
  });

  test('two values for one field are refused in a file too', async () => {
    const event = {
      id: 'twonames',
      ...zoned,
      hangoutLink: 'https://a.example/',
      callLink: 'https://b.example/',
    };
    const file = { calendars: [{ id: alice, owner: alice, timeZone: berlin, events: [event] }] };
    const report = await importData(file, targetOf(gateway.stores));
    expect(report.issues.map(({ path }) => path.join('.'))).toEqual(['calendars.0.events.0.hangoutLink']);
    expect(report.print()).toContain('hangoutLink');
  });

  test('names in files', async () => {
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
    const report = await importData(file, targetOf(gateway.stores));
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

const withType = ({ conferenceSolution, ...rest }: Shown, type: string) => ({
  ...rest,
  conferenceSolution: { ...conferenceSolution, key: { type } },
});
