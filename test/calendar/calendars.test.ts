import {
  alice,
  bob,
  carol,
  entryOf,
  eve,
  people,
  popup,
  rita,
  startEvents,
  zoned,
  type EventGateway,
  type Shown,
} from '../event/event.harness.ts';

const berlin = 'Europe/Berlin';
const list = `query ($calendarId: String!, $timeMin: DateTime, $timeMax: DateTime, $singleEvents: Boolean, $orderBy: EventOrder, $q: String,
  $iCalUID: String, $private: [String!], $shared: [String!], $showDeleted: Boolean, $syncToken: String, $first: Int, $after: String) {
  result: events(calendarId: $calendarId, timeMin: $timeMin, timeMax: $timeMax, singleEvents: $singleEvents, orderBy: $orderBy, q: $q, iCalUID: $iCalUID,
    privateExtendedProperty: $private, sharedExtendedProperty: $shared, showDeleted: $showDeleted, syncToken: $syncToken, first: $first, after: $after) {
    nodes { id status summary recurringEventId start { dateTime date } } pageInfo { hasNextPage endCursor } nextSyncToken } }`;
const remove = `mutation ($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {
  result: deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) }`;

describe('lists and calendars', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents({ seed: { calendars: people() } });
  });
  afterAll(() => gateway.close());
  const found = async (variables: object, as = alice, calendarId = alice): Promise<string[]> =>
    (await gateway.run(list, { calendarId, ...variables }, as)).event.nodes.map(
      ({ summary }: Shown) => summary,
    );

  test('search finds what the caller sees, whatever its case, and nothing hidden', async () => {
    await gateway.make({
      summary: 'Alpha',
      description: 'Öffentlich',
      extendedProperties: { private: { k: 'a=b' }, shared: { s: '1' } },
    });
    await gateway.make({ summary: 'Beta', visibility: 'private', location: 'öffentlich' });
    await gateway.make({
      summary: 'Gamma',
      guestsCanSeeOtherGuests: false,
      attendees: [{ email: bob }, { email: eve, displayName: 'Evelyn' }],
    });
    expect(await found({ q: 'ÖFFENT' })).toEqual(['Alpha', 'Beta']);
    expect(await found({ q: 'öffent' }, rita)).toEqual(['Alpha']);
    expect(await found({ q: 'evelyn' })).toEqual(['Gamma']);
    expect(await found({ q: 'evelyn' }, bob, bob)).toEqual([]);
    expect(await found({ private: ['k=a=b'], shared: ['s=1'] })).toEqual(['Alpha']);
    expect(await found({ private: ['k=a=b', 's=1'] })).toEqual([]);
  });

  test('search finds an instance by what it alone says, and the others by what their series says', async () => {
    const { id, iCalUID } = await gateway.make({
      ...zoned,
      summary: 'Series',
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    await gateway.change(`${id}_20261202T090000Z`, { summary: 'Unlike all others' });
    expect(await found({ singleEvents: true, iCalUID, q: 'UNLIKE' })).toEqual(['Unlike all others']);
    expect(await found({ singleEvents: true, iCalUID, q: 'series' })).toEqual(['Series', 'Series']);
  });

  test('an instance may have what its series lacks, lack what it has, and keep reminders of its own', async () => {
    const { id } = await gateway.make({
      ...zoned,
      summary: 'Series',
      location: 'Room 3',
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const [first, second] = ['01', '02'].map((day) => `${id}_202612${day}T090000Z`) as [string, string];
    const overrides = [popup(5)];
    await gateway.change(first, {
      location: null,
      attendees: [{ email: bob }],
      reminders: { useDefault: false, overrides },
    });
    await gateway.change(id, { location: 'Room 4', attendees: [{ email: eve }] });
    expect(await gateway.on(alice, first)).toMatchObject({
      summary: 'Series',
      location: null,
      attendees: [{ email: bob }],
      reminders: { useDefault: false, overrides },
    });
    await gateway.change(second, { attendees: null });
    expect(await gateway.on(alice, second)).toMatchObject({
      location: 'Room 4',
      attendees: null,
      reminders: { useDefault: true },
    });
  });

  test('an answer to one occurrence says how many come along, and a length of half a second is one of each instance', async () => {
    const half = { ...zoned.end, dateTime: '2026-12-01T11:00:00.500+01:00' };
    const { id } = await gateway.make({
      ...zoned,
      end: half,
      attendees: [{ email: bob }],
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const second = `${id}_20261202T090000Z`;
    await gateway.change(
      second,
      {
        attendeesOmitted: true,
        attendees: [{ email: bob, responseStatus: 'accepted', additionalGuests: 2 }],
      },
      { as: bob },
    );
    expect(entryOf(await gateway.on(alice, second), bob)).toMatchObject({
      responseStatus: 'accepted',
      additionalGuests: 2,
    });
    expect((await gateway.on(alice, second)).end).toEqual({
      ...half,
      date: null,
      dateTime: '2026-12-02T11:00:00.500+01:00',
    });
  });

  test('a changed day of an all-day series is found where it was and where it is', async () => {
    const { id, iCalUID } = await gateway.make({
      start: { date: '2026-12-01' },
      end: { date: '2026-12-02' },
      summary: 'Day',
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    await gateway.change(`${id}_20261202`, {
      summary: 'Moved day',
      start: { date: '2026-12-20' },
      end: { date: '2026-12-21' },
    });
    const days = (timeMin: string, timeMax: string) =>
      found({
        singleEvents: true,
        orderBy: 'startTime',
        iCalUID,
        timeMin: `2026-12-${timeMin}T00:00:00+01:00`,
        timeMax: `2026-12-${timeMax}T00:00:00+01:00`,
      });
    expect([
      await days('01', '04'),
      await days('02', '03'),
      await days('20', '21'),
      await days('01', '31'),
    ]).toEqual([['Day', 'Day'], [], ['Moved day'], ['Day', 'Day', 'Moved day']]);
  });

  const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
  test.each<[string, object, string, object]>([
    [
      'a day',
      zoned,
      '20261202T090000Z',
      { start: { date: '2026-11-20', dateTime: null }, end: { date: '2026-11-21', dateTime: null } },
    ],
    [
      'a time',
      day,
      '20261202',
      {
        start: { date: null, dateTime: '2026-11-20T10:00:00+01:00' },
        end: { date: null, dateTime: '2026-11-20T11:00:00+01:00' },
      },
    ],
  ])(
    'an instance that becomes %s, and before its series begins, is found there',
    async (_kind, times, original, moved) => {
      const { id, iCalUID } = await gateway.make({ ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      await gateway.change(`${id}_${original}`, { summary: 'Moved', ...moved });
      for (const singleEvents of [true, false]) {
        expect(
          await found({
            singleEvents,
            iCalUID,
            timeMin: '2026-11-20T00:00:00+01:00',
            timeMax: '2026-11-21T00:00:00+01:00',
          }),
        ).toEqual(['Moved']);
      }
    },
  );

  test('a day is one of the calendar, whatever zone stands beside it', async () => {
    const zone = 'America/New_York';
    const { iCalUID } = await gateway.make({
      start: { ...day.start, timeZone: zone },
      end: { ...day.end, timeZone: zone },
      summary: 'Day',
    });
    const days = (timeMin: string, timeMax: string) =>
      found({ iCalUID, timeMin: `2026-${timeMin}+01:00`, timeMax: `2026-${timeMax}+01:00` });
    expect([
      await days('11-30T23:00:00', '12-01T00:01:00'),
      await days('12-02T00:00:00', '12-02T12:00:00'),
    ]).toEqual([['Day'], []]);
  });

  test('arguments that do not go together are told by name', async () => {
    const problems = async (variables: object) =>
      (await gateway.run(list, { calendarId: alice, ...variables })).problems;
    expect(await problems({ orderBy: 'startTime' })).toEqual(['BAD_USER_INPUT orderBy invalid']);
    expect(await problems({ timeMin: '2026-01-02T00:00:00Z', timeMax: '2026-01-02T00:00:00Z' })).toEqual([
      'BAD_USER_INPUT timeMax invalid',
    ]);
    expect(await problems({ private: ['no sign'] })).toEqual([
      'BAD_USER_INPUT privateExtendedProperty.0 invalid',
    ]);
    const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: alice })).event;
    expect(await problems({ syncToken, q: 'x', timeMin: '2026-01-02T00:00:00Z', iCalUID: 'u' })).toEqual(
      ['timeMin', 'q', 'iCalUID'].map((name) => `BAD_USER_INPUT ${name} invalid`),
    );
    expect(await problems({ syncToken, singleEvents: true })).toEqual(['BAD_USER_INPUT syncToken invalid']);
  });

  test('calendars are those the caller may see, their own first; reminders are for writers', async () => {
    const ask = (as: string) =>
      gateway.run(
        '{ result: calendars { id timeZone accessRole primary defaultReminders { method minutes } } }',
        {},
        as,
      );
    const reminders = [{ method: 'popup', minutes: 10 }];
    expect((await ask(bob)).event).toEqual([
      { id: bob, timeZone: berlin, accessRole: 'owner', primary: true, defaultReminders: reminders },
    ]);
    expect(
      (await ask(rita)).event.map(({ id, accessRole, primary, defaultReminders }: Shown) => [
        id,
        accessRole,
        primary,
        defaultReminders,
      ]),
    ).toEqual([[rita, 'owner', true, []], ...[alice, bob, carol].map((id) => [id, 'reader', false, null])]);
    expect((await ask('no address')).event).toEqual([]);
    const one = (calendarId: string, as: string) =>
      gateway.run(
        'query ($calendarId: String!) { result: calendar(calendarId: $calendarId) { id primary accessRole } }',
        { calendarId },
        as,
      );
    expect((await one('primary', bob)).event).toEqual({ id: bob, primary: true, accessRole: 'owner' });
    expect((await one(alice, bob)).problems).toEqual(['NOT_FOUND calendarId notFound']);
  });

  test('of several of their own the one that bears their address is primary, and the others come next', async () => {
    const own = (id: string, owner = alice) => ({
      id,
      owner,
      timeZone: berlin,
      acl: [{ email: alice, role: 'reader' }],
    });
    const other = await startEvents({
      seed: { calendars: [own(bob, bob), own('projects@example.com'), own(carol, carol), own(alice)] },
    });
    const { event } = await other.run('{ result: calendars { id primary } }', {});
    await other.close();
    expect(event.map(({ id, primary }: Shown) => [id, primary])).toEqual([
      [alice, true],
      ['projects@example.com', false],
      [bob, false],
      [carol, false],
    ]);
  });

  test('a deletion depends on ifMatch, also a second time, and tells the guests', async () => {
    const event = await gateway.make({ attendees: [{ email: bob }, { email: eve }] });
    const drop = (ifMatch?: string) =>
      gateway.run(remove, { calendarId: alice, eventId: event.id, ifMatch, sendUpdates: 'all' });
    expect((await drop('"old"')).problems).toEqual(['PRECONDITION_FAILED ifMatch conditionNotMet']);
    expect(await drop(event.etag)).toMatchObject({ event: true, told: 2 });
    expect((await drop(event.etag)).problems).toEqual(['PRECONDITION_FAILED ifMatch conditionNotMet']);
    expect(await drop('*')).toMatchObject({ event: true, told: 0 });
    expect((await gateway.run(remove, { calendarId: alice, eventId: 'nothere' })).problems).toEqual([
      'NOT_FOUND eventId notFound',
    ]);
  });

  test('a nodeId is the same for every caller and another on every calendar; one that differs is ignored with a warning', async () => {
    const event = await gateway.make({ attendees: [{ email: bob }] });
    const [own, others] = [await gateway.on(alice, event.id, rita), await gateway.on(bob, event.id)];
    expect([own.nodeId, others.nodeId === event.nodeId]).toEqual([event.nodeId, false]);
    expect(await gateway.patch(event.id, { nodeId: others.nodeId })).toMatchObject({
      problems: [],
      notes: ['event.nodeId readOnly'],
    });
  });
});
