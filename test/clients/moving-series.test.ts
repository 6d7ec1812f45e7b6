import type { ApolloClient } from '@apollo/client';
import { Temporal } from 'temporal-polyfill';
import { createClient } from '../../examples/clients/apollo.ts';
import { timesOf } from '../../examples/calendar/src/calendar/event-times.ts';
import { changeTimes } from '../../examples/calendar/src/editor/change-times.ts';
import { readEvent } from '../../examples/calendar/src/editor/read-event.ts';
import type { Scope } from '../../examples/calendar/src/editor/save-change.ts';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw-http.ts';
import { useForAll } from '../use-resource.ts';

const zone = 'Europe/Berlin';
const calendarId = 'alice@example.com';

const gateway = useForAll(startListening);
let client: ApolloClient;
beforeAll(async () => {
  client = createClient(gateway.url, await tokenFor(calendarId));
});

const eventsByTitleQuery = `query ($q: String!) {
  events(calendarId: "primary", q: $q, singleEvents: true, orderBy: startTime, first: 12) { nodes { id start { dateTime } } } }`;

/** Creates a series, moves one of its events by a duration, and lists all starts as day of the month and time. */
async function moveAndList(
  recurrence: readonly string[],
  index: number,
  scope: Scope,
  duration: string,
  start: string,
): Promise<string[]> {
  const title = `Series ${crypto.randomUUID()}`;
  const zonedTime = (text: string) => ({ dateTime: `${text}:00`, timeZone: zone });
  const end = Temporal.PlainDateTime.from(start).add({ hours: 1 }).toString({ smallestUnit: 'minute' });
  const insertEvent =
    'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';
  await gateway.ask(insertEvent, {
    event: { summary: title, start: zonedTime(start), end: zonedTime(end), recurrence },
  });
  const listEvents = async (): Promise<{ id: string; start: { dateTime: string } }[]> =>
    (await gateway.ask(eventsByTitleQuery, { q: title })).data.events.nodes;
  const event = await readEvent(client, calendarId, (await listEvents())[index]?.id ?? '');
  const times = timesOf(event, zone);
  if (!times) throw new Error('no times');
  const newTimes = { ...times, start: times.start.add(duration), end: times.end.add(duration) };
  await changeTimes(client, event, newTimes, zone, scope);
  return (await listEvents()).map(({ start: { dateTime } }) =>
    Temporal.Instant.from(dateTime)
      .toZonedDateTimeISO(zone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'minute' })
      .slice(8)
      .replace(':00', ''),
  );
}

const mondayAtTen = '2026-12-07T10:00';
const daily = ['RRULE:FREQ=DAILY;COUNT=3'];
/** A daily rule until Thursday 10 December without one day. */
const dailyWithout = (day: number) => [
  'RRULE:FREQ=DAILY;UNTIL=20261210T090000Z',
  `EXDATE;TZID=Europe/Berlin:2026120${day}T100000`,
];
const dailyWithAddedDate = ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20261220T120000Z'];
const weekly = (ruleParts: string) => [`RRULE:FREQ=WEEKLY;${ruleParts}`];

/** Row of the table. `expected` lists the starts of all events: day of the month, `T`, hour and minutes. */
type Case = [
  title: string,
  rule: string[],
  index: number,
  scope: Scope,
  duration: string,
  expected: string,
  start?: string,
];
test.each<Case>([
  ['this event only', daily, 1, 'this', 'PT2H', '07T10 08T12 09T10'],
  ['all events by hours, with EXDATE and UNTIL', dailyWithout(8), 1, 'all', 'PT2H', '07T12 09T12 10T12'],
  ['all events to other weekdays', weekly('COUNT=4;BYDAY=MO,SU'), 0, 'all', 'P1D', '08T10 14T10 15T10 21T10'],
  ['all events back across midnight', weekly('COUNT=2;BYDAY=MO'), 1, 'all', '-PT11H', '06T23 13T23'],
  [
    'all events over the change to summer time',
    weekly('COUNT=3'),
    2,
    'all',
    'PT1H',
    '15T11 22T11 29T11',
    '2027-03-15T10:00',
  ],
  ['the dates of RDATE with the rule', dailyWithAddedDate, 0, 'all', 'PT30M', '07T10:30 08T10:30 20T13:30'],
  ['following events, with UNTIL', dailyWithout(9), 1, 'following', 'PT1H', '07T10 08T11 10T11'],
  ['following events to a new weekday', weekly('COUNT=4'), 2, 'following', 'P2D', '07T10 14T10 23T10 30T10'],
])('moves %s', async (_case, recurrence, index, scope, duration, expected, start = mondayAtTen) => {
  expect((await moveAndList(recurrence, index, scope, duration, start)).join(' ')).toBe(expected);
});

test('no event is moved if it was read before another change', async () => {
  const staleEvent = await readEvent(client, calendarId, 'teammeeting');
  await gateway.ask(
    'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { location: "Room 5" }) { id } }',
  );
  const times = timesOf(staleEvent, zone);
  if (!times) throw new Error('no times');
  await expect(changeTimes(client, staleEvent, times, zone, 'all')).rejects.toMatchObject({
    kind: 'conflict',
  });
});
