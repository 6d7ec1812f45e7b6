import { alice, popupOverride } from '../event/event.harness.ts';
import { calendarOwners, invitableAddresses, zones } from './cast.ts';
import type { EventReference } from './references.ts';
import type { Random, Weighted } from './seed.ts';

/** An event, or some of its fields, as the input of a request. */
type Body = Readonly<Record<string, unknown>>;

/** Start of a series: a day of December 2026, and an hour in UTC. */
export interface SeriesStart {
  readonly isDay: boolean;
  readonly day: number;
  readonly hour: number;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
const decemberDate = (day: number): string => `2026-12-${twoDigits(day)}`;

/** Picks the original start of an instance, which exists in most cases. */
export function randomOriginalStart(random: Random, { isDay, day, hour }: SeriesStart): string {
  const date = `202612${twoDigits(day + random.pick([0, 0, 1, 2, 2, 3, 4, 7]))}`;
  return isDay ? date : `${date}T${twoDigits(hour)}0000Z`;
}

/** Converts an original start as it stands in ids to the input field `originalStartTime`. */
export const toOriginalStartTime = (original: string): Body => {
  const day = decemberDate(Number(original.slice(6, 8)));
  return original.length === 8 ? { date: day } : { dateTime: `${day}T${original.slice(9, 11)}:00:00Z` };
};

/** Random times as fields of an event, and the start in the form that `randomOriginalStart` needs. */
export interface EventTimes {
  readonly body: Body;
  readonly seriesStart: SeriesStart;
}

export function randomTimes(random: Random, isSeries: boolean): EventTimes {
  const day = 1 + random.integerBelow(isSeries ? 4 : 14);
  if (random.chance(0.25)) {
    const end = day + 1 + random.integerBelow(2);
    return {
      body: { start: { date: decemberDate(day) }, end: { date: decemberDate(end) } },
      seriesStart: { isDay: true, day, hour: 0 },
    };
  }
  const [hour, zone] = [random.pick([10, 14]), random.pick(zones)];
  const timeAt = (clockTime: string): Body => ({
    dateTime: `${decemberDate(day)}T${clockTime}:00`,
    timeZone: zone,
  });
  // The hour in UTC: Berlin is one hour ahead of it, New York five behind.
  const seriesStart = { isDay: false, day, hour: zone === zones[0] ? hour - 1 : hour + 5 };
  if (isSeries || random.chance(0.5))
    return {
      body: { start: timeAt(`${hour}:00`), end: timeAt(`${hour}:${random.pick(['30', '45'])}`) },
      seriesStart,
    };
  return {
    body: {
      start: { dateTime: `${decemberDate(day)}T${hour}:00:00+01:00` },
      end: { dateTime: `${decemberDate(day)}T${hour + 1}:00:00+01:00` },
    },
    seriesStart,
  };
}

export function randomRules(random: Random, { isDay, hour }: SeriesStart): string[] {
  const rule = random.pick([
    'RRULE:FREQ=DAILY;COUNT=5',
    'RRULE:FREQ=DAILY;COUNT=8',
    'RRULE:FREQ=DAILY',
    'RRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=6',
    'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=4',
    'RRULE:FREQ=WEEKLY',
    'RRULE:FREQ=MONTHLY;BYDAY=1TU;COUNT=3',
    isDay ? 'RRULE:FREQ=DAILY;UNTIL=20261208' : 'RRULE:FREQ=DAILY;UNTIL=20261208T235959Z',
  ]);
  const dateLine = (name: string): string => {
    const day = `202612${twoDigits(1 + random.integerBelow(12))}`;
    return isDay ? `${name};VALUE=DATE:${day}` : `${name}:${day}T${twoDigits(hour)}0000Z`;
  };
  return [
    rule,
    ...(random.chance(0.2) ? [dateLine('EXDATE')] : []),
    ...(random.chance(0.2) ? [dateLine('RDATE')] : []),
  ];
}

export function randomGuests(random: Random): Body[] {
  return random.pickSome(invitableAddresses, 5).map((email) => ({
    email: random.chance(0.1) ? email.toUpperCase() : email,
    ...(email.startsWith('room') && { resource: true }),
    ...(random.chance(0.15) && { displayName: random.pick(['Somebody', 'Plan']) }),
    ...(random.chance(0.1) && { optional: true }),
    ...(random.chance(0.15) && { responseStatus: random.pick(responseStatuses) }),
    ...(random.chance(0.05) && { comment: 'By the organizer', additionalGuests: 2 }),
  }));
}

const responseStatuses = ['accepted', 'declined', 'tentative', 'needsAction'] as const;
/** A guest's response as an attendee entry. */
export const randomResponse = (random: Random, email: string): Body => ({
  email,
  responseStatus: random.pick(responseStatuses),
  ...(random.chance(0.3) && { comment: random.pick(['Yes', 'No', null]) }),
  ...(random.chance(0.1) && { additionalGuests: random.integerBelow(3) }),
});

const texts = ['Plan', 'plan review', 'Lunch', 'Ärger', 'Call', null] as const;
const randomText = (random: Random): string | null => random.pick(texts);
const randomMap = (random: Random): Body => ({
  [random.pick(['one', 'two'])]: random.pick(['a', 'b', null]),
});

const attachment = { fileUrl: 'https://files.example/1', title: 'One' };
const randomReminders = (random: Random): Body | null =>
  random.pick([
    null,
    { useDefault: true, overrides: null },
    { useDefault: false, overrides: [popupOverride(5)] },
    { overrides: [popupOverride(random.integerBelow(3))], useDefault: false },
  ]);
const randomConference = (random: Random): Body => ({
  createRequest: {
    requestId: random.pick(['r1', 'r2']),
    conferenceSolutionKey: { type: random.pick(['eventCall', 'hostedCall']) },
  },
});

/** Changes of fields for inserts and patches. */
export const fieldChanges: Weighted<(random: Random) => Body> = [
  [6, (random) => ({ summary: randomText(random) })],
  [2, (random) => ({ description: randomText(random), location: randomText(random) })],
  [3, (random) => ({ colorId: random.pick(['1', '5', '11', null]) })],
  [2, (random) => ({ transparency: random.pick(['opaque', 'transparent', null]) })],
  [3, (random) => ({ visibility: random.pick(['default', 'public', 'private', 'confidential', null]) })],
  [3, (random) => ({ reminders: randomReminders(random) })],
  [
    2,
    (random) => ({
      extendedProperties: random.pick([{ private: randomMap(random) }, { shared: randomMap(random) }, null]),
    }),
  ],
  [4, (random) => ({ guestsCanSeeOtherGuests: random.chance(0.4) })],
  [3, (random) => ({ guestsCanModify: random.pick([true, true, false, null]) })],
  [2, (random) => ({ guestsCanInviteOthers: random.chance(0.5) })],
  [1, (random) => ({ anyoneCanAddSelf: random.chance(0.5) })],
  [1, (random) => ({ source: random.pick([null, { title: 'Page', url: 'https://source.example/' }]) })],
  [1, (random) => ({ gadget: random.pick([null, { height: 5, preferences: randomMap(random) }]) })],
  [1, (random) => ({ attachments: random.pick([null, [], [attachment]]) })],
  [2, (random) => ({ conferenceData: random.pick([null, randomConference(random)]) })],
  [1, (random) => ({ sequence: random.integerBelow(4) })],
  [1, (random) => ({ endTimeUnspecified: random.chance(0.5) })],
];

/** Input of Google clients that is stored in another form. */
export const unusualForms: Weighted<(random: Random) => Body> = [
  [2, (random) => ({ eventType: random.pick(['default', 'focusTime']), focusTimeProperties: {} })],
  [1, () => ({ hangoutLink: 'https://meet.example/x' })],
  [
    3,
    (random) => ({
      recurrence: [
        random.pick([
          'rrule:freq=daily;until=20261207;',
          'RRULE:FREQ=DAILY;UNTIL=20261207T120000Z',
          'RRULE:FREQ=WEEKLY;X-NOTE=1;COUNT=3;BYHOUR=10 ',
        ]),
        random.pick(['EXDATE;VALUE=DATE:20261203,20261204', 'EXDATE:20261203', 'EXDATE:20261203T090000Z']),
      ],
    }),
  ],
  [
    1,
    () => ({
      start: { dateTime: '2026-12-02T10:00:00', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2026-12-02T11:00:00', timeZone: 'europe/berlin' },
    }),
  ],
];

const invalidAttendees = [
  { email: alice },
  { email: alice.toUpperCase() },
  { displayName: 'Nobody' },
  { email: 'no address' },
];

/** Bodies that are invalid by themselves. */
export const invalidBodies: Weighted<(random: Random) => Body> = [
  [1, () => ({ start: { dateTime: '2026-12-03T12:00:00Z' }, end: { dateTime: '2026-12-03T11:00:00Z' } })],
  [1, () => ({ start: { date: '2026-12-03' } })],
  [1, () => ({ start: { dateTime: '2026-12-03T12:00:00', timeZone: 'Europe/Nowhere' } })],
  [1, () => ({ reminders: { useDefault: true, overrides: [popupOverride(5)] } })],
  [1, () => ({ reminders: { overrides: [{ method: 'popup' }, popupOverride(-1)] } })],
  [1, () => ({ attendees: invalidAttendees })],
  [1, () => ({ colorId: '12', summary: 5 })],
  [1, () => ({ recurrence: ['RRULE:FREQ=DAILY;COUNT=2;UNTIL=20261201T000000Z', 'RRULE'] })],
  [
    1,
    () => ({
      etag: 'no etag',
      created: '2020-01-01T00:00:00Z',
      organizer: { email: calendarOwners[1] },
      htmlLink: 'https://x.example/',
    }),
  ],
  [1, () => ({ id: 'another', iCalUID: 'another', recurringEventId: 'another', privateCopy: true })],
  [1, () => ({ unknown: true })],
];

const statuses = ['cancelled', 'cancelled', 'confirmed', 'confirmed', 'confirmed', 'tentative', null];

/** Patch bodies that depend on the event and the caller. */
// `as` is the caller, whose own entry some bodies change; `seriesStart` belongs to the event's series.
export const patchBodies: Weighted<
  (random: Random, event: EventReference, as: string, seriesStart: SeriesStart) => Body
> = [
  [30, (random) => random.pickWeighted(fieldChanges)(random)],
  [8, (random) => randomTimes(random, random.chance(0.5)).body],
  [
    2,
    (random) => ({
      ...withNullAlternatives(randomTimes(random, true).body),
      ...random.pick([{}, { recurrence: null }]),
    }),
  ],
  [
    4,
    (random, _event, _as, seriesStart) => ({
      recurrence: random.chance(0.2) ? null : randomRules(random, seriesStart),
    }),
  ],
  [8, (random) => ({ attendees: random.chance(0.1) ? null : randomGuests(random) })],
  [
    5,
    (random, event) => ({
      attendees: {
        $guestsOf: event,
        as: random.pick(['reversed', 'without', 'with', 'with'] as const),
        entry: { email: random.pick(invitableAddresses) },
      },
    }),
  ],
  [12, (random, _event, as) => ({ attendeesOmitted: true, attendees: [randomResponse(random, as)] })],
  [
    3,
    (random, _event, as) => ({
      attendees: [randomResponse(random, as), ...randomGuests(random).filter(({ email }) => email !== as)],
    }),
  ],
  [
    1,
    (random) => ({
      attendeesOmitted: true,
      attendees: [randomResponse(random, random.pick(invitableAddresses))],
    }),
  ],
  [2, (random) => ({ attendees: [{ email: random.pick(invitableAddresses), resource: true }] })],
  [9, (random) => ({ status: random.pick(statuses) })],
  [2, (random) => random.pickWeighted(invalidBodies)(random)],
  [3, (random) => random.pickWeighted(unusualForms)(random)],
];

/** Random `attendeeChanges`, sometimes with a guest in both lists. */
export function randomAttendeeChanges(random: Random, as: string): Body {
  const add = random.pickWeighted<Body[]>([
    [5, [{ email: random.pick(invitableAddresses) }]],
    [4, randomGuests(random)],
    [4, [randomResponse(random, as)]],
    [1, [randomResponse(random, random.pick(invitableAddresses))]],
    [2, []],
  ]);
  const addedEmails = add.map(({ email }) => String(email).toLowerCase());
  const remove = random
    .pickSome(invitableAddresses, 2)
    .filter((email) => random.chance(0.1) || !addedEmails.includes(email));
  return random.pick([
    { add },
    { add, remove },
    { add, remove },
    { remove: remove.map((email) => (random.chance(0.1) ? email.toUpperCase() : email)) },
  ]);
}

/** Adds a null for the other kind of time, date or dateTime. */
const withNullAlternatives = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([name, time]) => [name, { date: null, dateTime: null, ...(time as Body) }]),
  );
