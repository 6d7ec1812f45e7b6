import { stores } from '../stores.ts';
import { useCloser } from '../use-resource.ts';
import {
  alice,
  berlin,
  bob,
  carol,
  sampleCalendars,
  withChangedGuest,
  zonedHour,
  rita,
  wanda,
} from '../event/event.harness.ts';
import { calendarsOf } from '../calendar/calendar.harness.ts';
import type { Replacements } from '../../src/app.ts';
import { eventLinesOf, type FeedGateway, linesOf, startFeedGateway } from './feed.harness.ts';

const startMs = Date.parse('2026-12-01T08:00:00Z');
const dayMs = 86_400_000;
const dateAfterDays = (days: number): string => new Date(startMs + days * dayMs).toISOString().slice(0, 10);
const allDayTimes = (days: number) => ({
  start: { date: dateAfterDays(days) },
  end: { date: dateAfterDays(days + 1) },
});

describe.each(stores)('calendar feeds, over $name', ({ useEnvironments }) => {
  const createEnvironment = useEnvironments();
  const closeLater = useCloser();
  let clockMs = startMs;
  let gateway: FeedGateway;
  const startGateway = async (
    env: Record<string, string> = {},
    replacements: Replacements = {},
  ): Promise<FeedGateway> =>
    closeLater(
      await startFeedGateway(
        { ...(await createEnvironment()), ...env },
        { clock: () => clockMs, ...replacements },
      ),
    );
  beforeEach(async () => {
    clockMs = startMs;
    gateway = await startGateway();
  });
  const summariesIn = (body: string): string[] =>
    eventLinesOf(body).map((lines) => (lines.find((line) => line.startsWith('SUMMARY:')) ?? '').slice(8));

  test('resetCalendarFeed creates a feed URL under CALENDAR_URL, and another one each time', async () => {
    expect((await gateway.readCalendar()).event).toMatchObject({ id: alice, feedUrl: null });
    const firstUrl = await gateway.makeFeed();
    expect(firstUrl).toMatch(
      /^https:\/\/calendar\.example\.com\/calendar\/ical\/alice%40example\.com\/private-[\w-]{22,}\/basic\.ics$/,
    );
    expect((await gateway.readCalendar()).event.feedUrl).toBe(firstUrl);
    expect((await gateway.get(firstUrl)).status).toBe(200);
    const secondUrl = await gateway.makeFeed('primary', alice);
    expect(secondUrl).not.toBe(firstUrl);
    expect((await gateway.get(firstUrl)).status).toBe(404);
    expect((await gateway.get(secondUrl)).status).toBe(200);
  });

  test('a feed URL keeps the settings and their etag, and patches keep the URL', async () => {
    const { event: calendarBefore } = await gateway.readCalendar();
    const url = await gateway.makeFeed();
    const { event: calendarAfter } = await gateway.readCalendar();
    expect(calendarAfter.etag).toBe(calendarBefore.etag);
    const calendars = calendarsOf(gateway);
    expect(
      (await calendars.patch(alice, { summary: 'Mine' }, { ifMatch: calendarAfter.etag })).problems,
    ).toEqual([]);
    expect((await gateway.readCalendar()).event.feedUrl).toBe(url);
    expect((await gateway.get(url)).body).toContain('X-WR-CALNAME:Mine');
  });

  test('only owners see and reset the feed URL', async () => {
    const url = await gateway.makeFeed();
    for (const as of [wanda, rita]) {
      expect((await gateway.readCalendar(alice, as)).event.feedUrl).toBeNull();
      expect((await gateway.reset(alice, as)).problems).toEqual(['FORBIDDEN calendarId forbidden']);
    }
    expect((await gateway.reset(alice, 'sten@example.com')).problems).toEqual([
      'NOT_FOUND calendarId notFound',
    ]);
    await calendarsOf(gateway).share(alice, wanda, 'owner');
    expect((await gateway.readCalendar(alice, wanda)).event.feedUrl).toBe(url);
    expect((await gateway.run('{ result: calendars { id feedUrl } }', {})).event).toContainEqual({
      id: alice,
      feedUrl: url,
    });
  });

  test('feedUrl needs the scope calendar; without it the whole operation is refused', async () => {
    const scopes = ['https://www.googleapis.com/auth/calendar.readonly'];
    for (const query of [
      '{ calendar(calendarId: "primary") { id feedUrl } }',
      '{ viewer { email primaryCalendar { feedUrl } } }',
    ]) {
      const { errors, data } = await gateway.ask(query, {}, { scopes });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'insufficientScope' });
      expect(data ?? null).toBeNull();
    }
    const { errors } = await gateway.ask('{ calendar(calendarId: "primary") { id } }', {}, { scopes });
    expect(errors).toBeUndefined();
  });

  test('a feed has the headers and properties of the contract, without a token and for HEAD', async () => {
    const url = await gateway.makeFeed();
    const { status, headers, body } = await gateway.get(url);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^W\/"[\w-]+"$/),
    });
    expect(linesOf(body)).toEqual([
      'BEGIN:VCALENDAR',
      'PRODID:-//resource-gateway//calendar feed//EN',
      'VERSION:2.0',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'X-WR-CALNAME:alice@example.com',
      `X-WR-TIMEZONE:${berlin}`,
      'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
      'END:VCALENDAR',
      '',
    ]);
    const headResponse = await gateway.get(url, {
      method: 'HEAD',
      headers: { authorization: 'Bearer nonsense' },
    });
    expect(headResponse).toMatchObject({ status: 200, body: '', headers: { etag: headers.etag } });
    expect(headResponse.headers).not.toHaveProperty('content-length');
  });

  test('a feed has the events of the last year and later ones, without cancelled ones', async () => {
    await gateway.makeEvent({ summary: 'long ago', ...allDayTimes(-400) });
    await gateway.makeEvent({ summary: 'last year', ...allDayTimes(-360) });
    await gateway.makeEvent({ summary: 'later', ...allDayTimes(5000) });
    await gateway.makeEvent({
      summary: 'ended series',
      ...allDayTimes(-500),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=20'],
    });
    await gateway.makeEvent({
      summary: 'running series',
      ...allDayTimes(-500),
      recurrence: ['RRULE:FREQ=YEARLY'],
    });
    const { id } = await gateway.makeEvent({ summary: 'cancelled' });
    await gateway.changeEvent(id, { status: 'cancelled' });
    const { body } = await gateway.get(await gateway.makeFeed());
    expect(summariesIn(body).sort()).toEqual(['last year', 'later', 'running series']);
  });

  test('a series has its rules, EXDATE for cancelled instances, and changed instances', async () => {
    const { id } = await gateway.makeEvent({
      summary: 'Daily',
      ...zonedHour,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    });
    const [, secondInstance, thirdInstance] = (await gateway.listInstances(id, '2027-01-01T00:00:00Z')) as {
      id: string;
    }[];
    await gateway.changeEvent(secondInstance?.id ?? '', { status: 'cancelled' });
    await gateway.changeEvent(thirdInstance?.id ?? '', {
      summary: 'Moved',
      start: { dateTime: '2026-12-20T09:00:00', timeZone: berlin },
      end: { dateTime: '2026-12-20T10:00:00', timeZone: berlin },
    });
    const { body } = await gateway.get(await gateway.makeFeed());
    const [series, instance] = eventLinesOf(body);
    expect(series).toEqual(
      expect.arrayContaining([
        `DTSTART;TZID=${berlin}:20261201T100000`,
        'RRULE:FREQ=DAILY;COUNT=5',
        `EXDATE;TZID=${berlin}:20261202T100000`,
      ]),
    );
    expect(instance).toEqual(
      expect.arrayContaining([
        `RECURRENCE-ID;TZID=${berlin}:20261203T100000`,
        `DTSTART;TZID=${berlin}:20261220T090000`,
        'SUMMARY:Moved',
      ]),
    );
    expect(body.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1);
    expect(body.indexOf('BEGIN:VTIMEZONE')).toBeLessThan(body.indexOf('BEGIN:VEVENT'));
  });

  test('an instance moved into the range includes its series, which ended before', async () => {
    const { id } = await gateway.makeEvent({
      summary: 'Old',
      ...allDayTimes(-500),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const [firstInstance] = (await gateway.listInstances(id, '2027-01-01T00:00:00Z')) as { id: string }[];
    await gateway.changeEvent(firstInstance?.id ?? '', allDayTimes(10));
    const { body } = await gateway.get(await gateway.makeFeed());
    expect(eventLinesOf(body).map((lines) => lines.some((line) => line.startsWith('RECURRENCE-ID')))).toEqual(
      [false, true],
    );
  });

  test('a feed has the events to which its owner was invited, with responses, also single instances', async () => {
    const { id } = await gateway.makeEvent({
      summary: 'Shared',
      ...zonedHour,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      attendees: [
        { email: bob, displayName: 'Bob; "B"' },
        { email: 'room@example.com', resource: true },
      ],
    });
    const response = withChangedGuest(await gateway.readOn(bob, id), bob, { responseStatus: 'tentative' });
    await gateway.changeEvent(id, response, { as: bob, calendarId: bob });
    const [, invitedInstance] = (await gateway.listInstances(id, '2027-01-01T00:00:00Z')) as { id: string }[];
    await gateway.changeEvent(invitedInstance?.id ?? '', { attendees: [{ email: bob }, { email: carol }] });
    const { body } = await gateway.get(await gateway.makeFeed(bob));
    expect(eventLinesOf(body)[0]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ORGANIZER;CN=.*:mailto:alice@example.com$/),
        expect.stringMatching(/^ATTENDEE;.*PARTSTAT=TENTATIVE:mailto:bob@example.com$/),
        expect.stringMatching(/^ATTENDEE;.*CUTYPE=RESOURCE;.*PARTSTAT=NEEDS-ACTION:mailto:room@example.com$/),
      ]),
    );
    const carolsEvents = eventLinesOf((await gateway.get(await gateway.makeFeed(carol))).body);
    expect(carolsEvents).toEqual([
      expect.arrayContaining([`RECURRENCE-ID;TZID=${berlin}:20261202T100000`, 'SUMMARY:Shared']),
    ]);
    // Bob removes one instance from his calendar.
    await gateway.changeEvent(
      invitedInstance?.id ?? '',
      { status: 'cancelled' },
      { as: bob, calendarId: bob },
    );
    const bodyWithoutSecond = (await gateway.get((await gateway.readCalendar(bob, bob)).event.feedUrl)).body;
    expect(eventLinesOf(bodyWithoutSecond)).toHaveLength(1);
    expect(bodyWithoutSecond).toContain(`EXDATE;TZID=${berlin}:20261202T100000`);
  });

  test('private properties, reminders and colours stay out; privacy and free time are stated', async () => {
    await gateway.makeEvent({
      summary: 'Secret',
      visibility: 'private',
      transparency: 'transparent',
      colorId: '7',
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 17 }] },
      extendedProperties: { private: { inner: 'hidden' }, shared: { outer: 'shown' } },
    });
    const { body } = await gateway.get(await gateway.makeFeed());
    const [lines = []] = eventLinesOf(body);
    expect(lines).toEqual(expect.arrayContaining(['SUMMARY:Secret', 'CLASS:PRIVATE', 'TRANSP:TRANSPARENT']));
    expect(body).not.toMatch(/hidden|VALARM|COLOR/);
  });

  test('an unchanged calendar gives 304 without reading events; every change and each day gives another etag', async () => {
    const readMethods = ['listEvents', 'listCalendar', 'exceptionsOf', 'measureEvents', 'events'] as const;
    const readSpies = readMethods.map((name) => jest.spyOn(gateway.stores.events, name));
    const { id } = await gateway.makeEvent({ summary: 'First' });
    const url = await gateway.makeFeed();
    const readEtag = async (): Promise<string> => (await gateway.get(url)).headers.etag as string;
    const etag = await readEtag();
    readSpies.forEach((read) => read.mockClear());
    for (const header of [etag, `"other", ${etag}`, etag.slice(2), '*']) {
      const answer = await gateway.get(url, { headers: { 'if-none-match': header } });
      expect(answer).toMatchObject({ status: 304, body: '', headers: { etag } });
    }
    for (const read of readSpies) expect(read).not.toHaveBeenCalled();
    expect((await gateway.get(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    await gateway.changeEvent(id, { location: 'Room 5' });
    const etagAfterChange = await readEtag();
    await calendarsOf(gateway).patch(alice, { summary: 'Renamed' });
    const etagAfterRename = await readEtag();
    clockMs += dayMs;
    expect(new Set([etag, etagAfterChange, etagAfterRename, await readEtag()]).size).toBe(4);
  });

  test('a feed gives 60 responses an hour to all clients together; another feed URL has its own limit', async () => {
    const url = await gateway.makeFeed();
    const { etag } = (await gateway.get(url)).headers;
    for (let count = 1; count < 60; count += 1)
      await gateway.get(url, { method: 'HEAD', headers: { 'if-none-match': etag as string } });
    const limitedResponse = await gateway.get(url, { address: '198.51.100.7' });
    expect(limitedResponse).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
    expect((await gateway.get(await gateway.makeFeed(bob))).status).toBe(200);
    clockMs += 3600_000;
    expect((await gateway.get(url)).status).toBe(200);
    expect((await gateway.get(await gateway.makeFeed())).status).toBe(200);
  });

  test('a wrong secret and an unknown calendar give the same 404, and both count for the rate limit of the network', async () => {
    const limitedGateway = await startGateway({ RATE_LIMIT: '10' });
    const url = await limitedGateway.makeFeed();
    const address = '198.51.100.7';
    const guessedUrl = url.replace(/private-[^/]+/, 'private-AAAAAAAAAAAAAAAAAAAAAA');
    const wrongPaths = [
      guessedUrl,
      guessedUrl.replace('alice', 'nobody'),
      guessedUrl.replace('alice', 'bob'),
      url.replace('basic', 'full'),
    ];
    const answers = [];
    for (const path of [...wrongPaths, '/calendar/ical/'])
      answers.push(await limitedGateway.get(path, { address }));
    for (const { status, body, headers } of answers) {
      expect(status).toBe(404);
      expect(body).toBe(answers[0]?.body);
      expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    }
    for (let count = 0; count < 5; count += 1) await limitedGateway.get(guessedUrl, { address });
    expect((await limitedGateway.get(guessedUrl, { address })).status).toBe(429);
    expect((await limitedGateway.get(url, { address: '203.0.113.1' })).status).toBe(200);
  });

  test.each([
    ['many', { count: 10_001, bytes: 0 }],
    ['large', { count: 1, bytes: 10_000_001 }],
  ])('a feed of too %s events is 503 for a day, before any is read', async (_name, size) => {
    const url = await gateway.makeFeed();
    jest
      .spyOn(gateway.stores.events, 'measureEvents')
      .mockResolvedValue({ ...size, earliest: startMs, latest: startMs });
    const listSpy = jest.spyOn(gateway.stores.events, 'listEvents');
    const answer = await gateway.get(url);
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '86400' } });
    expect(answer.body).toMatch(/^This calendar is too large for a feed: .*10000 events.*10 MB/);
    expect(listSpy).not.toHaveBeenCalled();
  });

  test('a changed secret invalidates all feed URLs', async () => {
    const env = await createEnvironment();
    const gatewayBefore = closeLater(await startFeedGateway(env, { clock: () => clockMs }));
    const url = await gatewayBefore.makeFeed();
    const gatewayWithNewSecret = closeLater(
      await startFeedGateway(
        { ...env, SIGNING_SECRET: 'another secret that has 32 bytes or more' },
        { clock: () => clockMs, stores: gatewayBefore.stores },
      ),
    );
    expect((await gatewayWithNewSecret.get(url)).status).toBe(404);
    const newUrl = (await gatewayWithNewSecret.readCalendar()).event.feedUrl as string;
    expect(newUrl).not.toBe(url);
    expect((await gatewayWithNewSecret.get(newUrl)).status).toBe(200);
    expect((await gatewayBefore.get(newUrl)).status).toBe(404);
  });

  test('a feed longer than a page has every event once', async () => {
    const manyEvents = Array.from({ length: 230 }, (_, index) => ({
      id: `event${index}`,
      summary: `no ${index}`,
      ...allDayTimes(index),
    }));
    const fullGateway = await startGateway({}, { seed: { calendars: sampleCalendars(manyEvents) } });
    const { body } = await fullGateway.get(await fullGateway.makeFeed());
    expect(summariesIn(body)).toEqual(manyEvents.map(({ summary }) => summary));
  });
});
