import type { calendar_v3 } from '@googleapis/calendar';
import { calendarClient, dataOf, refusalOf, useServer } from './official.ts';

const calendarId = 'primary';
const at = (day: number, hour: number) => ({
  dateTime: `2027-03-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`,
});
const hour = (day: number, from = 9) => ({ start: at(day, from), end: at(day, from + 1) });
const headerOf = ({ headers }: { readonly headers: unknown }, name: string) =>
  new Headers(headers as Record<string, string>).get(name);

/** The life of events and calendars through @googleapis/calendar. */
export function throughCalendarClient(): void {
  const server = useServer();
  let client: calendar_v3.Calendar;
  beforeAll(async () => {
    client = await calendarClient(server.url());
  });

  const insert = async (requestBody: calendar_v3.Schema$Event) => {
    const event = await dataOf(client.events.insert({ calendarId, requestBody }));
    return { ...event, id: event.id ?? '' };
  };
  const list = (question: calendar_v3.Params$Resource$Events$List) =>
    dataOf(client.events.list({ calendarId, ...question }));

  test('an event is made, read, changed and replaced as it was read, and deleted once', async () => {
    const made = await insert({
      summary: 'Talk',
      description: 'Long',
      ...hour(1),
      attendees: [{ email: 'bob@example.com' }],
    });
    expect(made).toMatchObject({ kind: 'calendar#event', status: 'confirmed', sequence: 0 });
    const event = { calendarId, eventId: made.id };
    const ifMatch = (...etags: unknown[]) => ({ headers: { 'If-Match': etags.join(', ') } });
    const read = await client.events.get(event);
    expect([read.data, headerOf(read, 'etag')]).toEqual([made, made.etag]);
    expect(JSON.stringify(read.data)).not.toMatch(/null|nodeId/);

    const here = { ...event, requestBody: { location: 'Here', description: null } };
    const changed = await dataOf(client.events.patch(here, ifMatch(made.etag)));
    expect([changed.location, changed.description, changed.summary]).toEqual(['Here', undefined, 'Talk']);
    const known = { headers: { 'If-None-Match': String(changed.etag) } };
    expect((await client.events.get(event, known)).status).toBe(304);

    expect(await dataOf(client.events.update({ ...event, requestBody: changed }))).toEqual(changed);
    const lecture = { ...event, requestBody: { summary: 'Lecture', ...hour(2) } };
    const replaced = await dataOf(client.events.update(lecture, ifMatch(made.etag, changed.etag)));
    expect([replaced.summary, replaced.location, replaced.attendees, replaced.start?.dateTime]).toEqual([
      'Lecture',
      undefined,
      undefined,
      at(2, 9).dateTime,
    ]);

    for (const change of [
      () => client.events.patch(here, ifMatch(made.etag)),
      () => client.events.update(lecture, ifMatch(made.etag)),
      () => client.events.delete(event, ifMatch(made.etag)),
    ])
      expect(await refusalOf(change())).toBe('412 conditionNotMet If-Match');
    expect((await client.events.delete(event, ifMatch(replaced.etag))).status).toBe(204);
    expect(await refusalOf(client.events.delete(event))).toBe('410 deleted');
    expect((await dataOf(client.events.get(event))).status).toBe('cancelled');
    expect(await dataOf(client.events.update(lecture))).toMatchObject({
      status: 'confirmed',
      summary: 'Lecture',
    });
  });

  test('lists are filtered by the parameters of the client', async () => {
    const extendedProperties = { private: { kind: 'narrow', size: 'm' }, shared: { team: 'a' } };
    const made = await insert({ summary: 'Narrow', ...hour(15), extendedProperties });
    await insert({ summary: 'Wide', ...hour(15), extendedProperties: { private: { kind: 'narrow' } } });
    const found = async (question: calendar_v3.Params$Resource$Events$List) =>
      (await list(question)).items?.map(({ summary }) => summary);
    const [timeMin, timeMax] = [at(15, 9).dateTime, at(15, 10).dateTime];
    const updatedMin = made.updated ?? '';
    for (const question of [
      { privateExtendedProperty: ['kind=narrow', 'size=m'], sharedExtendedProperty: ['team=a'] },
      { iCalUID: made.iCalUID ?? '' },
      { updatedMin, q: 'narrow', eventTypes: ['default', 'focusTime'] },
    ])
      expect([question, await found(question)]).toEqual([question, ['Narrow']]);
    const byStart = { timeMin, timeMax, singleEvents: true, orderBy: 'startTime' };
    expect(await found(byStart)).toEqual(['Narrow', 'Wide']);
    expect(await found({ q: 'narrow', eventTypes: ['focusTime'] })).toEqual([]);
    await client.events.patch({ calendarId, eventId: made.id, requestBody: { status: 'cancelled' } });
    expect(await found({ q: 'narrow' })).toEqual([]);
    expect(await found({ q: 'narrow', showDeleted: true })).toEqual(['Narrow']);
  });

  test('lists have pages, which a page token alone continues', async () => {
    for (const day of [3, 4, 5]) await insert({ summary: `Paged ${day}`, ...hour(day) });
    const first = await list({ q: 'Paged', singleEvents: true, orderBy: 'startTime', maxResults: 2 });
    expect(first).toMatchObject({
      kind: 'calendar#events',
      summary: expect.any(String),
      timeZone: 'Europe/Berlin',
      accessRole: 'owner',
      items: [{ summary: 'Paged 3' }, { summary: 'Paged 4' }],
    });
    expect(first.nextSyncToken).toBeUndefined();
    const pageToken = first.nextPageToken ?? '';
    const second = await list({ pageToken });
    expect([second.items?.map(({ summary }) => summary), second.nextPageToken]).toEqual([
      ['Paged 5'],
      undefined,
    ]);
    expect(await refusalOf(list({ q: 'other', pageToken }))).toBe('400 invalid pageToken');
  });

  test('lists have a sync token on the last page', async () => {
    const whole = await list({ fields: 'nextSyncToken,items/id' });
    expect(Object.keys(whole.items?.[0] ?? {})).toEqual(['id']);
    const { id } = await insert({ summary: 'Short', ...hour(6) });
    await client.events.delete({ calendarId, eventId: id });
    const since = await list({ syncToken: whole.nextSyncToken ?? '' });
    expect(since.items).toEqual([expect.objectContaining({ id, status: 'cancelled' })]);
    const syncToken = since.nextSyncToken ?? '';
    expect((await list({ syncToken })).items).toEqual([]);
    expect(await refusalOf(list({ syncToken: 'no token' }))).toBe('410 fullSyncRequired syncToken');
    expect(await refusalOf(list({ syncToken, q: 'Short' }))).toBe('400 invalid q');
  });

  test('a series has instances, and one of them changes alone', async () => {
    const { id: eventId } = await insert({
      summary: 'Weekly',
      start: { ...at(8, 9), timeZone: 'UTC' },
      end: { ...at(8, 10), timeZone: 'UTC' },
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
    });
    const instances = (question: object = {}) =>
      dataOf(client.events.instances({ calendarId, eventId, ...question }));
    const { items = [], nextPageToken } = await instances({ maxResults: 2 });
    expect(items).toHaveLength(2);
    expect((await instances({ pageToken: nextPageToken })).items).toHaveLength(1);
    const second = { calendarId, eventId: items[1]?.id ?? '' };
    await client.events.patch({ ...second, requestBody: { summary: 'This week' } });
    expect((await instances({ originalStart: items[1]?.originalStartTime?.dateTime })).items).toMatchObject([
      { summary: 'This week', recurringEventId: eventId },
    ]);
    await client.events.delete(second);
    expect((await instances()).items).toHaveLength(2);
    expect((await instances({ showDeleted: true })).items).toHaveLength(3);
  });

  test('a calendar is made, shared, found in the list, and deleted', async () => {
    const body = { summary: 'Club', timeZone: 'Europe/Paris' };
    const { id } = await dataOf(client.calendars.insert({ requestBody: body }));
    const club = { calendarId: id ?? '' };
    const described = { ...club, requestBody: { description: 'For all' } };
    expect(await dataOf(client.calendars.patch(described))).toMatchObject({
      kind: 'calendar#calendar',
      summary: 'Club',
      description: 'For all',
    });
    const renamed = await dataOf(client.calendars.update({ ...club, requestBody: { summary: 'Clubs' } }));
    expect(renamed.description).toBeUndefined();

    const scope = { type: 'user', value: 'bob@example.com' };
    const requestBody = { role: 'reader', scope };
    const rule = { id: 'user:bob@example.com', role: 'reader' };
    expect(await dataOf(client.acl.insert({ ...club, requestBody }))).toMatchObject({
      kind: 'calendar#aclRule',
      ...rule,
    });
    expect((await dataOf(client.acl.list(club))).items).toMatchObject([
      { id: 'user:alice@example.com', role: 'owner' },
      rule,
    ]);
    const bob = await calendarClient(server.url(), 'bob@example.com');
    expect(await dataOf(bob.calendarList.get(club))).toMatchObject({
      kind: 'calendar#calendarListEntry',
      accessRole: 'reader',
      selected: true,
    });
    const bobs = { ...club, ruleId: rule.id };
    const patched = await dataOf(client.acl.patch({ ...bobs, requestBody: { role: 'writer' } }));
    expect(patched.role).toBe('writer');
    expect((await dataOf(client.acl.get(bobs))).role).toBe('writer');
    expect((await client.acl.delete(bobs)).status).toBe(204);
    expect(await refusalOf(bob.calendars.get(club))).toBe('404 notFound calendarId');
    const listed = await dataOf(client.calendarList.list({ maxResults: 1 }));
    expect([listed.kind, listed.items?.length, typeof listed.nextPageToken]).toEqual([
      'calendar#calendarList',
      1,
      'string',
    ]);
    expect((await client.calendars.delete(club)).status).toBe(204);
  });
}
