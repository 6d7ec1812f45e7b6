import { eventListUrl, times, useRest } from './rest.harness.ts';

const instancesUrl = `${eventListUrl}/standup/instances`;

const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

describe('lists of events over REST', () => {
  const rest = useRest();
  const bobsClient = rest.as('bob@example.com');
  const readList = (query = '', path = eventListUrl) => rest.json(`GET ${path}?${query}`);

  test('have an envelope with the properties of the calendar', async () => {
    const { items, nextSyncToken, etag, ...envelope } = await readList();
    expect(envelope).toEqual({
      kind: 'calendar#events',
      summary: 'alice@example.com',
      timeZone: 'Europe/Berlin',
      accessRole: 'owner',
      defaultReminders: [{ method: 'popup', minutes: 10 }],
    });
    expect([nextSyncToken, etag]).toEqual([expect.any(String), expect.stringMatching(/^".+"$/)]);
    const { data } = await rest.ask('{ events(calendarId: "primary") { nodes { id } } }');
    expect(idsOf(items)).toEqual(idsOf(data.events.nodes));
    expect(await bobsClient.json('GET /calendar/v3/calendars/alice@example.com/events')).toMatchObject({
      accessRole: 'reader',
      defaultReminders: [],
    });
  });

  test('continue with a page token alone, which holds the query', async () => {
    const query =
      'singleEvents=true&orderBy=startTime&timeMin=2026-12-01T00:00:00Z&timeMax=2026-12-12T00:00:00Z&showDeleted=true';
    const fullList = await readList(`${query}&maxResults=2500`);
    let page = await readList(`${query}&maxResults=3&timeZone=Asia/Tokyo`);
    const listedIds: string[] = idsOf(page.items);
    while (page.nextPageToken !== undefined) {
      expect([page.items.length, page.timeZone, page.nextSyncToken]).toEqual([3, 'Asia/Tokyo', undefined]);
      page = await readList(`pageToken=${page.nextPageToken}`);
      listedIds.push(...idsOf(page.items));
    }
    expect([listedIds, typeof page.nextSyncToken]).toEqual([idsOf(fullList.items), 'string']);
  });

  test('accept a page token with the same filters, or with parameters of the page', async () => {
    const { nextPageToken: token } = await readList('maxResults=2&q=e&showDeleted=false');
    const pageParameters =
      'q=e&maxResults=4&timeZone=UTC&maxAttendees=1&fields=items/id&showHiddenInvitations=true';
    expect((await readList(`pageToken=${token}&${pageParameters}`)).items).toHaveLength(4);
    for (const [client, request] of [
      [rest, `${eventListUrl}?pageToken=${token}&q=x`],
      [rest, `${eventListUrl}?pageToken=${token}&showDeleted=true`],
      [rest, `${eventListUrl}?pageToken=${token}&singleEvents=false`],
      [rest, `${instancesUrl}?pageToken=${token}`],
      [rest, `${eventListUrl}?pageToken=x`],
      [bobsClient, `${eventListUrl}?pageToken=${token}`],
    ] as const)
      expect(await client.refusal(`GET ${request}`)).toBe('400 invalid pageToken');
    const { nextPageToken } = await readList('maxResults=2', instancesUrl);
    expect(idsOf((await readList(`pageToken=${nextPageToken}`, instancesUrl)).items)).toEqual(
      idsOf((await readList('maxResults=4', instancesUrl)).items).slice(2),
    );
  });

  test('show changes since a sync token, cancelled events with id and status', async () => {
    const { nextSyncToken } = await readList('singleEvents=false');
    const createdEvent = await rest.json(`POST ${eventListUrl}`, { ...times, summary: 'New' });
    const deletedEvent = await rest.json(`POST ${eventListUrl}`, { ...times, summary: 'Gone' });
    await rest.send(`DELETE ${eventListUrl}/${deletedEvent.id}`);
    const instanceId = 'standup_20261202T080000Z';
    await rest.send(`DELETE ${eventListUrl}/${instanceId}`);
    for (const query of ['', '&showDeleted=true']) {
      const changesPage = await readList(`syncToken=${nextSyncToken}${query}`);
      expect(idsOf(changesPage.items)).toEqual(
        expect.arrayContaining([createdEvent.id, deletedEvent.id, instanceId]),
      );
      const cancelledItems = changesPage.items
        .filter(({ status }: { status: string }) => status === 'cancelled')
        .map(({ etag: _e, updated: _u, kind: _k, ...otherFields }: Record<string, unknown>) => otherFields);
      const originalStartTime = { dateTime: '2026-12-02T09:00:00+01:00', timeZone: 'Europe/Berlin' };
      expect(cancelledItems).toEqual(
        expect.arrayContaining([
          { id: deletedEvent.id, status: 'cancelled' },
          { id: instanceId, status: 'cancelled', recurringEventId: 'standup', originalStartTime },
        ]),
      );
      expect(changesPage.nextSyncToken).toEqual(expect.any(String));
    }
  });

  test('refuse an unusable sync token with 410, and one with a filter with 400', async () => {
    const { nextSyncToken } = await readList();
    for (const request of [
      `${eventListUrl}?syncToken=abc`,
      `${eventListUrl}?syncToken=${nextSyncToken}&singleEvents=true`,
      '/calendar/v3/users/me/calendarList?syncToken=abc',
      '/calendar/v3/calendars/primary/acl?syncToken=abc',
    ])
      expect(await rest.send(`GET ${request}`)).toMatchObject({
        status: 410,
        reasons: ['fullSyncRequired syncToken'],
        json: {
          error: {
            status: 'FAILED_PRECONDITION',
            errors: [{ domain: 'calendar', locationType: 'parameter' }],
          },
        },
      });
    const syncRequest = `GET ${eventListUrl}?syncToken=${nextSyncToken}`;
    expect(await rest.refusal(`${syncRequest}&q=x`)).toBe('400 invalid q');
    expect(await rest.refusal(`${syncRequest}&showDeleted=false`)).toBe('400 invalid showDeleted');
  });

  test('contain only events of the type default', async () => {
    expect((await readList('eventTypes=focusTime&eventTypes=outOfOffice')).items).toEqual([]);
    const { nextSyncToken, nextPageToken } = await readList('eventTypes=focusTime');
    expect([typeof nextSyncToken, nextPageToken]).toEqual(['string', undefined]);
    const typedChanges = await readList(`eventTypes=focusTime&syncToken=${nextSyncToken}`);
    expect([typedChanges.items, typeof typedChanges.nextSyncToken]).toEqual([[], 'string']);
    const firstPage = await readList('eventTypes=focusTime&maxResults=2');
    expect([firstPage.items, typeof firstPage.nextPageToken]).toEqual([[], 'string']);
    expect((await readList(`pageToken=${firstPage.nextPageToken}`)).items).toEqual([]);
    expect((await readList('eventTypes=focusTime&eventTypes=default')).items.length).toBeGreaterThan(3);
    expect(await rest.refusal(`GET ${eventListUrl}?eventTypes=party`)).toBe(
      '400 invalidParameter eventTypes',
    );
    const unknownUrl = '/calendar/v3/calendars/nobody@example.com/events';
    expect(await rest.status(`GET ${unknownUrl}?eventTypes=focusTime`)).toBe(404);
  });

  test('find an instance by its original start', async () => {
    const startQuery = 'originalStart=2026-12-04T09:00:00%2B01:00';
    const countItems = async (query: string, path?: string) =>
      (await readList(query, path ?? instancesUrl)).items.length;
    expect(idsOf((await readList(startQuery, instancesUrl)).items)).toEqual(['standup_20261204T080000Z']);
    const movedTimes = {
      start: { dateTime: '2026-12-20T10:00:00Z' },
      end: { dateTime: '2026-12-20T11:00:00Z' },
    };
    await rest.send(`PATCH ${eventListUrl}/standup_20261204T080000Z`, movedTimes);
    expect((await readList(`${startQuery}&timeZone=UTC`, instancesUrl)).items).toMatchObject([
      { start: movedTimes.start },
    ]);
    expect(await countItems('originalStart=2026-12-04T09:30:00Z')).toBe(0);
    for (const [range, count] of [
      ['timeMin=2026-12-20T10:59:00Z', 1],
      ['timeMin=2026-12-20T11:00:00Z', 0],
      ['timeMax=2026-12-20T10:00:00Z', 0],
      ['timeMin=2026-12-01T00:00:00Z&timeMax=2026-12-20T10:01:00Z', 1],
      ['timeMin=2027-12-01T00:00:00Z', 0],
    ] as const)
      expect([range, await countItems(`${startQuery}&${range}`)]).toEqual([range, count]);
    await rest.send(`DELETE ${eventListUrl}/standup_20261207T080000Z`);
    expect(await countItems('originalStart=2026-12-07T08:00:00Z')).toBe(0);
    expect(await countItems('originalStart=2026-12-07T08:00:00Z&showDeleted=true')).toBe(1);
    const oneDay = { start: { date: '2027-03-01' }, end: { date: '2027-03-02' } };
    const dailySeries = { ...oneDay, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
    const dailyInstancesUrl = `${eventListUrl}/${(await rest.json(`POST ${eventListUrl}`, dailySeries)).id}/instances`;
    expect(
      await countItems('originalStart=2027-03-03&timeMin=2027-03-03T23:30:00%2B01:00', dailyInstancesUrl),
    ).toBe(1);
    expect(await countItems('originalStart=2027-03-03&timeMin=2027-03-03T23:00:00Z', dailyInstancesUrl)).toBe(
      0,
    );
    for (const text of ['2026-12-07T08:00:00', 'noon'])
      expect(await rest.refusal(`GET ${instancesUrl}?originalStart=${text}`)).toBe(
        '400 invalid originalStart',
      );
    expect(await rest.status(`GET ${eventListUrl}/teammeeting/instances?originalStart=2026-12-07`)).toBe(400);
  });
});
