import {
  alice,
  bob,
  makeMany,
  useEventGateway,
  zonedHour,
  type Controls,
  wanda,
} from '../event/event.harness.ts';
import { startGateway } from '../harness.ts';
import { useRest } from '../faces/rest/rest.harness.ts';

/** Error messages tell how to fix the error. */
describe('messages of events name the remedy', () => {
  const gateway = useEventGateway();
  const patchMessages = async (body: object, args: Controls = {}): Promise<string[]> => {
    const { id } = await gateway.makeEvent(zonedHour);
    const { errors } = await gateway.patch(id, body, args);
    return errors?.[0]?.extensions.issues?.map(({ message }) => message) ?? [];
  };
  const addressAlone =
    'This must be the address alone: leave out "mailto:", and a name and the <> around it.';

  test.each([
    ['an address with a name', 'Bob <bob@example.com>', addressAlone],
    ['an address as a URL', 'mailto:bob@example.com', addressAlone],
    ['an invalid address', 'bob', 'This is not an e-mail address that RFC 5322 allows.'],
  ])('%s', async (_title, email, message) => {
    expect(await patchMessages({ attendees: [{ email }] })).toEqual([message]);
    const shareMutation = `mutation ($calendarId: String!, $email: String!) {
      result: setCalendarAccess(calendarId: $calendarId, email: $email, role: reader) { role } }`;
    const { errors } = await gateway.run(shareMutation, { calendarId: alice, email });
    expect(errors?.[0]?.message).toBe(message);
  });

  test('more than 100 recurrence lines', async () => {
    const recurrence = makeMany(
      101,
      (index) => `RDATE:20300101T0${Math.floor(index / 60)}${10 + (index % 50)}00Z`,
    );
    expect(await patchMessages({ recurrence })).toEqual([
      'At most 100 recurrence lines are allowed; these are 101. Dates can share a line: RDATE:20261231T090000Z,20270101T090000Z.',
    ]);
  });

  test('a weak ifMatch', async () => {
    const [message] = await patchMessages({ summary: 'x' }, { ifMatch: 'W/"a"' });
    expect(message).toContain('A weak etag (W/"…") never matches: send the etag as it was read, without W/.');
  });
});

describe('a number out of range', () => {
  const gateway = useEventGateway();
  const tooLargeInt = 2 ** 31;
  const listQuery = 'query ($n: Int) { result: events(calendarId: "primary", first: $n) { nodes { id } } }';
  const maxAttendeesQuery =
    'query ($n: Int) { result: events(calendarId: "primary", maxAttendees: $n) { nodes { id } } }';
  const patch = (body: string): string =>
    `mutation ($n: Int) { result: patchEvent(calendarId: "primary", eventId: "meeting", event: ${body}) { id } }`;
  const minutesMutation = patch(
    '{ reminders: { useDefault: false, overrides: [{ method: popup, minutes: $n }] } }',
  );
  beforeAll(() => gateway.makeEvent({ id: 'meeting' }));

  test.each<[string, string, number, string]>([
    ['first', listQuery, tooLargeInt, 'first must be from 1 to 2500.'],
    ['first', listQuery, 1e300, 'first must be from 1 to 2500.'],
    ['maxAttendees', maxAttendeesQuery, tooLargeInt, 'maxAttendees must be from 1 to 2147483647.'],
    ['maxAttendees', maxAttendeesQuery, 0, 'maxAttendees must be from 1 to 2147483647.'],
    ['minutes', minutesMutation, tooLargeInt, 'This must be a whole number from 0 to 40320.'],
    ['minutes', minutesMutation, -tooLargeInt - 1, 'This must be a whole number from 0 to 40320.'],
    ['sequence', patch('{ sequence: $n }'), tooLargeInt, 'This must be a whole number from 0 to 2147483647.'],
    ['width', patch('{ gadget: { width: $n } }'), 0, 'This must be a whole number from 1 to 2147483647.'],
  ])('gives the range of %s', async (_name, document, n, message) => {
    const documentWithLiteral = document.replace('($n: Int) ', '').replaceAll('$n', String(BigInt(n)));
    for (const { errors } of [await gateway.run(document, { n }), await gateway.run(documentWithLiteral, {})])
      expect(errors?.map((error) => error.message)).toEqual([message]);
  });
});

describe('a value of the wrong kind', () => {
  const gateway = useEventGateway();
  beforeAll(() => gateway.makeEvent({ id: 'meeting' }));

  test.each<[object, string]>([
    [{ summary: 1 }, 'This must be a string.'],
    [{ summary: ['x'] }, 'This must be a string. A list was sent.'],
    [{ locked: 'yes' }, 'This must be true or false.'],
    [{ sequence: '3' }, 'This must be a whole number.'],
    [{ sequence: 1.5 }, 'This must be a whole number.'],
    [{ gadget: [{}] }, 'This must be a JSON object. A list was sent.'],
    [{ recurrence: [['RRULE:FREQ=DAILY']] }, 'This must be a string. A list was sent.'],
    [
      { gadget: { preferences: [] } },
      'StringMap must be a JSON object whose values are strings. A list was sent.',
    ],
    [
      { gadget: { preferences: { a: 1 } } },
      'Every value of a StringMap must be a string, and __proto__ cannot be a key.',
    ],
    [{ status: 'gone' }, 'This value is not allowed here. Allowed: confirmed, tentative, cancelled.'],
    [{ status: 5 }, 'This must be one of these strings: confirmed, tentative, cancelled.'],
    [
      { status: ['confirmed'] },
      'This must be one of these strings: confirmed, tentative, cancelled. A list was sent.',
    ],
    [
      { created: 5 },
      'DateTime must be a string: an RFC 3339 time with an offset, such as 2026-05-04T09:30:00Z.',
    ],
    [
      { start: { date: ['2026-12-01'] } },
      'LocalDate must be a string: a day that exists, in the form yyyy-mm-dd, such as 2026-05-04. A list was sent.',
    ],
  ])('%j gets a message with the required kind', async (body, message) => {
    const { errors } = await gateway.patch('meeting', body);
    expect(errors?.map((error) => error.message)).toEqual([message]);
  });
});

describe('an insert with an existing id or iCalUID', () => {
  const gateway = useEventGateway();
  const id = 'standup';
  const restoreHint = 'To restore it, patch the event standup with status "confirmed"';
  const insertMessages = async (body: object, controls?: Controls): Promise<string[]> => {
    const { errors, problems } = await gateway.insert({ ...zonedHour, ...body }, controls);
    expect(problems).toEqual([`CONFLICT event.${Object.keys(body).join()} duplicate`]);
    return errors?.map(({ message }) => message) ?? [];
  };

  test('of a cancelled event says how to restore it', async () => {
    const { iCalUID } = await gateway.makeEvent({ id });
    expect(await insertMessages({ id })).toEqual([
      'The calendar has an event with this id. Leave id out to get a new one.',
    ]);
    await gateway.changeEvent(id, { status: 'cancelled' });
    expect(await insertMessages({ id })).toEqual([
      `The calendar has a cancelled event with this id. ${restoreHint}; to get a new one, leave id out.`,
    ]);
    expect(await insertMessages({ iCalUID }, { as: wanda, calendarId: alice })).toEqual([
      `The calendar has a cancelled event with this iCalUID. ${restoreHint}; to get a new one, leave iCalUID out.`,
    ]);
    await gateway.changeEvent(id, { status: 'confirmed' });
    expect(await insertMessages({ iCalUID })).toEqual([
      'The calendar has an event with this iCalUID. Leave iCalUID out to get a new one.',
    ]);
  });

  test('of an event that a guest removed says how to restore it, unless the organizer cancelled it', async () => {
    const { iCalUID } = await gateway.makeEvent({ id: 'lunch', attendees: [{ email: bob }] });
    await gateway.changeEvent('lunch', { status: 'cancelled' }, { as: bob });
    const [message] = await insertMessages({ id: 'lunch' }, { as: bob });
    expect(message).toContain('To restore it, patch the event lunch with status "confirmed";');
    await gateway.changeEvent('lunch', { status: 'cancelled' });
    expect(await insertMessages({ id: 'lunch' }, { as: bob })).toEqual([
      'The calendar has a cancelled event with this id, which only its organizer can restore. Leave id out to get a new one.',
    ]);
    // Guests do not see the iCalUID of such an event.
    expect(await insertMessages({ iCalUID }, { as: bob })).toEqual([
      'The calendar has an event with this iCalUID. Leave iCalUID out to get a new one.',
    ]);
  });
});

describe('an unknown name', () => {
  const patch =
    'mutation ($event: EventInput!) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) { id } }';
  const listQuery = (args: string, selection = 'nodes { id }'): string =>
    `{ events(calendarId: "primary"${args}) { ${selection} } }`;
  /** Document, expected message, suggested names, and event of the patch. */
  const requests: [string, string, string, event?: object][] = [
    ['{ evnts { id } }', 'Cannot query field "evnts" on type "Query".', '"events" or "event"'],
    ['{ evnts { constructor } }', 'Cannot query field "evnts" on type "Query".', '"events" or "event"'],
    [
      listQuery('', 'nodes { id { toString } }'),
      'Field "id" must not have a selection since type "ID!" has no subfields.',
      '',
    ],
    [patch, 'EventInput has no field sumary.', '"summary" or "start"', { sumary: 'x' }],
    [patch, 'EventTimeInput has no field datetime.', '"dateTime" or "date"', { start: { datetime: 'x' } }],
    [patch, 'EventInput has no field pageToken.', '', { pageToken: 'x' }],
    [listQuery(', firts: 5'), 'Unknown argument "firts" on field "Query.events".', '"first"'],
    [listQuery(', maxResults: 5'), 'Unknown argument "maxResults" on field "Query.events".', '"first"'],
    [listQuery(', pageToken: "x"'), 'Unknown argument "pageToken" on field "Query.events".', '"after"'],
    [listQuery('', 'items { id }'), 'Cannot query field "items" on type "EventConnection".', '"nodes"'],
    [
      listQuery('', 'nextPageToken'),
      'Cannot query field "nextPageToken" on type "EventConnection".',
      '"pageInfo"',
    ],
  ];
  const expectMessages = async (
    INTROSPECTION: string,
    as: string | null,
    rows: typeof requests,
    isSuggested: boolean,
  ) => {
    const gateway = await startGateway({ INTROSPECTION });
    for (const [document, message, suggestion, event] of rows) {
      const { errors } = await gateway.ask(document, { event }, { as });
      const suggestionText = isSuggested && suggestion !== '' ? ` Did you mean ${suggestion}?` : '';
      expect(errors?.map((error) => error.message)).toEqual([message + suggestionText]);
    }
    await gateway.close();
  };

  test.each([
    ['open', alice],
    ['authenticated', alice],
    ['open', null],
  ])('suggests similar names with INTROSPECTION %s for %s', (introspection, as) =>
    expectMessages(introspection, as, as === null ? requests.slice(0, 1) : requests, /* isSuggested */ true),
  );

  test.each([
    ['off', alice],
    ['authenticated', null],
  ])('suggests nothing with INTROSPECTION %s for %s', (introspection, as) =>
    expectMessages(introspection, as, as === null ? requests.slice(0, 1) : requests, /* isSuggested */ false),
  );
});

describe('messages of HTTP and REST name the remedy', () => {
  const rest = useRest();
  const messageOf = async (request: string, headers: Record<string, string> = {}, body?: string) =>
    (await rest.withHeaders(headers).send(request, body)).json.error.errors[0].message as string;

  test('the charset utf8 instead of utf-8', async () => {
    const headers = { 'content-type': 'application/json; charset=utf8' };
    expect(await messageOf('POST /calendar/v3/calendars/primary/events', headers, '{}')).toBe(
      'The charset of the Content-Type is written utf-8.',
    );
  });

  test('an unencoded + in a query', async () => {
    expect(
      await messageOf('GET /calendar/v3/calendars/primary/events?timeMin=2026-01-01T00:00:00+01:00'),
    ).toBe('timeMin: A + in a query means a space: write %2B before the offset of this time.');
  });
});
