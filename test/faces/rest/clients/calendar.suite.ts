import type { calendar_v3 } from '@googleapis/calendar';
import { calendarClient, refusalOf, startRest, type RestGateway } from './official.ts';

const calendarId = 'primary';
const at = (day: number, hour: number) => ({
  dateTime: `2027-03-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`,
});
const hour = (day: number, from = 9) => ({ start: at(day, from), end: at(day, from + 1) });

/** A whole life of events through @googleapis/calendar. */
export function throughCalendarClient(envOf: () => Promise<Readonly<Record<string, string>>>): void {
  let gateway: RestGateway;
  let client: calendar_v3.Calendar;
  beforeAll(async () => {
    gateway = await startRest(await envOf());
    client = await calendarClient(gateway.url);
  });
  afterAll(() => gateway.close());

  const insert = async (requestBody: calendar_v3.Schema$Event) =>
    (await client.events.insert({ calendarId, requestBody })).data;

  test('an event is made, read, changed if it is as it was read, replaced, and deleted once', async () => {
    const made = await client.events.insert({
      calendarId,
      requestBody: {
        summary: 'Talk',
        description: 'Long',
        ...hour(1),
        attendees: [{ email: 'bob@example.com' }],
      },
      sendUpdates: 'none',
    });
    expect([made.status, made.data.kind, made.data.status, made.data.sequence]).toEqual([
      200,
      'calendar#event',
      'confirmed',
      0,
    ]);
    const eventId = made.data.id ?? '';
    const read = await client.events.get({ calendarId, eventId });
    expect([read.data, new Headers(read.headers as Record<string, string>).get('etag')]).toEqual([
      made.data,
      made.data.etag,
    ]);
    expect(JSON.stringify(read.data)).not.toMatch(/null|nodeId/);

    const changed = await client.events.patch(
      { calendarId, eventId, requestBody: { location: 'Here', description: null } },
      { headers: { 'If-Match': String(made.data.etag) } },
    );
    expect([changed.data.location, changed.data.description, changed.data.summary]).toEqual([
      'Here',
      undefined,
      'Talk',
    ]);
    expect(
      await refusalOf(
        client.events.patch(
          { calendarId, eventId, requestBody: { location: 'There' } },
          { headers: { 'If-Match': String(made.data.etag) } },
        ),
      ),
    ).toMatchObject({ status: 412, reasons: ['conditionNotMet If-Match'] });
    expect(
      (
        await client.events.get(
          { calendarId, eventId },
          { headers: { 'If-None-Match': String(changed.data.etag) } },
        )
      ).status,
    ).toBe(304);

    const same = await client.events.update({ calendarId, eventId, requestBody: changed.data });
    expect(same.data).toEqual(changed.data);
    const lecture = { calendarId, eventId, requestBody: { summary: 'Lecture', ...hour(2) } };
    expect(
      await refusalOf(client.events.update(lecture, { headers: { 'If-Match': String(made.data.etag) } })),
    ).toMatchObject({ status: 412, reasons: ['conditionNotMet If-Match'] });
    const replaced = await client.events.update(lecture, {
      headers: { 'If-Match': `${String(made.data.etag)}, ${String(same.data.etag)}` },
    });
    expect([
      replaced.data.summary,
      replaced.data.location,
      replaced.data.attendees,
      replaced.data.start,
    ]).toEqual(['Lecture', undefined, undefined, expect.objectContaining(at(2, 9))]);

    expect(
      await refusalOf(
        client.events.delete({ calendarId, eventId }, { headers: { 'If-Match': String(made.data.etag) } }),
      ),
    ).toMatchObject({ status: 412 });
    expect(
      await client.events.delete(
        { calendarId, eventId },
        { headers: { 'If-Match': String(replaced.data.etag) } },
      ),
    ).toMatchObject({ status: 204 });
    expect(await refusalOf(client.events.delete({ calendarId, eventId }))).toMatchObject({
      status: 410,
      reasons: ['deleted'],
    });
    expect((await client.events.get({ calendarId, eventId })).data.status).toBe('cancelled');
    expect((await client.events.update(lecture)).data).toMatchObject({
      status: 'confirmed',
      summary: 'Lecture',
    });
  });

  test('lists are narrowed by what the client has words for', async () => {
    const extendedProperties = { private: { kind: 'narrow', size: 'm' }, shared: { team: 'a' } };
    const made = await insert({ summary: 'Narrow', ...hour(15), extendedProperties });
    await insert({ summary: 'Wide', ...hour(15), extendedProperties: { private: { kind: 'narrow' } } });
    const found = async (question: calendar_v3.Params$Resource$Events$List) =>
      (await client.events.list({ calendarId, ...question })).data.items?.map(({ summary }) => summary);
    expect(
      await found({ privateExtendedProperty: ['kind=narrow', 'size=m'], sharedExtendedProperty: ['team=a'] }),
    ).toEqual(['Narrow']);
    expect(await found({ iCalUID: made.iCalUID ?? '' })).toEqual(['Narrow']);
    expect(
      await found({
        timeMin: at(15, 9).dateTime,
        timeMax: at(15, 10).dateTime,
        singleEvents: true,
        orderBy: 'startTime',
      }),
    ).toEqual(['Narrow', 'Wide']);
    expect(
      await found({ updatedMin: made.updated ?? '', q: 'narrow', eventTypes: ['default', 'focusTime'] }),
    ).toEqual(['Narrow']);
    expect(await found({ q: 'narrow', eventTypes: ['focusTime'] })).toEqual([]);
    await client.events.patch({ calendarId, eventId: made.id ?? '', requestBody: { status: 'cancelled' } });
    expect([await found({ q: 'narrow' }), await found({ q: 'narrow', showDeleted: true })]).toEqual([
      [],
      ['Narrow'],
    ]);
  });

  test('lists come page by page, by a page token alone too, and the last page has a sync token that outlives none but its calendar', async () => {
    for (const day of [3, 4, 5]) await insert({ summary: `Paged ${day}`, ...hour(day) });
    const question = {
      calendarId,
      q: 'Paged',
      singleEvents: true,
      orderBy: 'startTime',
      maxResults: 2,
    } as const;
    const first = (await client.events.list(question)).data;
    expect([first.kind, first.summary, first.timeZone, first.accessRole, first.nextSyncToken]).toEqual([
      'calendar#events',
      expect.any(String),
      'Europe/Berlin',
      'owner',
      undefined,
    ]);
    expect(first.items?.map(({ summary }) => summary)).toEqual(['Paged 3', 'Paged 4']);
    const second = (await client.events.list({ calendarId, pageToken: first.nextPageToken ?? '' })).data;
    expect([second.items?.map(({ summary }) => summary), second.nextPageToken]).toEqual([
      ['Paged 5'],
      undefined,
    ]);
    expect(
      await refusalOf(client.events.list({ calendarId, q: 'other', pageToken: first.nextPageToken ?? '' })),
    ).toMatchObject({ status: 400, reasons: ['invalid pageToken'] });

    const whole = (await client.events.list({ calendarId, fields: 'nextSyncToken,items/id' })).data;
    expect(Object.keys(whole.items?.[0] ?? {})).toEqual(['id']);
    const gone = await insert({ summary: 'Short', ...hour(6) });
    await client.events.delete({ calendarId, eventId: gone.id ?? '' });
    const since = (await client.events.list({ calendarId, syncToken: whole.nextSyncToken ?? '' })).data;
    expect(since.items).toEqual([expect.objectContaining({ id: gone.id, status: 'cancelled' })]);
    expect(since.nextSyncToken).toEqual(expect.any(String));
    expect(
      (await client.events.list({ calendarId, syncToken: since.nextSyncToken ?? '' })).data.items,
    ).toEqual([]);
    expect(await refusalOf(client.events.list({ calendarId, syncToken: 'no token' }))).toMatchObject({
      status: 410,
      reasons: ['fullSyncRequired syncToken'],
    });
    expect(
      await refusalOf(client.events.list({ calendarId, syncToken: since.nextSyncToken ?? '', q: 'Short' })),
    ).toMatchObject({ status: 400 });
  });

  test('a series has instances, and one of them changes alone', async () => {
    const series = await insert({
      summary: 'Weekly',
      start: { ...at(8, 9), timeZone: 'UTC' },
      end: { ...at(8, 10), timeZone: 'UTC' },
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
    });
    const eventId = series.id ?? '';
    const page = (await client.events.instances({ calendarId, eventId, maxResults: 2 })).data;
    expect(page.items).toHaveLength(2);
    const rest = (await client.events.instances({ calendarId, eventId, pageToken: page.nextPageToken ?? '' }))
      .data;
    expect(rest.items).toHaveLength(1);
    const [, second] = page.items ?? [];
    await client.events.patch({
      calendarId,
      eventId: second?.id ?? '',
      requestBody: { summary: 'This week' },
    });
    const one = (
      await client.events.instances({
        calendarId,
        eventId,
        originalStart: second?.originalStartTime?.dateTime ?? '',
      })
    ).data;
    expect(one.items?.map(({ summary, recurringEventId }) => [summary, recurringEventId])).toEqual([
      ['This week', eventId],
    ]);
    await client.events.delete({ calendarId, eventId: second?.id ?? '' });
    expect((await client.events.instances({ calendarId, eventId })).data.items).toHaveLength(2);
    expect(
      (await client.events.instances({ calendarId, eventId, showDeleted: true })).data.items,
    ).toHaveLength(3);
  });

  test('all that is wrong is told at once, where it is', async () => {
    const refused = await refusalOf(
      insert({
        summary: 'Odd',
        start: at(9, 10),
        end: at(9, 9),
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: -1 }] },
      }),
    );
    expect([refused.status, [...refused.reasons].sort()]).toEqual([
      400,
      ['invalid reminders.overrides[0].minutes', 'timeRangeEmpty end'],
    ]);
    expect(await refusalOf(client.events.quickAdd({ calendarId, text: 'Lunch' }))).toMatchObject({
      status: 404,
      reasons: ['notFound'],
    });
    expect(await refusalOf(client.events.watch({ calendarId, requestBody: { id: 'x' } }))).toMatchObject({
      status: 404,
      reasons: ['notFound'],
    });
    expect(await refusalOf(client.events.get({ calendarId, eventId: 'nothere' }))).toMatchObject({
      status: 404,
      reasons: [expect.stringMatching(/^notFound/)],
    });
    expect(await refusalOf(client.events.list({ calendarId, maxResults: 0 }))).toMatchObject({
      status: 400,
      reasons: [expect.stringMatching(/ maxResults$/)],
    });
    const twice = await insert({ id: 'givenid1', ...hour(10) });
    expect(await refusalOf(insert({ id: twice.id ?? '', ...hour(10) }))).toMatchObject({
      status: 409,
      reasons: [expect.stringMatching(/^duplicate/)],
    });
    const narrow = await calendarClient(gateway.url, 'alice@example.com', [
      'https://www.googleapis.com/auth/calendar.readonly',
    ]);
    expect(await refusalOf(narrow.events.delete({ calendarId, eventId: twice.id ?? '' }))).toMatchObject({
      status: 403,
      reasons: [expect.stringMatching(/^insufficientPermissions/)],
    });
    const stranger = await calendarClient(gateway.url, null);
    expect(await refusalOf(stranger.events.list({ calendarId }))).toMatchObject({
      status: 401,
      reasons: ['authError Authorization'],
    });
    const bob = await calendarClient(gateway.url, 'bob@example.com');
    expect(
      await refusalOf(bob.events.delete({ calendarId: 'alice@example.com', eventId: twice.id ?? '' })),
    ).toMatchObject({ status: 403 });
  });

  test('a call is asked for and found under its official names', async () => {
    const createRequest = { requestId: 'one call', conferenceSolutionKey: { type: 'hangoutsMeet' } };
    const { data } = await client.events.insert({
      calendarId,
      conferenceDataVersion: 1,
      requestBody: { ...hour(11), conferenceData: { createRequest } },
    });
    expect([data.hangoutLink, data.conferenceData?.conferenceSolution?.key]).toEqual([
      expect.stringMatching(/^https:/),
      { type: 'hangoutsMeet' },
    ]);
    expect(
      (
        await client.events.update({
          calendarId,
          eventId: data.id ?? '',
          conferenceDataVersion: 1,
          requestBody: data,
        })
      ).data,
    ).toEqual(data);
  });

  test('what is not applied is told in a header, and both faces show one etag', async () => {
    const body: object = {
      ...hour(12),
      summary: 'Told',
      htmlLink: 'https://elsewhere.example',
      colour: 'red',
      attendees: [{ email: 'bob@example.com', mood: 'good' }],
    };
    const { data, headers } = await client.events.insert({ calendarId, requestBody: body });
    const warnings = JSON.parse(new Headers(headers as Record<string, string>).get('x-warnings') ?? '[]') as {
      path: unknown[];
      reason: string;
    }[];
    expect(warnings.map(({ path, reason }) => `${path.join('.')} ${reason}`).sort()).toEqual([
      'attendees.0.mood unknownField',
      'colour unknownField',
      'htmlLink readOnly',
    ]);
    const { data: shown } = await gateway.ask(
      'query ($id: String!) { event(calendarId: "primary", eventId: $id) { etag summary } }',
      { id: data.id },
    );
    expect(shown.event).toEqual({ etag: data.etag, summary: 'Told' });
  });

  test('a calendar is made, shared, found in the list, and deleted', async () => {
    const made = (
      await client.calendars.insert({ requestBody: { summary: 'Club', timeZone: 'Europe/Paris' } })
    ).data;
    const club = made.id ?? '';
    expect(
      (await client.calendars.patch({ calendarId: club, requestBody: { description: 'For all' } })).data,
    ).toMatchObject({ kind: 'calendar#calendar', summary: 'Club', description: 'For all' });
    expect(
      (await client.calendars.update({ calendarId: club, requestBody: { summary: 'Clubs' } })).data
        .description,
    ).toBeUndefined();
    const rule = (
      await client.acl.insert({
        calendarId: club,
        requestBody: { role: 'reader', scope: { type: 'user', value: 'bob@example.com' } },
      })
    ).data;
    expect(rule).toMatchObject({ kind: 'calendar#aclRule', id: 'user:bob@example.com', role: 'reader' });
    expect(
      (await client.acl.list({ calendarId: club })).data.items?.map(({ id, role }) => [id, role]),
    ).toEqual([
      ['user:alice@example.com', 'owner'],
      ['user:bob@example.com', 'reader'],
    ]);
    const bob = await calendarClient(gateway.url, 'bob@example.com');
    expect((await bob.calendarList.get({ calendarId: club })).data).toMatchObject({
      kind: 'calendar#calendarListEntry',
      accessRole: 'reader',
      selected: true,
    });
    expect(
      (
        await client.acl.patch({
          calendarId: club,
          ruleId: 'user:bob@example.com',
          requestBody: { role: 'writer' },
        })
      ).data.role,
    ).toBe('writer');
    expect((await client.acl.get({ calendarId: club, ruleId: 'user:bob@example.com' })).data.role).toBe(
      'writer',
    );
    expect(await client.acl.delete({ calendarId: club, ruleId: 'user:bob@example.com' })).toMatchObject({
      status: 204,
    });
    expect(await refusalOf(bob.calendars.get({ calendarId: club }))).toMatchObject({ status: 404 });
    const listed = (await client.calendarList.list({ maxResults: 1 })).data;
    expect([listed.kind, listed.items?.length, listed.nextPageToken]).toEqual([
      'calendar#calendarList',
      1,
      expect.any(String),
    ]);
    expect(await client.calendars.delete({ calendarId: club })).toMatchObject({ status: 204 });
  });

  test('colours and busy times are told', async () => {
    expect(Object.keys((await client.colors.get()).data.event ?? {})).toHaveLength(11);
    await insert({ ...hour(20) });
    const { data } = await client.freebusy.query({
      requestBody: {
        timeMin: at(20, 0).dateTime,
        timeMax: at(21, 0).dateTime,
        items: [{ id: 'alice@example.com' }, { id: 'nobody@example.com' }],
      },
    });
    expect(data.calendars?.['alice@example.com']?.busy).toHaveLength(1);
    expect(data.calendars?.['nobody@example.com']).toEqual({
      errors: [{ domain: 'global', reason: 'notFound' }],
      busy: [],
    });
  });
}
