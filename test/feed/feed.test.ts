import type { AddressInfo } from 'node:net';
import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { CalendarRecord } from '../../src/calendar/calendar.store.ts';
import type { FeedEvent } from '../../src/event/list/feed-events.ts';
import { writeFeed } from '../../src/feed/write-feed.ts';
import { useCloser } from '../use-resource.ts';
import type { LogTarget } from '../../src/core/runtime/log.ts';
import { alice, makeMany, sampleCalendars } from '../event/event.harness.ts';
import { collectLog } from '../log-lines.ts';
import { eventually } from '../eventually.ts';
import { tokenFor } from '../harness.ts';
import { startCollector } from '../telemetry/collector.ts';
import { type FeedGateway, startFeedGateway } from './feed.harness.ts';

const closeLater = useCloser();
const startGatewayWithEvents = (events: readonly object[], logTarget: LogTarget): Promise<FeedGateway> =>
  startGateway({}, { logTarget, seed: { calendars: sampleCalendars(events) } });
const startGateway = async (...startArgs: Parameters<typeof startFeedGateway>): Promise<FeedGateway> =>
  closeLater(await startFeedGateway(...startArgs));

test('without CALENDAR_FEEDS there are no feeds: the mutation is not offered, feedUrl is null, the path unknown', async () => {
  const gatewayBefore = await startGateway();
  const url = await gatewayBefore.makeFeed();
  for (const REST of ['off', 'on']) {
    const gateway = await startGateway({ CALENDAR_FEEDS: 'off', REST }, { stores: gatewayBefore.stores });
    expect((await gateway.reset()).problems).toEqual(['FORBIDDEN notOffered']);
    expect((await gateway.readCalendar()).event.feedUrl).toBeNull();
    expect((await gateway.get(url)).status).toBe(404);
  }
});

test('feeds do not depend on REST, which does not show their URLs', async () => {
  const gateway = await startGateway({ REST: 'on' });
  const url = await gateway.makeFeed();
  expect((await gateway.get(url)).headers['content-type']).toBe('text/calendar; charset=utf-8');
  const headers = { authorization: `Bearer ${await tokenFor(alice)}` };
  for (const path of ['/calendar/v3/users/me/calendarList/primary', '/calendar/v3/calendars/primary']) {
    const { status, body } = await gateway.get(path, { headers });
    expect(status).toBe(200);
    expect(body).not.toMatch(/feed|private-/);
  }
  expect((await gateway.get('/calendar/ical/x/private-y/basic.ics')).headers['content-type']).toMatch(
    /^text\/plain/,
  );
});

test('in the demo the feed URL has the origin of the server, never that of Host', async () => {
  const { app, demoToken } = await compose(readConfig({ HOST: '::1', PORT: '0' }), {
    logLevel: 'silent',
    includesProcessMetrics: false,
  });
  closeLater({ close: () => app.close() });
  await app.listen({ host: '::1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const { body } = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: {
      host: 'evil.example',
      authorization: `Bearer ${demoToken}`,
      'content-type': 'application/json',
    },
    payload: { query: 'mutation { resetCalendarFeed(calendarId: "primary") { feedUrl } }' },
  });
  const { data } = JSON.parse(body) as { data: { resetCalendarFeed: { feedUrl: string } } };
  const { feedUrl } = data.resetCalendarFeed;
  expect(new URL(feedUrl).origin).toBe(`http://[::1]:${port}`);
  const { status, text } = await fetch(feedUrl).then(async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  }));
  expect(status).toBe(200);
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\n[^]*END:VCALENDAR\r\n$/);
});

test('a secret is in no log, metric or trace, however its path is spelled', async () => {
  const { lines, logTo } = collectLog();
  const collector = closeLater(await startCollector());
  const gateway = await startFeedGateway(
    { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
    { logTarget: logTo },
  );
  const url = await gateway.makeFeed();
  const secret = /private-([\w-]+)/.exec(url)?.[1] ?? '';
  const { pathname } = new URL(url);
  const paths = [
    pathname,
    pathname.replace('basic', 'full'),
    pathname.replace('/ical', '//ical'),
    pathname.replace('/calendar/ical', '/CALENDAR/ical'),
    pathname.replace('/calendar/ical', '/cal'),
    pathname.replace('private', '%70rivate'),
    `${pathname}/more`,
    `${pathname}?${secret}`,
  ];
  for (const path of paths) await gateway.app.inject({ url: path });
  await gateway.get('/metrics');
  const { body: metrics } = await gateway.app.inject({ url: '/metrics' });
  expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(paths.length);
  expect(lines.map(({ path }) => path)).toContain('/calendar/ical/alice%40example.com/…');
  expect(JSON.stringify(lines)).not.toContain(secret);
  expect(metrics).toContain('/calendar/ical/*');
  expect(metrics).not.toContain(secret);
  await gateway.close();
  await eventually(async () =>
    expect(collector.spans.filter(({ name }) => name.startsWith('GET')).length).toBeGreaterThanOrEqual(
      paths.length,
    ),
  );
  expect(JSON.stringify(collector.spans)).not.toContain(secret);
});

test('a large feed is compressed for clients that accept it', async () => {
  const gateway = await startGateway();
  for (let count = 0; count < 12; count += 1) await gateway.makeEvent({ summary: 'Lunch '.repeat(40) });
  const url = await gateway.makeFeed();
  const { headers, body } = await gateway.get(url, { headers: { 'accept-encoding': 'gzip' } });
  expect(headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: expect.stringContaining('Accept-Encoding'),
  });
  expect(body.length).toBeLessThan(2000);
});

test('an error while a feed is written cuts it, and is logged', async () => {
  const { lines, logTo } = collectLog();
  const gateway = await startGateway({}, { logTarget: logTo });
  await gateway.makeEvent();
  const url = await gateway.makeFeed();
  jest.spyOn(gateway.stores.events, 'listEvents').mockRejectedValue(new Error('the disk is gone'));
  const answer = await gateway.get(url).catch((error: Error) => error);
  expect(answer instanceof Error || !answer.body.includes('END:VCALENDAR')).toBe(true);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a calendar feed was cut' }));
});

test('a feed with more times than the gateway writes in some seconds is cut', async () => {
  const { lines, logTo } = collectLog();
  const startTime = { dateTime: '2026-12-01T10:00:00Z', timeZone: 'UTC' };
  const dates = makeMany(2_400, (index) =>
    new Date(Date.parse('2027-01-01T10:00:00Z') + index * 3_600_000).toISOString().replace(/[-:]|\.000/g, ''),
  );
  // 103,200 times, above the maximum of 100,000.
  const events = makeMany(43, (index) => ({
    id: `dates${index}`,
    start: startTime,
    end: { ...startTime, dateTime: '2026-12-01T11:00:00Z' },
    recurrence: makeMany(6, (line) => `RDATE:${dates.slice(400 * line, 400 * (line + 1)).join(',')}`),
  }));
  const gateway = await startGatewayWithEvents(events, logTo);
  const answer = await gateway.get(await gateway.makeFeed()).catch((error: Error) => error);
  expect(answer instanceof Error || !answer.body.includes('END:VCALENDAR')).toBe(true);
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'a calendar feed was cut',
      err: expect.objectContaining({ message: 'the times of a feed are too many' }),
    }),
  );
});

describe('writeFeed', () => {
  const calendar = { id: alice, owner: alice, timeZone: 'Europe/Berlin' } as CalendarRecord;
  const range = { from: Date.UTC(2026, 0), to: Date.UTC(2027, 0) };
  /** Writes a feed of events of which only the given fields are set. */
  async function writeEvents(events: readonly object[], limits = {}): Promise<string> {
    const allLimits = { maxLength: 1e6, maxTimes: 1e6, maxZonesLength: 1e6, ...limits };
    async function* streamEvents() {
      for (const event of events)
        yield { event: event as FeedEvent['event'], changedInstances: [], excludedOriginals: [] };
    }
    let text = '';
    for await (const piece of writeFeed(calendar, streamEvents(), range, range.from, allLimits))
      text += piece;
    return text;
  }
  const inBerlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
  const hourTimes = {
    start: inBerlin('2026-05-01T10:00:00+02:00'),
    end: inBerlin('2026-05-01T11:00:00+02:00'),
  };

  test('writes a placeholder organizer, and no guests, for an event without addresses', async () => {
    const text = await writeEvents([{ id: 'e1', ...hourTimes, attendees: [{ id: 'guest' }] }]);
    expect(text).toContain('UID:e1\r\n');
    expect(text).toContain('organizer@no-email.invalid');
    expect(text).not.toContain('ATTENDEE');
    expect(text).toContain(`X-WR-CALNAME:${alice}\r\n`);
  });

  test('ends beyond the limit of times, of time zones, and of its length', async () => {
    const recurrence = ['RRULE:FREQ=MINUTELY;COUNT=90', 'EXRULE:FREQ=MINUTELY;INTERVAL=2'];
    const series = { id: 'series', ...hourTimes, recurrence };
    await expect(writeEvents([series], { maxTimes: 80 })).rejects.toThrow('the times of a feed are too many');
    await expect(writeEvents([series], { maxZonesLength: 200 })).rejects.toThrow(
      'the time zones of a feed are too long',
    );
    const longEvent = { id: 'long', ...hourTimes, description: 'x'.repeat(40_000) };
    await expect(writeEvents([longEvent], { maxLength: 40_000 })).rejects.toThrow('a feed is too long');
    expect(await writeEvents([series, longEvent])).toContain('END:VCALENDAR');
  });
});
