import ICAL from 'ical.js';
import { useCloser } from '../use-resource.ts';
import { readMail } from '../mail/mail-reading.ts';
import type { ReceivedMail } from '../mail/mailbox.ts';
import { startFeedGateway } from './feed.harness.ts';
import { listExpectedStarts, insertSeries, listReadStarts } from './random-series.ts';

const closeLater = useCloser();
const nowMs = Date.parse('2026-12-01T08:00:00Z');

test('every occurrence of a feed has the start that instances returns', async () => {
  const gateway = closeLater(await startFeedGateway({}, { clock: () => nowMs }));
  const ids = await insertSeries(gateway, 40);
  const { body } = await gateway.get(await gateway.makeFeed());
  const { events } = readMail({ calendarText: body } as ReceivedMail);
  expect(listReadStarts(events)).toEqual(await listExpectedStarts(gateway, ids));
  // Each zone is defined once, before the first event that names it.
  const definedZones = new Set<string>();
  for (const line of body.replaceAll('\r\n ', '').split('\r\n')) {
    const [, zone] = /^TZID:(.*)/.exec(line) ?? [];
    const [, namedZone] = /^[A-Z-]+;TZID=([^:;]+)/.exec(line) ?? [];
    if (zone !== undefined) expect(definedZones.has(zone)).toBe(false);
    if (zone !== undefined) definedZones.add(zone);
    if (namedZone !== undefined) expect(definedZones).toContain(namedZone);
  }
});

test('ical.js finds the zones of a feed by itself', async () => {
  const gateway = closeLater(await startFeedGateway({}, { clock: () => nowMs }));
  const expectedStarts = [];
  for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']) {
    const timeAt = (hour: number) => ({ dateTime: `2026-01-15T${hour}:00:00`, timeZone });
    const { id } = await gateway.makeEvent({
      start: timeAt(12),
      end: timeAt(13),
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=80'],
    });
    expectedStarts.push(
      (await gateway.listInstances(id, '2030-01-01T00:00:00Z')).map(({ start }) =>
        Date.parse(start.dateTime),
      ),
    );
  }
  const { body } = await gateway.get(await gateway.makeFeed());
  const calendarComponent = new ICAL.Component(ICAL.parse(body) as unknown[]);
  const icalStarts = calendarComponent.getAllSubcomponents('vevent').map((component) => {
    const starts = new ICAL.Event(component).iterator();
    return Array.from({ length: 80 }, () => starts.next().toUnixTime() * 1000);
  });
  expect(icalStarts).toEqual(expectedStarts);
});
