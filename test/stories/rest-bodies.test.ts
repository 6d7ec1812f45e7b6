import { people, startEvents, type EventGateway } from '../event/event.harness.ts';

const alarm = (method: string, minutes: number) => ({ method, minutes });
/** A body as it was read from another server, with its read-only fields and identifiers. */
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

describe('bodies as clients of public calendar APIs send them:', () => {
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
      reminders: { useDefault: false, overrides: [alarm('email', 24 * 60), alarm('popup', 10)] },
    };
    const { event, problems, notes } = await gateway.insert(body);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(event).toMatchObject({
      ...body,
      start: { ...body.start, dateTime: '2026-05-28T09:00:00-07:00' },
      end: { ...body.end, dateTime: '2026-05-28T17:00:00-07:00' },
    });
    const byDefault = await gateway.insert({ ...body, reminders: { useDefault: true } });
    expect(byDefault.event.reminders).toEqual({ useDefault: true, overrides: null });
    const empty = await gateway.insert({ ...body, reminders: { useDefault: true, overrides: [] } });
    expect(empty.problems).toEqual([]);
  });

  test('a copy of an event that was read: read-only fields give warnings, nothing else stands in the way', async () => {
    const { iCalUID, ...body } = read;
    const { event, problems, notes } = await gateway.insert(body);
    expect(problems).toEqual([]);
    const ignored = ['created', 'creator', 'etag', 'htmlLink', 'organizer', 'updated'];
    expect([...notes].sort()).toEqual(ignored.map((name) => `event.${name} readOnly`));
    const { summary, extendedProperties, reminders } = read;
    expect(event).toMatchObject({ summary, extendedProperties, reminders });
    expect(event.iCalUID).not.toBe(iCalUID);
  });

  test('an update from a body that is older: what is read-only gives warnings, the rest is applied', async () => {
    const { event, notes } = await gateway.patch('planning', { ...read, summary: 'Planning, moved' });
    expect([...notes].sort()).toEqual(['event.etag readOnly', 'event.htmlLink readOnly']);
    const attendees = [{ email: 'Bob@Example.com' }, { self: true }, { resource: true }];
    expect(event).toMatchObject({ summary: 'Planning, moved', attendees });
  });
});
