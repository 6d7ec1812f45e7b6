import { readFileSync } from 'node:fs';
import { Temporal } from 'temporal-polyfill';
import { packagePath } from '../core/package-files.ts';
import { withOffset } from '../core/time/time.ts';

/** Sample operations on one resource as one document, with shared variables. */
export interface SampleSet {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Names of the sample sets, in the order in which explorers show them. */
const setNames = ['Events', 'Calendars', 'Notifications', 'Buckets', 'Channels'];

const demoZone = 'Europe/Berlin';

const readSampleFile = (file: string): string => readFileSync(packagePath(`schema/samples/${file}`), 'utf8');

const sampleDocuments = setNames.map((name) => ({
  name,
  document: readSampleFile(`${name.toLowerCase()}.graphql`).trimEnd(),
}));
const variablesText = readSampleFile('variables.json');

/** Number of characters of a time in a placeholder: `T09:00`. */
const timeLength = 6;

/** Returns the date (`yyyy-mm-dd`) that is `daysAfterMonday` days after Monday of the week of an instant. */
export function dateInWeek(instant: number, timeZone: string, daysAfterMonday: number): string {
  const today = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
  return today.add({ days: 1 - today.dayOfWeek + daysAfterMonday }).toString();
}

/**
 * Returns the samples for explorers: a set for each resource, an operation for each root field. In their variables, `{+3}`
 * stands for the date 3 days after Monday of the week of `now`, and `{+3T09:00 in UTC}` for the instant of this local time
 * as in ids of instances.
 */
export function createSampleSets(now: number): readonly SampleSet[] {
  const json = variablesText.replaceAll(
    /\{\+(\d+)(T\d\d:\d\d in UTC)?\}/g,
    (_placeholder, days: string, time: string | undefined) => {
      const date = dateInWeek(now, demoZone, Number(days));
      if (time === undefined) return date;
      const local = Temporal.PlainDateTime.from(`${date}${time.slice(0, timeLength)}`);
      return local.toZonedDateTime(demoZone).toInstant().toString().replaceAll(/[-:]/g, '');
    },
  );
  const variables = JSON.parse(json) as Readonly<Record<string, SampleSet['variables']>>;
  return sampleDocuments.map((sample) => ({ ...sample, variables: variables[sample.name] ?? {} }));
}

/** Combines all samples, for an explorer that shows a single document. Variable names are unique across sets. */
export function combineSampleSets(now: number): SampleSet {
  const sets = createSampleSets(now);
  return {
    name: 'Gateway',
    document: sets.map(({ document }) => document).join('\n\n'),
    variables: Object.assign({}, ...sets.map(({ variables }) => variables)) as SampleSet['variables'],
  };
}

/** Subject of the demo's token: owner of the first calendar and manager of the buckets. */
export const demoUser = 'alice@example.com';

/** Objects of a seed that the start of the demo names in commands. */
export interface SeedNames {
  /** The owner of the first calendar: the subject of the demo's token. */
  readonly user: string;
  /** An event on the owner's primary calendar. */
  readonly eventId?: string;
  /** A bucket that the owner manages, without requester-pays. */
  readonly bucket?: string;
}

/** Parts of a seed in which names for commands are found. */
interface SeedContent {
  readonly calendars?: readonly {
    readonly id: string;
    readonly owner: string;
    readonly events?: readonly {
      readonly id?: string;
      readonly status?: string;
      readonly recurringEventId?: string;
    }[];
  }[];
  readonly buckets?: readonly {
    readonly name: string;
    readonly requesterPays?: boolean;
    readonly managers: readonly string[];
  }[];
}

/** Finds names for commands in a seed that was loaded, and so is valid. */
export function findSeedNames(seed: unknown): SeedNames {
  const { calendars = [], buckets = [] } = seed as SeedContent;
  const user = calendars[0]?.owner ?? demoUser;
  const ownedCalendars = calendars.filter(({ owner }) => owner === user);
  const primaryCalendar = ownedCalendars.find(({ id }) => id === user) ?? ownedCalendars[0];
  return {
    user,
    eventId: primaryCalendar?.events?.find(
      ({ id, status, recurringEventId }) =>
        id !== undefined && status !== 'cancelled' && recurringEventId === undefined,
    )?.id,
    bucket: buckets.find(({ managers, requesterPays }) => !requesterPays && managers.includes(user))?.name,
  };
}

/** Returns the date (`yyyy-mm-dd`) that is a number of days after Monday of the demo's first week. */
type DateOf = (afterMonday: number) => string;

/** Day on which the demo's series end, 30 weeks after its first week. */
const lastSeriesDay = 213;

/** Start and end of an event at local times of a day. */
const timesOnDay = (date: string, start: string, end: string, timeZone = demoZone) => ({
  start: { dateTime: `${date}T${start}:00`, timeZone },
  end: { dateTime: `${date}T${end}:00`, timeZone },
});
/** Start and end of an all-day event. `endDay`: the day after its last one. */
const wholeDays = (firstDay: string, endDay: string) => ({
  start: { date: firstDay },
  end: { date: endDay },
});
const toDateTime = (date: string, time: string): string => withOffset(`${date}T${time}:00`, demoZone);
/** Formats a local time for iCalendar (RFC 5545, section 3.3.5). */
const toICalendarLocal = (date: string, time: string): string => `${date}T${time}00`.replaceAll(/[-:]/g, '');
const toICalendarUtc = (date: string, time: string): string =>
  new Date(toDateTime(date, time)).toISOString().replaceAll(/[-:]|\.\d+/g, '');

const createAliceEvents = (day: DateOf) => [
  {
    id: 'teammeeting',
    summary: 'Team meeting',
    description: 'What we did, what comes next.',
    location: 'Room 3',
    ...timesOnDay(day(1), '10:00', '11:00'),
    attendees: [
      { email: demoUser, responseStatus: 'accepted' },
      { email: 'bob@example.com', displayName: 'Bob' },
      { email: 'carol@elsewhere.example', optional: true, responseStatus: 'tentative', additionalGuests: 1 },
      { email: 'room3@resource.example', resource: true, responseStatus: 'accepted' },
    ],
    reminders: { useDefault: true },
  },
  { id: 'holiday', summary: 'Public holiday', transparency: 'transparent', ...wholeDays(day(25), day(27)) },
  {
    id: 'standup',
    summary: 'Stand-up',
    ...timesOnDay(day(1), '09:00', '09:15'),
    recurrence: [
      `RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=${toICalendarUtc(day(lastSeriesDay), '00:00')}`,
      `EXDATE;TZID=${demoZone}:${toICalendarLocal(day(24), '09:00')}`,
    ],
    iCalUID: 'standup@calendar.example.com',
  },
  {
    id: `standup_${toICalendarUtc(day(3), '09:00')}`,
    status: 'cancelled',
    recurringEventId: 'standup',
    originalStartTime: { dateTime: toDateTime(day(3), '09:00'), timeZone: demoZone },
    iCalUID: 'standup@calendar.example.com',
    summary: 'Stand-up',
    ...timesOnDay(day(3), '09:00', '09:15'),
  },
  {
    id: 'review',
    summary: 'Design review',
    ...timesOnDay(day(2), '14:00', '15:30'),
    attachments: [
      {
        fileUrl: 'https://files.example.com/d/plan',
        title: 'Plan',
        mimeType: 'application/pdf',
        fileId: 'plan',
      },
      { fileUrl: 'https://files.example.com/d/sketch', title: 'Sketch', mimeType: 'image/png' },
    ],
    source: { title: 'Issue tracker', url: 'https://issues.example.com/42' },
  },
  {
    id: 'callabroad',
    summary: 'Call with the partners',
    start: { dateTime: toDateTime(day(4), '17:00') },
    end: { dateTime: toDateTime(day(4), '18:00') },
    conferenceData: {
      conferenceId: 'abcdefghij',
      conferenceSolution: {
        key: { type: 'hostedCall' },
        name: 'Hosted call',
        iconUri: 'https://calendar.example.com/call.png',
      },
      entryPoints: [
        {
          entryPointType: 'video',
          uri: 'https://calendar.example.com/call/abcdefghij',
          label: 'calendar.example.com/call/abcdefghij',
        },
        {
          entryPointType: 'phone',
          uri: 'tel:+49-30-5550100,,123456%23',
          label: '+49 30 5550100',
          pin: '123456',
          regionCode: 'DE',
        },
      ],
      notes: 'The meeting code is read out at the start.',
    },
    callLink: 'https://calendar.example.com/call/abcdefghij',
  },
  {
    id: 'dentist',
    summary: 'Dentist',
    visibility: 'private',
    ...timesOnDay(day(7), '08:30', '09:00'),
    reminders: {
      useDefault: false,
      overrides: [
        { method: 'popup', minutes: 60 },
        { method: 'email', minutes: 1440 },
      ],
    },
  },
  { id: 'offsite', summary: 'Offsite', status: 'cancelled', ...wholeDays(day(14), day(16)) },
  {
    id: 'workshop',
    summary: 'Workshop',
    status: 'tentative',
    colorId: '7',
    ...timesOnDay(day(10), '13:00', '17:00'),
    guestsCanSeeOtherGuests: false,
    guestsCanInviteOthers: false,
    attendees: [{ email: 'bob@example.com' }, { email: 'dana@elsewhere.example' }],
    extendedProperties: { private: { ticket: 'W-17' }, shared: { series: 'autumn' } },
  },
  {
    id: 'launch',
    summary: 'Launch',
    guestsCanModify: true,
    ...timesOnDay(day(9), '09:00', '10:00', 'America/New_York'),
    attendees: [{ email: 'bob@example.com', responseStatus: 'accepted' }],
    gadget: {
      display: 'chip',
      link: 'https://widgets.example.com/count',
      height: 120,
      width: 240,
      preferences: { theme: 'dark' },
    },
  },
];

const createBobEvents = (day: DateOf) => [
  { id: 'lunch', summary: 'Lunch', ...timesOnDay(day(1), '12:30', '13:30') },
  {
    id: 'training',
    summary: 'Training',
    locked: true,
    organizer: { email: 'training@elsewhere.example', displayName: 'Training' },
    creator: { email: 'training@elsewhere.example' },
    ...timesOnDay(day(8), '09:00', '12:00'),
    attendees: [{ email: 'bob@example.com', responseStatus: 'accepted' }],
  },
];

/** Creates events that fill the demo's month: some in the weeks before its first week, and some all-day ones. */
const createMonthEvents = (day: DateOf) => [
  {
    id: 'planning',
    summary: 'Sprint planning',
    location: 'Room 3',
    ...timesOnDay(day(-21), '11:00', '12:00'),
    recurrence: [
      `RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;UNTIL=${toICalendarUtc(day(lastSeriesDay), '00:00')}`,
    ],
  },
  {
    id: 'oneonone',
    summary: '1:1 with Bob',
    ...timesOnDay(day(-18), '16:00', '16:30'),
    recurrence: [`RRULE:FREQ=WEEKLY;BYDAY=TH;UNTIL=${toICalendarUtc(day(lastSeriesDay), '00:00')}`],
  },
  {
    id: 'interview',
    summary: 'Interview with Priya Nair',
    ...timesOnDay(day(-10), '10:00', '11:00'),
    attendees: [
      { email: 'priya.nair@elsewhere.example', displayName: 'Priya Nair', responseStatus: 'accepted' },
    ],
  },
  { id: 'onboarding', summary: 'Onboarding: Jonas Weber', ...timesOnDay(day(-6), '09:30', '11:30') },
  { id: 'conference', summary: 'Web conference, Lisbon', location: 'Lisbon', ...wholeDays(day(3), day(5)) },
  { id: 'birthday', summary: 'Emma’s birthday', transparency: 'transparent', ...wholeDays(day(6), day(7)) },
  { id: 'release', summary: 'Release 2.4', ...wholeDays(day(-4), day(-3)) },
  { id: 'yoga', summary: 'Yoga', ...timesOnDay(day(-1), '18:00', '19:00') },
];

/** Creates the data of a demo that starts now: `demoData`, and events in a month around it. */
export function demoMonth(now: number) {
  const { calendars, buckets } = demoData(now);
  const events = createMonthEvents((afterMonday) => dateInWeek(now, demoZone, afterMonday));
  return {
    calendars: calendars.map((calendar, index) =>
      index === 0 ? { ...calendar, events: [...calendar.events, ...events] } : calendar,
    ),
    buckets,
  };
}

/** Creates the demo's data from the current week on: three calendars, and three buckets, one of them requester-pays. */
export function demoData(now: number) {
  const day: DateOf = (afterMonday) => dateInWeek(now, demoZone, afterMonday);
  return {
    calendars: [
      {
        id: demoUser,
        owner: demoUser,
        timeZone: demoZone,
        defaultReminders: [{ method: 'popup', minutes: 10 }],
        acl: [{ email: 'bob@example.com', role: 'reader' }],
        events: createAliceEvents(day),
      },
      {
        id: 'bob@example.com',
        owner: 'bob@example.com',
        timeZone: demoZone,
        acl: [{ email: demoUser, role: 'freeBusyReader' }],
        events: createBobEvents(day),
      },
      {
        id: 'team@group.calendar.example.com',
        owner: demoUser,
        timeZone: demoZone,
        acl: [{ email: 'bob@example.com', role: 'writer' }],
        events: [{ id: 'retrospective', summary: 'Retrospective', ...timesOnDay(day(4), '15:00', '16:00') }],
      },
    ],
    buckets: [
      {
        name: 'demo-photos',
        project: 'demo-project',
        managers: [demoUser],
        notifications: [
          {
            topic: 'projects/demo-project/topics/photos',
            event_types: ['OBJECT_FINALIZE', 'OBJECT_DELETE'],
            custom_attributes: { team: 'photos' },
            object_name_prefix: 'albums/',
          },
        ],
      },
      {
        name: 'demo-archive',
        project: 'demo-project',
        requesterPays: true,
        managers: [demoUser],
        notifications: [{ topic: 'projects/demo-project/topics/archive', event_types: ['OBJECT_ARCHIVE'] }],
      },
      { name: 'demo-drafts', project: 'demo-project', managers: [demoUser], notifications: [] },
    ],
  };
}
