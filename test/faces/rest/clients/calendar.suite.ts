import type { calendar_v3 } from '@googleapis/calendar';
import { createCalendarClient, readData, describeRefusal, useServer } from './official-clients.ts';

const calendarId = 'primary';
const utcTimeOn = (day: number, hour: number) => ({
  dateTime: `2027-03-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`,
});
const hourAt = (day: number, startHour = 9) => ({
  start: utcTimeOn(day, startHour),
  end: utcTimeOn(day, startHour + 1),
});
const headerOf = ({ headers }: { readonly headers: unknown }, name: string) =>
  new Headers(headers as Record<string, string>).get(name);

/** Tests events and calendars through @googleapis/calendar. */
export function testCalendarClient(): void {
  const server = useServer();
  let client: calendar_v3.Calendar;
  beforeAll(async () => {
    client = await createCalendarClient(server.url());
  });

  const insertEvent = async (requestBody: calendar_v3.Schema$Event) => {
    const event = await readData(client.events.insert({ calendarId, requestBody }));
    return { ...event, id: event.id ?? '' };
  };

  test('an event is created, read, patched, replaced and deleted', async () => {
    const createdEvent = await insertEvent({
      summary: 'Talk',
      description: 'Long',
      ...hourAt(1),
      attendees: [{ email: 'bob@example.com' }],
    });
    expect(createdEvent).toMatchObject({ kind: 'calendar#event', status: 'confirmed', sequence: 0 });
    const eventParams = { calendarId, eventId: createdEvent.id };
    const withIfMatch = (...etags: unknown[]) => ({ headers: { 'If-Match': etags.join(', ') } });
    const readResponse = await client.events.get(eventParams);
    expect([readResponse.data, headerOf(readResponse, 'etag')]).toEqual([createdEvent, createdEvent.etag]);
    expect(JSON.stringify(readResponse.data)).not.toMatch(/null|nodeId/);

    const patchHere = { ...eventParams, requestBody: { location: 'Here', description: null } };
    const changedEvent = await readData(client.events.patch(patchHere, withIfMatch(createdEvent.etag)));
    expect([changedEvent.location, changedEvent.description, changedEvent.summary]).toEqual([
      'Here',
      undefined,
      'Talk',
    ]);
    const ifNoneMatch = { headers: { 'If-None-Match': String(changedEvent.etag) } };
    expect((await client.events.get(eventParams, ifNoneMatch)).status).toBe(304);

    expect(await readData(client.events.update({ ...eventParams, requestBody: changedEvent }))).toEqual(
      changedEvent,
    );
    const replacement = { ...eventParams, requestBody: { summary: 'Lecture', ...hourAt(2) } };
    const replacedEvent = await readData(
      client.events.update(replacement, withIfMatch(createdEvent.etag, changedEvent.etag)),
    );
    expect([
      replacedEvent.summary,
      replacedEvent.location,
      replacedEvent.attendees,
      replacedEvent.start?.dateTime,
    ]).toEqual(['Lecture', undefined, undefined, utcTimeOn(2, 9).dateTime]);

    for (const change of [
      () => client.events.patch(patchHere, withIfMatch(createdEvent.etag)),
      () => client.events.update(replacement, withIfMatch(createdEvent.etag)),
      () => client.events.delete(eventParams, withIfMatch(createdEvent.etag)),
    ])
      expect(await describeRefusal(change())).toBe('412 conditionNotMet If-Match');
    expect((await client.events.delete(eventParams, withIfMatch(replacedEvent.etag))).status).toBe(204);
    expect(await describeRefusal(client.events.delete(eventParams))).toBe('410 deleted');
    expect((await readData(client.events.get(eventParams))).status).toBe('cancelled');
    expect(await readData(client.events.update(replacement))).toMatchObject({
      status: 'confirmed',
      summary: 'Lecture',
    });
  });

  test('an event is imported, and moved to another calendar', async () => {
    const requestBody = {
      ...hourAt(5),
      iCalUID: 'concert@elsewhere.example',
      summary: 'Concert',
      organizer: { email: 'erin@elsewhere.example' },
    };
    const importedEvent = await readData(client.events.import({ calendarId, requestBody }));
    expect(importedEvent).toMatchObject({ ...requestBody, start: {}, end: {} });
    expect(await readData(client.events.import({ calendarId, requestBody }))).toEqual(importedEvent);
    const destination = 'team@group.calendar.example.com';
    const move = (eventId: string) => client.events.move({ calendarId, eventId, destination });
    expect(await describeRefusal(move(String(importedEvent.id)))).toBe(
      '403 forbiddenForNonOrganizer eventId',
    );
    const { id } = await insertEvent(hourAt(6));
    const movedEvent = await readData(move(id));
    expect(movedEvent).toMatchObject({ id, sequence: 1 });
    expect(await readData(move(id))).toEqual(movedEvent);
    expect((await readData(client.events.get({ calendarId, eventId: id }))).status).toBe('cancelled');
    expect(await readData(client.events.get({ calendarId: destination, eventId: id }))).toEqual(movedEvent);
  });

  test('a calendar is created, shared, listed and deleted', async () => {
    const body = { summary: 'Club', timeZone: 'Europe/Paris' };
    const { id } = await readData(client.calendars.insert({ requestBody: body }));
    const clubParams = { calendarId: id ?? '' };
    const clubPatch = { ...clubParams, requestBody: { description: 'For all' } };
    expect(await readData(client.calendars.patch(clubPatch))).toMatchObject({
      kind: 'calendar#calendar',
      summary: 'Club',
      description: 'For all',
    });
    const renamedCalendar = await readData(
      client.calendars.update({ ...clubParams, requestBody: { summary: 'Clubs' } }),
    );
    expect(renamedCalendar.description).toBeUndefined();

    const scope = { type: 'user', value: 'bob@example.com' };
    const requestBody = { role: 'reader', scope };
    const rule = { id: 'user:bob@example.com', role: 'reader' };
    expect(await readData(client.acl.insert({ ...clubParams, requestBody }))).toMatchObject({
      kind: 'calendar#aclRule',
      ...rule,
    });
    expect((await readData(client.acl.list(clubParams))).items).toMatchObject([
      { id: 'user:alice@example.com', role: 'owner' },
      rule,
    ]);
    const bobsClient = await createCalendarClient(server.url(), 'bob@example.com');
    expect(await readData(bobsClient.calendarList.get(clubParams))).toMatchObject({
      kind: 'calendar#calendarListEntry',
      accessRole: 'reader',
      selected: true,
    });
    const bobsRule = { ...clubParams, ruleId: rule.id };
    const patchedRule = await readData(client.acl.patch({ ...bobsRule, requestBody: { role: 'writer' } }));
    expect(patchedRule.role).toBe('writer');
    expect((await readData(client.acl.get(bobsRule))).role).toBe('writer');
    expect((await client.acl.delete(bobsRule)).status).toBe(204);
    expect(await describeRefusal(bobsClient.calendars.get(clubParams))).toBe('404 notFound calendarId');
    const calendarPage = await readData(client.calendarList.list({ maxResults: 1 }));
    expect([calendarPage.kind, calendarPage.items?.length, typeof calendarPage.nextPageToken]).toEqual([
      'calendar#calendarList',
      1,
      'string',
    ]);
    expect((await client.calendars.delete(clubParams)).status).toBe(204);
  });
}
