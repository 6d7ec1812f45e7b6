import {
  alice,
  berlin,
  bob,
  documents,
  hour,
  people,
  startEvents,
  type EventGateway,
} from '../event/event.harness.ts';

/**
 * Bodies as clients of public calendar APIs send them, used as variables as they are.
 * `stays` is a body as it was read somewhere else: read-only fields, identifiers and all.
 */
const read = {
  kind: 'calendar#event',
  etag: '"3181161784712000"',
  status: 'confirmed',
  htmlLink: 'https://www.example.com/calendar/event?eid=abc',
  created: '2026-05-01T12:00:00.000Z',
  updated: '2026-05-02T08:30:00.000Z',
  summary: 'Quarterly planning',
  description: 'Agenda:\n1. Numbers\n2. Plans <b>2027</b>',
  location: 'Marienplatz 1, 80331 München, Germany',
  creator: { email: 'alice@example.com', displayName: 'Alice', self: true },
  organizer: { email: 'alice@example.com', displayName: 'Alice', self: true },
  start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-01T11:30:00+01:00', timeZone: 'Europe/Berlin' },
  iCalUID: 'q4planning@example.com',
  sequence: 0,
  attendees: [
    { email: 'Bob@Example.com', displayName: 'Bob', responseStatus: 'needsAction' },
    { email: 'alice@example.com', organizer: true, self: true, responseStatus: 'accepted' },
    { email: 'room-3@resource.example', displayName: 'Room 3', resource: true, responseStatus: 'accepted' },
  ],
  guestsCanModify: true,
  reminders: { useDefault: true },
  extendedProperties: { private: { crmId: '00Q5e' }, shared: { project: 'Ψ-7' } },
};

describe('REST bodies as variables', () => {
  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await startEvents({ seed: { calendars: people([{ id: 'planning', ...read }]) } });
  });
  afterEach(() => gateway.close());

  test('an insert: times without offset, a zone, guests, the default reminders', async () => {
    const body = {
      summary: 'Dinner',
      location: '800 Howard St., San Francisco, CA 94103',
      start: { dateTime: '2026-05-28T09:00:00', timeZone: 'America/Los_Angeles' },
      end: { dateTime: '2026-05-28T17:00:00', timeZone: 'America/Los_Angeles' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
      attendees: [{ email: 'lpage@example.com' }, { email: 'sbrin@example.com' }],
      reminders: {
        useDefault: false,
        overrides: [
          { method: 'email', minutes: 24 * 60 },
          { method: 'popup', minutes: 10 },
        ],
      },
    };
    const { event, problems, notes } = await gateway.insert(body);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    const shown = {
      start: { dateTime: '2026-05-28T09:00:00-07:00' },
      end: { dateTime: '2026-05-28T17:00:00-07:00' },
    };
    expect(event).toMatchObject({
      ...body,
      start: { ...body.start, ...shown.start },
      end: { ...body.end, ...shown.end },
    });
    expect((await gateway.insert({ ...body, reminders: { useDefault: true } })).event.reminders).toEqual({
      useDefault: true,
      overrides: null,
    });
    expect(
      (await gateway.insert({ ...body, reminders: { useDefault: true, overrides: [] } })).problems,
    ).toEqual([]);
  });

  test('a copy of an event that was read: read-only fields give warnings, nothing else stands in the way', async () => {
    const { iCalUID, ...body } = read;
    const { event, problems, notes } = await gateway.insert(body);
    expect(problems).toEqual([]);
    expect([...notes].sort()).toEqual([
      'event.created readOnly',
      'event.creator readOnly',
      'event.etag readOnly',
      'event.htmlLink readOnly',
      'event.organizer readOnly',
      'event.updated readOnly',
    ]);
    expect(event).toMatchObject({
      summary: read.summary,
      extendedProperties: read.extendedProperties,
      reminders: { useDefault: true },
    });
    expect(event.iCalUID).not.toBe(iCalUID);
  });

  test('an update: read, one field changed, the whole body sent back', async () => {
    const { event } = await gateway.read('planning');
    const changed = await gateway.patch(
      'planning',
      { ...event, location: 'Room 5' },
      { ifMatch: event.etag },
    );
    expect({ problems: changed.problems, notes: changed.notes }).toEqual({ problems: [], notes: [] });
    const { etag, updated } = changed.event;
    expect(changed.event).toEqual({ ...event, location: 'Room 5', etag, updated });
  });

  test('an update from a body that is older: what is read-only gives warnings, the rest is applied', async () => {
    const { event, notes } = await gateway.patch('planning', { ...read, summary: 'Planning, moved' });
    expect([...notes].sort()).toEqual(['event.etag readOnly', 'event.htmlLink readOnly']);
    expect(event).toMatchObject({
      summary: 'Planning, moved',
      attendees: [{ email: 'Bob@Example.com' }, { self: true }, { resource: true }],
    });
  });

  test('dragged to another time: start and end without offset, in the stored zone', async () => {
    const { event, problems } = await gateway.patch('planning', {
      start: { dateTime: '2026-12-02T14:00:00', timeZone: berlin },
      end: { dateTime: '2026-12-02T15:30:00', timeZone: berlin },
    });
    expect(problems).toEqual([]);
    expect(event).toMatchObject({
      start: { dateTime: '2026-12-02T14:00:00+01:00' },
      end: { dateTime: '2026-12-02T15:30:00+01:00' },
      sequence: 1,
    });
  });

  test('made all-day and timed again, with explicit nulls', async () => {
    const allDay = {
      start: { date: '2026-12-01', dateTime: null, timeZone: null },
      end: { date: '2026-12-02', dateTime: null, timeZone: null },
    };
    expect((await gateway.patch('planning', allDay)).event).toMatchObject(allDay);
    const timed = { start: { ...read.start, date: null }, end: { ...read.end, date: null } };
    expect((await gateway.patch('planning', timed)).event).toMatchObject(timed);
  });

  test('a guest accepts: the list as it was read, with the own entry changed and in another case', async () => {
    const { event } = await gateway.read('planning', { as: bob });
    const attendees = event.attendees.map((entry: { self: boolean }) =>
      entry.self ? { ...entry, email: 'BOB@example.com', responseStatus: 'accepted' } : entry,
    );
    const accepted = await gateway.patch('planning', { attendees }, { as: bob, sendUpdates: 'all' });
    expect({ problems: accepted.problems, notes: accepted.notes }).toEqual({ problems: [], notes: [] });
    expect((await gateway.read('planning')).event.attendees[0]).toMatchObject({
      responseStatus: 'accepted',
      displayName: 'Bob',
    });
  });

  test('a guest accepts with the own entry alone', async () => {
    const body = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
    expect((await gateway.patch('planning', body, { as: bob })).problems).toEqual([]);
    expect((await gateway.read('planning')).event.attendees).toMatchObject([
      { email: 'Bob@Example.com', responseStatus: 'accepted' },
      {},
      {},
    ]);
  });

  test('a guest sets reminders and a colour: on this copy only', async () => {
    const body = {
      colorId: '5',
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 3 }] },
    };
    expect((await gateway.patch('planning', body, { as: bob })).event).toMatchObject(body);
    expect((await gateway.read('planning')).event).toMatchObject({
      colorId: null,
      reminders: { useDefault: true },
    });
  });

  test('a call is added, and the body with it sent back', async () => {
    const conferenceData = {
      createRequest: { requestId: '7qxalsvy0e', conferenceSolutionKey: { type: 'hostedCall' } },
    };
    const added = await gateway.patch(
      'planning',
      { conferenceData },
      { conferenceDataVersion: 1, sendUpdates: 'all' },
    );
    expect(added.event.callLink).toMatch(/^https:/);
    const again = await gateway.patch('planning', added.event, {
      conferenceDataVersion: 1,
      supportsAttachments: true,
    });
    expect({ problems: again.problems, notes: again.notes, event: again.event }).toEqual({
      problems: [],
      notes: [],
      event: added.event,
    });
    const older = await gateway.patch('planning', added.event);
    expect({ notes: older.notes, event: older.event }).toEqual({ notes: [], event: added.event });
  });

  test('deleted and restored by status', async () => {
    expect((await gateway.patch('planning', { status: 'cancelled' })).event).toMatchObject({
      status: 'cancelled',
      summary: read.summary,
    });
    expect((await gateway.patch('planning', { status: 'confirmed' })).event).toMatchObject({
      status: 'confirmed',
      summary: read.summary,
      sequence: 2,
    });
  });

  test('the same through application/graphql-response+json', async () => {
    const variables = { calendarId: 'primary', eventId: 'planning', event: { ...hour, colorId: '12' } };
    const answer = await gateway.ask(documents.patch, variables, {
      as: alice,
      headers: { accept: 'application/graphql-response+json' },
    });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ result: null });
    expect(answer.errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      reason: 'invalid',
      issues: [{ path: ['event', 'colorId'] }],
    });
  });
});
