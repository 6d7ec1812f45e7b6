import type { ApolloClient } from '@apollo/client';
import { Temporal } from 'temporal-polyfill';
import { createClient } from '../../examples/clients/apollo.ts';
import { messageOf } from '../../examples/calendar/src/api/failure.ts';
import { timesOf } from '../../examples/calendar/src/calendar/week.ts';
import { changeTimes } from '../../examples/calendar/src/editor/change-times.ts';
import { readEvent } from '../../examples/calendar/src/editor/read-event.ts';
import type { Scope } from '../../examples/calendar/src/editor/save-change.ts';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { listen } from '../http/raw.ts';

const zone = 'Europe/Berlin';
const calendarId = 'alice@example.com';

let gateway: TestGateway;
let client: ApolloClient;
beforeAll(async () => {
  gateway = await startGateway();
  client = createClient(`http://127.0.0.1:${await listen(gateway)}/graphql`, await tokenFor(calendarId));
});
afterAll(() => gateway.close());

/** A series of Monday 7 December 2026 at 10:00, of which an event is moved; when its events are then, those of other parts too. */
async function moved(
  recurrence: readonly string[],
  index: number,
  scope: Scope,
  by: Temporal.DurationLike,
  start = '2026-12-07T10:00',
): Promise<string[]> {
  const title = `Series ${crypto.randomUUID()}`;
  const hour = (text: string) => ({ dateTime: `${text}:00`, timeZone: zone });
  const end = Temporal.PlainDateTime.from(start).add({ hours: 1 }).toString({ smallestUnit: 'minute' });
  await gateway.ask(
    'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }',
    {
      event: { summary: title, start: hour(start), end: hour(end), recurrence },
    },
  );
  const list = async (): Promise<{ id: string; status: string; start: { dateTime: string } }[]> =>
    (
      await gateway.ask(
        'query ($q: String!) { events(calendarId: "primary", q: $q, singleEvents: true, orderBy: startTime, first: 12) { nodes { id start { dateTime } } } }',
        { q: title },
      )
    ).data.events.nodes;
  const event = await readEvent(client, calendarId, (await list())[index]?.id ?? '');
  const times = timesOf(event, zone);
  if (!times) throw new Error('no times');
  await changeTimes(
    client,
    event,
    { ...times, start: times.start.add(by), end: times.end.add(by) },
    zone,
    scope,
  );
  return (await list()).map(({ start: { dateTime } }) =>
    Temporal.Instant.from(dateTime)
      .toZonedDateTimeISO(zone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'minute' })
      .slice(5),
  );
}

const cases: readonly (readonly [what: string, ...Parameters<typeof moved>, then: string[]])[] = [
  [
    'one alone',
    ['RRULE:FREQ=DAILY;COUNT=3'],
    1,
    'this',
    { hours: 2 },
    '2026-12-07T10:00',
    ['12-07T10:00', '12-08T12:00', '12-09T10:00'],
  ],
  [
    'all by hours, the left-out day and the end with them',
    ['RRULE:FREQ=DAILY;UNTIL=20261210T090000Z', 'EXDATE;TZID=Europe/Berlin:20261208T100000'],
    1,
    'all',
    { hours: 2 },
    '2026-12-07T10:00',
    ['12-07T12:00', '12-09T12:00', '12-10T12:00'],
  ],
  [
    'all to other days of the week',
    ['RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=MO,SU'],
    0,
    'all',
    { days: 1 },
    '2026-12-07T10:00',
    ['12-08T10:00', '12-14T10:00', '12-15T10:00', '12-21T10:00'],
  ],
  [
    'all back over a midnight',
    ['RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=MO'],
    1,
    'all',
    { hours: -11 },
    '2026-12-07T10:00',
    ['12-06T23:00', '12-13T23:00'],
  ],
  [
    'all at their hour in summer, too',
    ['RRULE:FREQ=WEEKLY;COUNT=3'],
    2,
    'all',
    { hours: 1 },
    '2027-03-15T10:00',
    ['03-15T11:00', '03-22T11:00', '03-29T11:00'],
  ],
  [
    'added dates',
    ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20261220T120000Z'],
    0,
    'all',
    { minutes: 30 },
    '2026-12-07T10:00',
    ['12-07T10:30', '12-08T10:30', '12-20T13:30'],
  ],
  [
    'following ones, the end with them',
    ['RRULE:FREQ=DAILY;UNTIL=20261210T090000Z', 'EXDATE;TZID=Europe/Berlin:20261209T100000'],
    1,
    'following',
    { hours: 1 },
    '2026-12-07T10:00',
    ['12-07T10:00', '12-08T11:00', '12-10T11:00'],
  ],
  [
    'following ones to another day of the week',
    ['RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=MO'],
    2,
    'following',
    { days: 2 },
    '2026-12-07T10:00',
    ['12-07T10:00', '12-14T10:00', '12-23T10:00', '12-30T10:00'],
  ],
];

test.each(cases)('%s', async (_what, recurrence, index, scope, by, start, then) => {
  expect(await moved(recurrence, index, scope, by, start)).toEqual(then);
});

test.each([
  ['days of the month', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=7', 'all'],
  ['the first Monday', 'RRULE:FREQ=MONTHLY;BYDAY=1MO', 'following'],
  ['days of every other week', 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU', 'all'],
] as const)('a rule with %s is not moved to other days, and that is said', async (_what, rule, scope) => {
  const words = await moved([rule], 1, scope, { days: 1 }).catch(messageOf);
  expect(words).toMatch(/^The rule of this series/);
  // At its hours it is.
  expect((await moved([rule], 1, scope, { hours: 1 }))[1]).toMatch(/T11:00$/);
});

test('all are not moved by who looked at an older version', async () => {
  const stale = await readEvent(client, calendarId, 'teammeeting');
  await gateway.ask(
    'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { location: "Room 5" }) { id } }',
  );
  const times = timesOf(stale, zone);
  if (!times) throw new Error('no times');
  await expect(changeTimes(client, stale, times, zone, 'all')).rejects.toMatchObject({ kind: 'conflict' });
});
