import {
  alice,
  berlin,
  bob,
  carol,
  day,
  entryOf,
  eve,
  popup,
  rita,
  type Shown,
  startEvents,
  useEvents,
  zoned,
} from '../event/event.harness.ts';
import { anyList, daily, guests, nth, removal } from '../event/list.harness.ts';

describe('lists and calendars', () => {
  const gateway = useEvents();
  const found = async (variables: object, as = alice, calendarId = alice): Promise<string[]> => {
    const { nodes } = (await gateway.run(anyList, { calendarId, ...variables }, as)).event;
    return nodes.map(({ summary }: Shown) => summary);
  };

  test('search finds what the caller sees, whatever its case, and nothing hidden', async () => {
    const extendedProperties = { private: { k: 'a=b' }, shared: { s: '1' } };
    await gateway.make({ summary: 'Alpha', description: 'Öffentlich', extendedProperties });
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

  test.each([
    ['its words in another order', 'plan launch', true],
    ['words of several texts', 'launch STRASSE bob', true],
    ['the same word twice', 'launch launch', true],
    ['part of a word', 'aunc', true],
    ['other white space', '\tlaunch\u00a0\n plan ', true],
    ['ss for ß', 'hauptstrasse', true],
    ['ß for ss', 'paßwort', true],
    ['composed letters', 'caf\u00e9', true],
    ['letters in pieces', 'cafe\u0301', true],
    ['white space alone', ' \t', true],
    ['one word that is not there', 'launch plan party', false],
    ['its words as one', 'launchplan', false],
  ])('search by %s', async (_title, q, isFound) => {
    const description = 'Passwort in the cafe\u0301';
    await gateway.make({ summary: 'Launch plan', location: 'Hauptstraße 1', description, ...guests(bob) });
    expect((await found({ q })).includes('Launch plan')).toBe(isFound);
  });

  test('an extended property is found by its name, though that holds an equals sign', async () => {
    const extendedProperties = { private: { 'a=b': 'c=d', e: '' } };
    await gateway.make({ summary: 'Odd', extendedProperties });
    expect(await found({ private: ['a=b=c=d'] })).toEqual(['Odd']);
    expect(await found({ private: ['a=b=c=d', 'e='] })).toEqual(['Odd']);
    for (const property of ['a=b', 'a=b=c', 'a=b=c=d=', '=c=d'])
      expect(await found({ private: [property] })).toEqual([]);
  });

  test('a calendar is found by its id in another letter case, and freeBusy says it as it was asked', async () => {
    const other = alice.toUpperCase();
    const { id } = await gateway.make({ summary: 'Lettercase' });
    expect(await found({ q: 'lettercase' }, alice, other)).toEqual(['Lettercase']);
    const patch = `mutation ($calendarId: String!, $eventId: String!) {
      result: patchEvent(calendarId: $calendarId, eventId: $eventId, event: { summary: "There" }) { summary } }`;
    expect((await gateway.run(patch, { calendarId: other, eventId: id })).event).toEqual({
      summary: 'There',
    });
    const busy = `query ($calendarIds: [String!]!) { result: freeBusy(timeMin: "2026-01-01T00:00:00Z",
      timeMax: "2026-01-02T00:00:00Z", calendarIds: $calendarIds) { calendarId error { reason } } }`;
    const calendarIds = [other, alice, 'NOBODY@example.com'];
    expect((await gateway.run(busy, { calendarIds })).event).toEqual([
      { calendarId: other, error: null },
      { calendarId: alice, error: null },
      { calendarId: 'NOBODY@example.com', error: { reason: 'notFound' } },
    ]);
  });

  test('search finds an instance by what it alone says, and the others by what their series says', async () => {
    const { id, iCalUID } = await gateway.make({ ...daily, summary: 'Series' });
    await gateway.change(nth(id, 2), { summary: 'Unlike all others' });
    expect(await found({ singleEvents: true, iCalUID, q: 'UNLIKE' })).toEqual(['Unlike all others']);
    expect(await found({ singleEvents: true, iCalUID, q: 'series' })).toEqual(['Series', 'Series', 'Series']);
  });

  test('an instance may have what its series lacks, lack what it has, and keep reminders of its own', async () => {
    const { id } = await gateway.make({ ...daily, summary: 'Series', location: 'Room 3' });
    const [first, second] = [nth(id, 1), nth(id, 2)];
    const reminders = { useDefault: false, overrides: [popup(5)] };
    await gateway.change(first, { location: null, ...guests(bob), reminders });
    await gateway.change(id, { location: 'Room 4', ...guests(eve) });
    const own = { summary: 'Series', location: null, attendees: [{ email: bob }], reminders };
    expect(await gateway.on(alice, first)).toMatchObject(own);
    await gateway.change(second, { attendees: null });
    const other = { location: 'Room 4', attendees: null, reminders: { useDefault: true } };
    expect(await gateway.on(alice, second)).toMatchObject(other);
  });

  test('an answer to one occurrence says how many come along, and a length of half a second is one of each instance', async () => {
    const half = { ...zoned.end, dateTime: '2026-12-01T11:00:00.500+01:00' };
    const { id } = await gateway.make({ ...daily, end: half, ...guests(bob) });
    const answer = { responseStatus: 'accepted', additionalGuests: 2 };
    const body = { attendeesOmitted: true, attendees: [{ email: bob, ...answer }] };
    await gateway.change(nth(id, 2), body, { as: bob });
    const event = await gateway.on(alice, nth(id, 2));
    expect(entryOf(event, bob)).toMatchObject(answer);
    expect(event.end).toEqual({ ...half, date: null, dateTime: '2026-12-02T11:00:00.500+01:00' });
  });

  test('a changed day of an all-day series is found where it was and where it is', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    const { id, iCalUID } = await gateway.make({ ...day, summary: 'Day', recurrence });
    const moved = { start: { date: '2026-12-20' }, end: { date: '2026-12-21' } };
    await gateway.change(`${id}_20261202`, { summary: 'Moved day', ...moved });
    const days = (from: string, to: string) => {
      const [timeMin, timeMax] = [from, to].map((date) => `2026-12-${date}T00:00:00+01:00`);
      return found({ singleEvents: true, orderBy: 'startTime', iCalUID, timeMin, timeMax });
    };
    expect(await days('01', '04')).toEqual(['Day', 'Day']);
    expect(await days('02', '03')).toEqual([]);
    expect(await days('20', '21')).toEqual(['Moved day']);
    expect(await days('01', '31')).toEqual(['Day', 'Day', 'Moved day']);
  });

  const timeOn20th = ['10', '11'].map((hour) => ({ dateTime: `2026-11-20T${hour}:00:00+01:00`, date: null }));
  const day20th = ['20', '21'].map((date) => ({ date: `2026-11-${date}`, dateTime: null }));
  test.each([
    ['a day', zoned, '20261202T090000Z', day20th],
    ['a time', day, '20261202', timeOn20th],
  ])('an instance that is %s before its series is found', async (_kind, times, original, [start, end]) => {
    const { id, iCalUID } = await gateway.make({ ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    await gateway.change(`${id}_${original}`, { summary: 'Moved', start, end });
    const range = { timeMin: '2026-11-20T00:00:00+01:00', timeMax: '2026-11-21T00:00:00+01:00' };
    for (const singleEvents of [true, false])
      expect(await found({ singleEvents, iCalUID, ...range })).toEqual(['Moved']);
  });

  test('a day is one of the calendar, whatever zone stands beside it', async () => {
    const timeZone = 'America/New_York';
    const times = { start: { ...day.start, timeZone }, end: { ...day.end, timeZone } };
    const { iCalUID } = await gateway.make({ ...times, summary: 'Day' });
    const days = (from: string, to: string) =>
      found({ iCalUID, timeMin: `2026-${from}+01:00`, timeMax: `2026-${to}+01:00` });
    expect(await days('11-30T23:00:00', '12-01T00:01:00')).toEqual(['Day']);
    expect(await days('12-02T00:00:00', '12-02T12:00:00')).toEqual([]);
  });

  test('arguments that do not go together are told by name', async () => {
    const refused = async (variables: object, ...problems: string[]): Promise<void> =>
      expect((await gateway.run(anyList, { calendarId: alice, ...variables })).problems).toEqual(
        problems.map((name) => `BAD_USER_INPUT ${name} invalid`),
      );
    await refused({ orderBy: 'startTime' }, 'orderBy');
    const timeMin = '2026-01-02T00:00:00Z';
    await refused({ timeMin, timeMax: timeMin }, 'timeMax');
    await refused({ private: ['no sign'] }, 'privateExtendedProperty.0');
    const { nextSyncToken: syncToken } = (await gateway.run(anyList, { calendarId: alice })).event;
    await refused({ syncToken, q: 'x', timeMin, iCalUID: 'u' }, 'timeMin', 'q', 'iCalUID');
    await refused({ syncToken, singleEvents: true }, 'syncToken');
  });

  test('calendars are those the caller may see, their own first; reminders are for writers', async () => {
    const all =
      '{ result: calendars { id accessRole primary timeZone defaultReminders { method minutes } } }';
    const own = { accessRole: 'owner', primary: true };
    expect((await gateway.run(all, {}, bob)).event).toEqual([
      { id: bob, ...own, timeZone: berlin, defaultReminders: [popup(10)] },
    ]);
    const read = { accessRole: 'reader', primary: false, defaultReminders: null };
    expect((await gateway.run(all, {}, rita)).event).toMatchObject([
      { id: rita, ...own, defaultReminders: [] },
      ...[alice, bob, carol].map((id) => ({ id, ...read })),
    ]);
    expect((await gateway.run(all, {}, 'no address')).event).toEqual([]);
    const one = (id: string) =>
      gateway.run(`{ result: calendar(calendarId: "${id}") { id primary accessRole } }`, {}, bob);
    expect((await one('primary')).event).toEqual({ id: bob, ...own });
    expect((await one(alice)).problems).toEqual(['NOT_FOUND calendarId notFound']);
  });

  test('of several of their own the one that bears their address is primary, and the others come next', async () => {
    const acl = [{ email: alice, role: 'reader' }];
    const of = (id: string, owner = alice) => ({ id, owner, timeZone: berlin, acl });
    const projects = 'projects@example.com';
    const other = await startEvents({
      seed: { calendars: [of(bob, bob), of(projects), of(carol, carol), of(alice)] },
    });
    const { event } = await other.run('{ result: calendars { id primary } }', {});
    await other.close();
    expect(event).toEqual([alice, projects, bob, carol].map((id) => ({ id, primary: id === alice })));
  });

  test('a deletion depends on ifMatch, also a second time, and tells the guests', async () => {
    const event = await gateway.make(guests(bob, eve));
    const drop = (ifMatch?: string) =>
      gateway.run(removal, { calendarId: alice, eventId: event.id, ifMatch, sendUpdates: 'all' });
    const notMet = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
    expect((await drop('"old"')).problems).toEqual(notMet);
    expect(await drop(event.etag)).toMatchObject({ event: true, told: 2 });
    expect((await drop(event.etag)).problems).toEqual(notMet);
    expect(await drop('*')).toMatchObject({ event: true, told: 0 });
    const { problems } = await gateway.run(removal, { calendarId: alice, eventId: 'nothere' });
    expect(problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  test('a nodeId is the same for every caller and another on every calendar; one that differs is ignored with a warning', async () => {
    const event = await gateway.make(guests(bob));
    const [own, others] = [await gateway.on(alice, event.id, rita), await gateway.on(bob, event.id)];
    expect([own.nodeId, others.nodeId === event.nodeId]).toEqual([event.nodeId, false]);
    const { problems, notes } = await gateway.patch(event.id, { nodeId: others.nodeId });
    expect([problems, notes]).toEqual([[], ['event.nodeId readOnly']]);
  });
});
