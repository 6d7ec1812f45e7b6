import { eventListUrl, useRest } from './rest.harness.ts';

const timesWithoutZone = {
  start: { dateTime: '2026-12-02T10:00:00+01:00' },
  end: { dateTime: '2026-12-02T11:00:00+01:00' },
};
const timeZone = 'Europe/Berlin';
const times = { start: { ...timesWithoutZone.start, timeZone }, end: { ...timesWithoutZone.end, timeZone } };
const bobsEventsUrl = '/calendar/v3/calendars/bob@example.com/events';
const featuresQuery = '?conferenceDataVersion=1&supportsAttachments=true';
const [bobsEntry, zoesEntry] = [{ email: 'bob@example.com' }, { email: 'zoe@elsewhere.example' }];

describe('PUT over REST', () => {
  const rest = useRest();
  const bobsClient = rest.as('bob@example.com');
  const insertEvent = (body: object, query = '') =>
    rest.json(`POST ${eventListUrl}${query}`, { ...times, ...body });
  const putEvent = (id: string, body: object, query = '') =>
    rest.json(`PUT ${eventListUrl}/${id}${query}`, body);

  test('needs start and end, and an existing event', async () => {
    for (const [id, body, refusal] of [
      ['teammeeting', { summary: 'x' }, '400 required end, required start'],
      ['teammeeting', { ...timesWithoutZone, end: null }, '400 required end'],
      ['nothing', {}, '404 notFound eventId'],
    ] as const)
      expect(await rest.refusal(`PUT ${eventListUrl}/${id}`, body)).toBe(refusal);
  });

  test('changes nothing when an event is sent back as read', async () => {
    for (const [client, path, queries] of [
      [rest, eventListUrl, ['', featuresQuery]],
      [bobsClient, bobsEventsUrl, ['']],
    ] as const) {
      const { items } = await client.json(`GET ${path}?showDeleted=true&maxResults=2500`);
      expect(items).not.toEqual([]);
      for (const event of items)
        for (const query of queries) {
          const { status, warnings, json } = await client.send(`PUT ${path}/${event.id}${query}`, event);
          expect({ status, warnings, json }).toEqual({ status: 200, warnings: undefined, json: event });
        }
    }
  });

  test('accepts a cancelled event without details as read', async () => {
    const { id } = await insertEvent({ summary: 'Uninvited', attendees: [bobsEntry] });
    await bobsClient.send(`PATCH ${bobsEventsUrl}/${id}`, { colorId: '4' });
    await rest.send(`PATCH ${eventListUrl}/${id}`, { attendees: [] });
    const cancelledEvent = await bobsClient.json(`GET ${bobsEventsUrl}/${id}`);
    expect([cancelledEvent.status, cancelledEvent.start]).toEqual(['cancelled', undefined]);
    expect(await bobsClient.json(`PUT ${bobsEventsUrl}/${id}`, cancelledEvent)).toEqual(cancelledEvent);
  });

  test('unsets absent fields, inside objects and maps too', async () => {
    const { id } = await insertEvent({
      summary: 'a',
      description: 'b',
      location: 'c',
      colorId: '3',
      transparency: 'transparent',
      visibility: 'private',
      guestsCanModify: true,
      guestsCanInviteOthers: false,
      status: 'tentative',
      extendedProperties: { private: { x: '1', y: '2' }, shared: { z: '3' } },
      gadget: { type: 't', title: 'u', preferences: { p: 'q' } },
      source: { title: 's', url: 'https://x.example' },
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const sentBody = {
      ...timesWithoutZone,
      extendedProperties: { private: { y: '2' } },
      gadget: { type: 't' },
    };
    const self = { email: 'alice@example.com', self: true };
    expect(await putEvent(id, sentBody)).toEqual({
      ...sentBody,
      id,
      kind: 'calendar#event',
      status: 'confirmed',
      eventType: 'default',
      sequence: expect.any(Number),
      reminders: { useDefault: true },
      creator: self,
      organizer: self,
      created: expect.any(String),
      etag: expect.any(String),
      htmlLink: expect.any(String),
      iCalUID: expect.any(String),
      updated: expect.any(String),
    });
    const allDayTimes = { start: { date: '2026-12-05' }, end: { date: '2026-12-06' } };
    expect((await putEvent(id, allDayTimes)).start).toEqual(allDayTimes.start);
  });

  test('removes guests who are not listed, and keeps the responses of others', async () => {
    const room = { email: 'room@resource.example' };
    const { id } = await insertEvent({
      attendees: [
        { ...zoesEntry, displayName: 'Zoe', optional: true, responseStatus: 'accepted', comment: 'yes' },
        { email: 'yan@elsewhere.example' },
        bobsEntry,
        { ...room, resource: true },
      ],
    });
    const bobsDeclinedEntry = { ...bobsEntry, responseStatus: 'declined', comment: 'no' };
    await bobsClient.send(`PATCH ${bobsEventsUrl}/${id}`, {
      attendees: [bobsDeclinedEntry],
      attendeesOmitted: true,
    });
    const body = { ...times, attendees: [zoesEntry, bobsEntry, room] };
    const { json, warnings } = await rest.send(`PUT ${eventListUrl}/${id}`, body);
    expect(json.attendees).toEqual([
      { ...zoesEntry, responseStatus: 'accepted' },
      bobsDeclinedEntry,
      { ...room, resource: true, responseStatus: 'needsAction' },
    ]);
    expect(warnings).toBeUndefined();
    expect((await putEvent(id, times)).attendees).toBeUndefined();
  });

  test('keeps conferences and attachments unless the client supports them', async () => {
    const createRequest = { requestId: 'r', conferenceSolutionKey: { type: 'hangoutsMeet' } };
    const body = { conferenceData: { createRequest }, attachments: [{ fileUrl: 'https://x.example/f' }] };
    const { id, conferenceData, attachments, hangoutLink } = await insertEvent(body, featuresQuery);
    expect(hangoutLink).toContain('https://');
    expect(await putEvent(id, times)).toMatchObject({ conferenceData, attachments, hangoutLink });
    for (const name of ['conferenceData', 'attachments', 'hangoutLink'])
      expect(await putEvent(id, times, featuresQuery)).not.toHaveProperty(name);
  });

  test('keeps the private fields of other users', async () => {
    const source = { title: 's', url: 'https://x.example' };
    const publicFields = { summary: 'Ours', location: 'here' };
    const attendees = [{ ...bobsEntry, displayName: 'Bob' }, zoesEntry];
    const { id } = await insertEvent({ ...publicFields, source, attendees });
    const replacedByGuest = await bobsClient.json(`PUT ${bobsEventsUrl}/${id}`, { ...times, colorId: '4' });
    expect(replacedByGuest).toMatchObject({
      ...publicFields,
      colorId: '4',
      attendees: [bobsEntry, zoesEntry],
    });
    expect((await bobsClient.json(`PUT ${bobsEventsUrl}/${id}`, times)).colorId).toBeUndefined();
    expect(await bobsClient.refusal(`PUT ${bobsEventsUrl}/${id}`, { ...times, summary: 'Mine' })).toBe(
      '403 forbiddenForNonOrganizer summary',
    );
    await rest.send(`PATCH ${eventListUrl}/${id}`, { guestsCanModify: true });
    const modifiedByGuest = await bobsClient.json(`PUT ${bobsEventsUrl}/${id}`, {
      ...times,
      attendees: [bobsEntry, zoesEntry],
    });
    expect([modifiedByGuest.summary, modifiedByGuest.attendees[0], modifiedByGuest.guestsCanModify]).toEqual([
      undefined,
      { ...bobsEntry, self: true, responseStatus: 'needsAction' },
      true,
    ]);
    expect((await rest.json(`GET ${eventListUrl}/${id}`)).source).toEqual(source);
  });

  test('keeps hidden guests and the fields of locked events', async () => {
    const { id } = await insertEvent({
      guestsCanSeeOtherGuests: false,
      guestsCanModify: true,
      attendees: [bobsEntry, zoesEntry],
    });
    const readByGuest = await bobsClient.json(`GET ${bobsEventsUrl}/${id}`);
    expect(await bobsClient.status(`PUT ${bobsEventsUrl}/${id}`, { ...readByGuest, summary: 'Seen' })).toBe(
      200,
    );
    expect((await rest.json(`GET ${eventListUrl}/${id}`)).attendees).toEqual(
      expect.arrayContaining([expect.objectContaining(zoesEntry)]),
    );
    const { start, end } = await bobsClient.json(`GET ${bobsEventsUrl}/training`);
    const body = { start, end, transparency: 'transparent' };
    expect(await bobsClient.json(`PUT ${bobsEventsUrl}/training`, body)).toMatchObject({
      summary: 'Training',
      transparency: 'transparent',
    });
  });

  test('restores a cancelled event', async () => {
    const { id } = await insertEvent({ summary: 'Back' });
    await rest.send(`DELETE ${eventListUrl}/${id}`);
    expect((await putEvent(id, { ...times, summary: 'Back' })).status).toBe('confirmed');
    const invitation = await insertEvent({ attendees: [bobsEntry] });
    await bobsClient.send(`DELETE ${bobsEventsUrl}/${invitation.id}`);
    expect((await bobsClient.json(`PUT ${bobsEventsUrl}/${invitation.id}`, times)).status).toBe('confirmed');
  });
});
