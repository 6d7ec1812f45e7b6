import { events, startRest, type RestGateway } from './rest.harness.ts';

const times = { start: { dateTime: '2026-12-02T10:00:00Z' }, end: { dateTime: '2026-12-02T11:00:00Z' } };
const series = `${events}/standup/instances`;

interface Listed {
  readonly id: string;
}
const ids = (items: readonly Listed[]): string[] => items.map(({ id }) => id);

describe('lists of events over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());

  const list = async (query = '', path = events) => (await gateway.send(`GET ${path}?${query}`)).json;

  test('stand in an envelope that knows their calendar', async () => {
    const { items, nextSyncToken, etag, ...envelope } = await list();
    expect(envelope).toEqual({
      kind: 'calendar#events',
      summary: 'alice@example.com',
      timeZone: 'Europe/Berlin',
      accessRole: 'owner',
      defaultReminders: [{ method: 'popup', minutes: 10 }],
    });
    expect([typeof nextSyncToken, etag]).toEqual(['string', expect.stringMatching(/^".+"$/)]);
    const { data } = await gateway.ask('{ events(calendarId: "primary") { nodes { id etag } } }');
    expect(items.map(({ id, etag: of }: { id: string; etag: string }) => ({ id, etag: of }))).toEqual(
      data.events.nodes,
    );
    const reader = (
      await gateway.send('GET /calendar/v3/calendars/alice@example.com/events', undefined, {
        as: 'bob@example.com',
      })
    ).json;
    expect([reader.accessRole, reader.defaultReminders]).toEqual(['reader', []]);
  });

  test('go on by the token of a page alone, which stands for the whole question', async () => {
    const question =
      'singleEvents=true&orderBy=startTime&timeMin=2026-12-01T00:00:00Z&timeMax=2026-12-12T00:00:00Z&showDeleted=true';
    const all = await list(`${question}&maxResults=2500`);
    let page = await list(`${question}&maxResults=3&timeZone=Asia/Tokyo`);
    const seen: string[] = ids(page.items);
    while (page.nextPageToken !== undefined) {
      expect([page.items.length, page.timeZone, page.nextSyncToken]).toEqual([3, 'Asia/Tokyo', undefined]);
      page = await list(`pageToken=${page.nextPageToken}`);
      seen.push(...ids(page.items));
    }
    expect([seen, typeof page.nextSyncToken]).toEqual([ids(all.items), 'string']);
  });

  test('take other parameters with a token only where those are the same, or concern the page', async () => {
    const { nextPageToken: token } = await list('maxResults=2&q=e&showDeleted=false');
    expect(
      (
        await list(
          `pageToken=${token}&q=e&maxResults=4&timeZone=UTC&maxAttendees=1&fields=items/id&showHiddenInvitations=true`,
        )
      ).items,
    ).toHaveLength(4);
    for (const query of ['q=x', 'showDeleted=true', 'singleEvents=false']) {
      expect(await gateway.send(`GET ${events}?pageToken=${token}&${query}`)).toMatchObject({
        status: 400,
        reasons: ['invalid pageToken'],
      });
    }
    expect(await gateway.send(`GET ${series}?pageToken=${token}`)).toMatchObject({
      status: 400,
      reasons: ['invalid pageToken'],
    });
    expect(
      await gateway.send(`GET ${events}?pageToken=${token}`, undefined, { as: 'bob@example.com' }),
    ).toMatchObject({ status: 400, reasons: ['invalid pageToken'] });
    expect(await gateway.send(`GET ${events}?pageToken=x`)).toMatchObject({
      status: 400,
      reasons: ['invalid pageToken'],
    });
    const page = await list('maxResults=2', series);
    expect(ids((await list(`pageToken=${page.nextPageToken}`, series)).items)).toEqual(
      ids((await list('maxResults=4', series)).items).slice(2),
    );
  });

  test('tell what changed since, cancelled events by id and status', async () => {
    const { nextSyncToken } = await list('singleEvents=false');
    const { json: made } = await gateway.send(`POST ${events}`, { ...times, summary: 'New' });
    const { json: gone } = await gateway.send(`POST ${events}`, { ...times, summary: 'Gone' });
    await gateway.send(`DELETE ${events}/${gone.id}`);
    await gateway.send(`DELETE ${events}/standup_20261202T080000Z`);
    for (const query of ['', '&showDeleted=true']) {
      const changed = await list(`syncToken=${nextSyncToken}${query}`);
      expect(ids(changed.items)).toEqual(
        expect.arrayContaining([made.id, gone.id, 'standup_20261202T080000Z']),
      );
      const cancelled = changed.items
        .filter(({ status }: { status: string }) => status === 'cancelled')
        .map(({ etag: _e, updated: _u, ...rest }: Record<string, unknown>) => rest);
      expect(cancelled).toEqual(
        expect.arrayContaining([
          { kind: 'calendar#event', id: gone.id, status: 'cancelled' },
          {
            kind: 'calendar#event',
            id: 'standup_20261202T080000Z',
            status: 'cancelled',
            recurringEventId: 'standup',
            originalStartTime: { dateTime: '2026-12-02T09:00:00+01:00', timeZone: 'Europe/Berlin' },
          },
        ]),
      );
      expect(typeof changed.nextSyncToken).toBe('string');
    }
  });

  test('refuse a token that cannot be used with 410, and one with a filter with 400', async () => {
    const { nextSyncToken } = await list();
    const gone = {
      status: 410,
      reasons: ['fullSyncRequired syncToken'],
      json: {
        error: { status: 'FAILED_PRECONDITION', errors: [{ domain: 'calendar', locationType: 'parameter' }] },
      },
    };
    expect(await gateway.send(`GET ${events}?syncToken=abc`)).toMatchObject(gone);
    expect(await gateway.send(`GET ${events}?syncToken=${nextSyncToken}&singleEvents=true`)).toMatchObject(
      gone,
    );
    for (const path of ['users/me/calendarList', 'calendars/primary/acl'])
      expect(await gateway.send(`GET /calendar/v3/${path}?syncToken=abc`)).toMatchObject(gone);
    expect(await gateway.send(`GET ${events}?syncToken=${nextSyncToken}&q=x`)).toMatchObject({
      status: 400,
      reasons: ['invalid q'],
    });
    expect(await gateway.send(`GET ${events}?syncToken=${nextSyncToken}&showDeleted=false`)).toMatchObject({
      status: 400,
      reasons: ['invalid showDeleted'],
    });
  });

  test('hold events of the type default alone', async () => {
    expect((await list('eventTypes=focusTime&eventTypes=outOfOffice')).items).toEqual([]);
    const { nextSyncToken, nextPageToken } = await list('eventTypes=focusTime');
    expect([typeof nextSyncToken, nextPageToken]).toEqual(['string', undefined]);
    const changed = await list(`eventTypes=focusTime&syncToken=${nextSyncToken}`);
    expect([changed.items, typeof changed.nextSyncToken]).toEqual([[], 'string']);
    const first = await list('eventTypes=focusTime&maxResults=2');
    expect([first.items, typeof first.nextPageToken]).toEqual([[], 'string']);
    expect((await list(`pageToken=${first.nextPageToken}`)).items).toEqual([]);
    expect((await list('eventTypes=focusTime&eventTypes=default')).items.length).toBeGreaterThan(3);
    expect(await gateway.send(`GET ${events}?eventTypes=party`)).toMatchObject({
      status: 400,
      reasons: ['invalidParameter eventTypes'],
    });
    expect(
      (await gateway.send('GET /calendar/v3/calendars/nobody@example.com/events?eventTypes=focusTime'))
        .status,
    ).toBe(404);
  });

  test('find an instance by its original start', async () => {
    const start = 'originalStart=2026-12-04T09:00:00%2B01:00';
    expect(ids((await list(start, series)).items)).toEqual(['standup_20261204T080000Z']);
    await gateway.send(`PATCH ${events}/standup_20261204T080000Z`, {
      start: { dateTime: '2026-12-20T10:00:00Z' },
      end: { dateTime: '2026-12-20T11:00:00Z' },
    });
    expect((await list(`${start}&timeZone=UTC`, series)).items[0]).toMatchObject({
      start: { dateTime: '2026-12-20T10:00:00Z' },
    });
    expect((await list('originalStart=2026-12-04T09:30:00Z', series)).items).toEqual([]);
    for (const [range, found] of [
      ['timeMin=2026-12-20T10:59:00Z', 1],
      ['timeMin=2026-12-20T11:00:00Z', 0],
      ['timeMax=2026-12-20T10:00:00Z', 0],
      ['timeMin=2026-12-01T00:00:00Z&timeMax=2026-12-20T10:01:00Z', 1],
      ['timeMin=2027-12-01T00:00:00Z', 0],
    ] as const) {
      expect([range, (await list(`${start}&${range}`, series)).items.length]).toEqual([range, found]);
    }
    const days = (
      await gateway.send(`POST ${events}`, {
        start: { date: '2027-03-01' },
        end: { date: '2027-03-02' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      })
    ).json.id as string;
    for (const [range, found] of [
      ['timeMin=2027-03-03T23:30:00%2B01:00', 1],
      ['timeMin=2027-03-03T23:00:00Z', 0],
    ] as const) {
      expect(
        (await list(`originalStart=2027-03-03&${range}`, `${events}/${days}/instances`)).items,
      ).toHaveLength(found);
    }
    await gateway.send(`DELETE ${events}/standup_20261207T080000Z`);
    expect((await list('originalStart=2026-12-07T08:00:00Z', series)).items).toEqual([]);
    expect((await list('originalStart=2026-12-07T08:00:00Z&showDeleted=true', series)).items).toHaveLength(1);
    expect(await gateway.send(`GET ${series}?originalStart=2026-12-07T08:00:00`)).toMatchObject({
      status: 400,
      reasons: ['invalid originalStart'],
    });
    expect(await gateway.send(`GET ${series}?originalStart=noon`)).toMatchObject({
      status: 400,
      reasons: ['invalid originalStart'],
    });
    expect((await gateway.send(`GET ${events}/teammeeting/instances?originalStart=2026-12-07`)).status).toBe(
      400,
    );
  });
});

test('an instance by its original start costs two operations, each within the limit', async () => {
  const gateway = await startRest({ RATE_LIMIT: '3' });
  const ask = () => gateway.send(`GET ${series}?originalStart=2026-12-04T08:00:00Z`);
  expect([(await ask()).status, await ask()]).toMatchObject([
    200,
    { status: 429, reasons: ['rateLimitExceeded'] },
  ]);
  await gateway.close();
});
