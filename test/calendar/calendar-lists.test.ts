import {
  alice,
  berlin,
  bob,
  carol,
  oneDay,
  guestEntryOf,
  eve,
  popupOverride,
  popupReminder,
  startEventGateway,
  useEventGateway,
  zonedHour,
  rita,
} from '../event/event.harness.ts';
import type { EventJson } from '../event/event.harness.ts';
import {
  anyListDocument,
  dailySeries,
  withGuests,
  instanceIdOn,
  deleteDocument,
} from '../event/list.harness.ts';

describe('lists and calendars', () => {
  const gateway = useEventGateway();
  const listSummaries = async (variables: object, as = alice, calendarId = alice): Promise<string[]> => {
    const { nodes } = (await gateway.run(anyListDocument, { calendarId, ...variables }, as)).event;
    return nodes.map(({ summary }: EventJson) => summary);
  };

  test('search ignores case and finds only texts that the caller may see', async () => {
    const extendedProperties = { private: { k: 'a=b' }, shared: { s: '1' } };
    await gateway.makeEvent({ summary: 'Alpha', description: 'Öffentlich', extendedProperties });
    await gateway.makeEvent({ summary: 'Beta', visibility: 'private', location: 'öffentlich' });
    const attendees = [{ email: bob }, { email: eve, displayName: 'Evelyn' }];
    await gateway.makeEvent({ summary: 'Gamma', guestsCanSeeOtherGuests: false, attendees });
    expect(await listSummaries({ q: 'ÖFFENT' })).toEqual(['Alpha', 'Beta']);
    expect(await listSummaries({ q: 'öffent' }, rita)).toEqual(['Alpha']);
    expect(await listSummaries({ q: 'evelyn' })).toEqual(['Gamma']);
    expect(await listSummaries({ q: 'evelyn' }, bob, bob)).toEqual([]);
    expect(await listSummaries({ private: ['k=a=b'], shared: ['s=1'] })).toEqual(['Alpha']);
    expect(await listSummaries({ private: ['k=a=b', 's=1'] })).toEqual([]);
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
    ['a word that is missing', 'launch plan party', false],
    ['its words as one', 'launchplan', false],
  ])('search by %s', async (_case, q, isFound) => {
    const texts = { location: 'Hauptstraße 1', description: 'Passwort in the cafe\u0301' };
    await gateway.makeEvent({ summary: 'Launch plan', ...texts, ...withGuests(bob) });
    expect((await listSummaries({ q })).includes('Launch plan')).toBe(isFound);
  });

  test('an extended property is found even if its name contains an equals sign', async () => {
    const extendedProperties = { private: { 'a=b': 'c=d', e: '' } };
    await gateway.makeEvent({ summary: 'Odd', extendedProperties });
    expect(await listSummaries({ private: ['a=b=c=d'] })).toEqual(['Odd']);
    expect(await listSummaries({ private: ['a=b=c=d', 'e='] })).toEqual(['Odd']);
    for (const property of ['a=b', 'a=b=c', 'a=b=c=d=', '=c=d'])
      expect(await listSummaries({ private: [property] })).toEqual([]);
  });

  test('a calendar id is case-insensitive, and freeBusy repeats it as it was sent', async () => {
    const upperCaseId = alice.toUpperCase();
    const { id } = await gateway.makeEvent({ summary: 'Lettercase' });
    expect(await listSummaries({ q: 'lettercase' }, alice, upperCaseId)).toEqual(['Lettercase']);
    const patchMutation = `mutation ($calendarId: String!, $eventId: String!) {
      result: patchEvent(calendarId: $calendarId, eventId: $eventId, event: { summary: "There" }) { summary } }`;
    const { event } = await gateway.run(patchMutation, { calendarId: upperCaseId, eventId: id });
    expect(event).toEqual({ summary: 'There' });
    const freeBusyQuery = `query ($calendarIds: [String!]!) { result: freeBusy(timeMin: "2026-01-01T00:00:00Z",
      timeMax: "2026-01-02T00:00:00Z", calendarIds: $calendarIds) { calendarId error { reason } } }`;
    const calendarIds = [upperCaseId, alice, 'NOBODY@example.com'];
    expect((await gateway.run(freeBusyQuery, { calendarIds })).event).toEqual([
      { calendarId: upperCaseId, error: null },
      { calendarId: alice, error: null },
      { calendarId: 'NOBODY@example.com', error: { reason: 'notFound' } },
    ]);
  });

  test('search finds an exception by its own texts, and other instances by those of the series', async () => {
    const { id, iCalUID } = await gateway.makeEvent({ ...dailySeries, summary: 'Series' });
    await gateway.changeEvent(instanceIdOn(id, 2), { summary: 'Unlike all others' });
    const search = (q: string) => listSummaries({ singleEvents: true, iCalUID, q });
    expect(await search('UNLIKE')).toEqual(['Unlike all others']);
    expect(await search('series')).toEqual(['Series', 'Series', 'Series']);
  });

  test('an instance may add and clear fields of its series, and have its own reminders', async () => {
    const { id } = await gateway.makeEvent({ ...dailySeries, summary: 'Series', location: 'Room 3' });
    const [firstId, secondId] = [instanceIdOn(id, 1), instanceIdOn(id, 2)];
    const reminders = popupReminder(5);
    await gateway.changeEvent(firstId, { location: null, ...withGuests(bob), reminders });
    await gateway.changeEvent(id, { location: 'Room 4', ...withGuests(eve) });
    const firstFields = { summary: 'Series', location: null, ...withGuests(bob), reminders };
    expect(await gateway.readOn(alice, firstId)).toMatchObject(firstFields);
    await gateway.changeEvent(secondId, { attendees: null });
    const secondFields = { location: 'Room 4', attendees: null, reminders: { useDefault: true } };
    expect(await gateway.readOn(alice, secondId)).toMatchObject(secondFields);
  });

  test('a response to one instance may include additionalGuests, and instances keep fractions of a second', async () => {
    const endWithFraction = { ...zonedHour.end, dateTime: '2026-12-01T11:00:00.500+01:00' };
    const { id } = await gateway.makeEvent({ ...dailySeries, end: endWithFraction, ...withGuests(bob) });
    const response = { responseStatus: 'accepted', additionalGuests: 2 };
    const body = { attendeesOmitted: true, attendees: [{ email: bob, ...response }] };
    await gateway.changeEvent(instanceIdOn(id, 2), body, { as: bob });
    const event = await gateway.readOn(alice, instanceIdOn(id, 2));
    expect(guestEntryOf(event, bob)).toMatchObject(response);
    expect(event.end).toEqual({ ...endWithFraction, date: null, dateTime: '2026-12-02T11:00:00.500+01:00' });
  });

  test('a moved all-day instance is found at its new day only', async () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    const { id, iCalUID } = await gateway.makeEvent({ ...oneDay, summary: 'Day', recurrence });
    const newTimes = { start: { date: '2026-12-20' }, end: { date: '2026-12-21' } };
    await gateway.changeEvent(`${id}_20261202`, { summary: 'Moved day', ...newTimes });
    const listOnDays = (from: string, to: string) => {
      const [timeMin, timeMax] = [from, to].map((date) => `2026-12-${date}T00:00:00+01:00`);
      return listSummaries({ singleEvents: true, orderBy: 'startTime', iCalUID, timeMin, timeMax });
    };
    expect(await listOnDays('01', '04')).toEqual(['Day', 'Day']);
    expect(await listOnDays('02', '03')).toEqual([]);
    expect(await listOnDays('20', '21')).toEqual(['Moved day']);
    expect(await listOnDays('01', '31')).toEqual(['Day', 'Day', 'Moved day']);
  });

  const timeOn20th = ['10', '11'].map((hour) => ({ dateTime: `2026-11-20T${hour}:00:00+01:00`, date: null }));
  const day20th = ['20', '21'].map((date) => ({ date: `2026-11-${date}`, dateTime: null }));
  test.each([
    ['a day', zonedHour, '20261202T090000Z', day20th],
    ['a time', oneDay, '20261202', timeOn20th],
  ])(
    'an instance that moved to %s before the start of its series is found',
    async (_kind, times, originalStart, [start, end]) => {
      const { id, iCalUID } = await gateway.makeEvent({ ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      await gateway.changeEvent(`${id}_${originalStart}`, { summary: 'Moved', start, end });
      const range = { timeMin: '2026-11-20T00:00:00+01:00', timeMax: '2026-11-21T00:00:00+01:00' };
      for (const singleEvents of [true, false])
        expect(await listSummaries({ singleEvents, iCalUID, ...range })).toEqual(['Moved']);
    },
  );

  test('an all-day event is in the zone of the calendar, whatever its timeZone', async () => {
    const timeZone = 'America/New_York';
    const times = { start: { ...oneDay.start, timeZone }, end: { ...oneDay.end, timeZone } };
    const { iCalUID } = await gateway.makeEvent({ ...times, summary: 'Day' });
    const listBetween = (from: string, to: string) =>
      listSummaries({ iCalUID, timeMin: `2026-${from}+01:00`, timeMax: `2026-${to}+01:00` });
    expect(await listBetween('11-30T23:00:00', '12-01T00:01:00')).toEqual(['Day']);
    expect(await listBetween('12-02T00:00:00', '12-02T12:00:00')).toEqual([]);
  });

  test('conflicting arguments are refused by name', async () => {
    const expectRefused = async (variables: object, ...problems: string[]): Promise<void> =>
      expect((await gateway.run(anyListDocument, { calendarId: alice, ...variables })).problems).toEqual(
        problems.map((name) => `BAD_USER_INPUT ${name} invalid`),
      );
    await expectRefused({ orderBy: 'startTime' }, 'orderBy');
    const timeMin = '2026-01-02T00:00:00Z';
    await expectRefused({ timeMin, timeMax: timeMin }, 'timeMax');
    await expectRefused({ private: ['no sign'] }, 'privateExtendedProperty.0');
    const { nextSyncToken: syncToken } = (await gateway.run(anyListDocument, { calendarId: alice })).event;
    await expectRefused({ syncToken, q: 'x', timeMin, iCalUID: 'u' }, 'timeMin', 'q', 'iCalUID');
    await expectRefused({ syncToken, singleEvents: true }, 'syncToken');
  });

  test('calendars lists those the caller may see, own ones first; only writers see reminders', async () => {
    const calendarsQuery =
      '{ result: calendars { id accessRole primary timeZone defaultReminders { method minutes } } }';
    const ownFields = { accessRole: 'owner', primary: true };
    expect((await gateway.run(calendarsQuery, {}, bob)).event).toEqual([
      { id: bob, ...ownFields, timeZone: berlin, defaultReminders: [popupOverride(10)] },
    ]);
    const readerFields = { accessRole: 'reader', primary: false, defaultReminders: null };
    expect((await gateway.run(calendarsQuery, {}, rita)).event).toMatchObject([
      { id: rita, ...ownFields, defaultReminders: [] },
      ...[alice, bob, carol].map((id) => ({ id, ...readerFields })),
    ]);
    expect((await gateway.run(calendarsQuery, {}, 'no address')).event).toEqual([]);
    const readCalendar = (id: string) =>
      gateway.run(`{ result: calendar(calendarId: "${id}") { id primary accessRole } }`, {}, bob);
    expect((await readCalendar('primary')).event).toEqual({ id: bob, ...ownFields });
    expect((await readCalendar(alice)).problems).toEqual(['NOT_FOUND calendarId notFound']);
  });

  test("the calendar with the caller's address is primary, and other own calendars come next", async () => {
    const acl = [{ email: alice, role: 'reader' }];
    const calendarOf = (id: string, owner = alice) => ({ id, owner, timeZone: berlin, acl });
    const projects = 'projects@example.com';
    const sharedCalendars = [bob, carol].map((owner) => calendarOf(owner, owner));
    const calendars = [...sharedCalendars, calendarOf(projects), calendarOf(alice)];
    const otherGateway = await startEventGateway({ seed: { calendars } });
    const { event } = await otherGateway.run('{ result: calendars { id primary } }', {});
    await otherGateway.close();
    expect(event).toEqual([alice, projects, bob, carol].map((id) => ({ id, primary: id === alice })));
  });

  test('a deletion checks ifMatch, also when repeated, and notifies guests', async () => {
    const event = await gateway.makeEvent(withGuests(bob, eve));
    const removeEvent = (ifMatch?: string) =>
      gateway.run(deleteDocument, { calendarId: alice, eventId: event.id, ifMatch, sendUpdates: 'all' });
    const notMet = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
    expect((await removeEvent('"old"')).problems).toEqual(notMet);
    expect(await removeEvent(event.etag)).toMatchObject({ event: true, notifiedCount: 2 });
    expect((await removeEvent(event.etag)).problems).toEqual(notMet);
    expect(await removeEvent('*')).toMatchObject({ event: true, notifiedCount: 0 });
    const { problems } = await gateway.run(deleteDocument, { calendarId: alice, eventId: 'nothere' });
    expect(problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  test('a nodeId is the same for every caller, differs between calendars, and is read-only', async () => {
    const event = await gateway.makeEvent(withGuests(bob));
    const ritasView = await gateway.readOn(alice, event.id, rita);
    const bobsCopy = await gateway.readOn(bob, event.id);
    expect([ritasView.nodeId, bobsCopy.nodeId === event.nodeId]).toEqual([event.nodeId, false]);
    const { problems, warningTexts } = await gateway.patch(event.id, { nodeId: bobsCopy.nodeId });
    expect([problems, warningTexts]).toEqual([[], ['event.nodeId readOnly']]);
  });
});
