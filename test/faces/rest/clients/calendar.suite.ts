import type { calendar_v3 } from '@googleapis/calendar';
import { createCalendarClient, readData, describeRefusal, useServer } from './official.ts';

const calendarId = 'primary';
const at = (day: number, hour: number) => ({
  dateTime: `2027-03-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`,
});
const hourAt = (day: number, startHour = 9) => ({ start: at(day, startHour), end: at(day, startHour + 1) });
const headerOf = ({ headers }: { readonly headers: unknown }, name: string) =>
  new Headers(headers as Record<string, string>).get(name);

/** Tests events and calendars through @googleapis/calendar. */
export function testCalendarClient(): void {
  const server = useServer();
  let client: calendar_v3.Calendar;
  beforeAll(async () => {
    client = await createCalendarClient(server.url());
  });

  const insert = async (requestBody: calendar_v3.Schema$Event) => {
    const event = await readData(client.events.insert({ calendarId, requestBody }));
    return { ...event, id: event.id ?? '' };
  };

  test('an event is created, read, patched, replaced and deleted', async () => {
    const created = await insert({
      summary: 'Talk',
      description: 'Long',
      ...hourAt(1),
      attendees: [{ email: 'bob@example.com' }],
    });
    expect(created).toMatchObject({ kind: 'calendar#event', status: 'confirmed', sequence: 0 });
    const event = { calendarId, eventId: created.id };
    const ifMatch = (...etags: unknown[]) => ({ headers: { 'If-Match': etags.join(', ') } });
    const readResponse = await client.events.get(event);
    expect([readResponse.data, headerOf(readResponse, 'etag')]).toEqual([created, created.etag]);
    expect(JSON.stringify(readResponse.data)).not.toMatch(/null|nodeId/);

    const patchHere = { ...event, requestBody: { location: 'Here', description: null } };
    const changed = await readData(client.events.patch(patchHere, ifMatch(created.etag)));
    expect([changed.location, changed.description, changed.summary]).toEqual(['Here', undefined, 'Talk']);
    const ifNoneMatch = { headers: { 'If-None-Match': String(changed.etag) } };
    expect((await client.events.get(event, ifNoneMatch)).status).toBe(304);

    expect(await readData(client.events.update({ ...event, requestBody: changed }))).toEqual(changed);
    const replacement = { ...event, requestBody: { summary: 'Lecture', ...hourAt(2) } };
    const replaced = await readData(client.events.update(replacement, ifMatch(created.etag, changed.etag)));
    expect([replaced.summary, replaced.location, replaced.attendees, replaced.start?.dateTime]).toEqual([
      'Lecture',
      undefined,
      undefined,
      at(2, 9).dateTime,
    ]);

    for (const change of [
      () => client.events.patch(patchHere, ifMatch(created.etag)),
      () => client.events.update(replacement, ifMatch(created.etag)),
      () => client.events.delete(event, ifMatch(created.etag)),
    ])
      expect(await describeRefusal(change())).toBe('412 conditionNotMet If-Match');
    expect((await client.events.delete(event, ifMatch(replaced.etag))).status).toBe(204);
    expect(await describeRefusal(client.events.delete(event))).toBe('410 deleted');
    expect((await readData(client.events.get(event))).status).toBe('cancelled');
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
    const imported = await readData(client.events.import({ calendarId, requestBody }));
    expect(imported).toMatchObject({ ...requestBody, start: {}, end: {} });
    expect(await readData(client.events.import({ calendarId, requestBody }))).toEqual(imported);
    const destination = 'team@group.calendar.example.com';
    const move = (eventId: string) => client.events.move({ calendarId, eventId, destination });
    expect(await describeRefusal(move(String(imported.id)))).toBe('403 forbiddenForNonOrganizer eventId');
    const { id } = await insert(hourAt(6));
    const moved = await readData(move(id));
    expect(moved).toMatchObject({ id, sequence: 1 });
    expect(await readData(move(id))).toEqual(moved);
    expect((await readData(client.events.get({ calendarId, eventId: id }))).status).toBe('cancelled');
    expect(await readData(client.events.get({ calendarId: destination, eventId: id }))).toEqual(moved);
  });

  test('a calendar is created, shared, listed and deleted', async () => {
    const body = { summary: 'Club', timeZone: 'Europe/Paris' };
    const { id } = await readData(client.calendars.insert({ requestBody: body }));
    const club = { calendarId: id ?? '' };
    const patch = { ...club, requestBody: { description: 'For all' } };
    expect(await readData(client.calendars.patch(patch))).toMatchObject({
      kind: 'calendar#calendar',
      summary: 'Club',
      description: 'For all',
    });
    const renamed = await readData(client.calendars.update({ ...club, requestBody: { summary: 'Clubs' } }));
    expect(renamed.description).toBeUndefined();

    const scope = { type: 'user', value: 'bob@example.com' };
    const requestBody = { role: 'reader', scope };
    const rule = { id: 'user:bob@example.com', role: 'reader' };
    expect(await readData(client.acl.insert({ ...club, requestBody }))).toMatchObject({
      kind: 'calendar#aclRule',
      ...rule,
    });
    expect((await readData(client.acl.list(club))).items).toMatchObject([
      { id: 'user:alice@example.com', role: 'owner' },
      rule,
    ]);
    const bob = await createCalendarClient(server.url(), 'bob@example.com');
    expect(await readData(bob.calendarList.get(club))).toMatchObject({
      kind: 'calendar#calendarListEntry',
      accessRole: 'reader',
      selected: true,
    });
    const bobsRule = { ...club, ruleId: rule.id };
    const patched = await readData(client.acl.patch({ ...bobsRule, requestBody: { role: 'writer' } }));
    expect(patched.role).toBe('writer');
    expect((await readData(client.acl.get(bobsRule))).role).toBe('writer');
    expect((await client.acl.delete(bobsRule)).status).toBe(204);
    expect(await describeRefusal(bob.calendars.get(club))).toBe('404 notFound calendarId');
    const listed = await readData(client.calendarList.list({ maxResults: 1 }));
    expect([listed.kind, listed.items?.length, typeof listed.nextPageToken]).toEqual([
      'calendar#calendarList',
      1,
      'string',
    ]);
    expect((await client.calendars.delete(club)).status).toBe(204);
  });
}
