import type { CalendarRecord } from '../calendar/calendar.ts';
import { formatCompact } from '../recurrence/lines.ts';
import { originalStartOf } from '../recurrence/original-start.ts';
import type { FeedEvent } from '../event/list/feed.ts';
import type { EventView } from '../event/visibility/event-view.ts';
import { contentLine, foldLines, textLine } from '../icalendar/content-lines.ts';
import {
  eventComponent,
  type WritableEvent,
  writeInstance,
  writeSeries,
  type WrittenEvent,
  zonesOf,
} from '../icalendar/event-lines.ts';
import { timeZoneLines } from '../icalendar/time-zone.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';

/** Range of times (epoch ms) that VTIMEZONEs describe. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Characters after which lines are sent. */
const pieceLength = 32_768;
/** Limits that end a feed while it is written. Only events made for it come near. */
const feedLimits = {
  /** Characters. Ten megabytes of stored events are far less, unless many instances repeat a long guest list. */
  length: 100_000_000,
  /** Times, with the starts that are expanded to write the dates of an EXRULE: some seconds of work. */
  times: 100_000,
  /** Characters of VTIMEZONEs: 20,000 changes of clocks, which take some seconds to find. */
  zonesLength: 500_000,
};

/**
 * Writes a calendar as an iCalendar object (RFC 5545) in pieces. A VTIMEZONE precedes the first event that names its zone. Throws
 * beyond the limits.
 */
export async function* writeFeed(
  calendar: CalendarRecord,
  events: AsyncIterable<FeedEvent>,
  range: TimeRange,
  now: number,
  limits = feedLimits,
): AsyncGenerator<string> {
  const writtenZones = new Set<string>();
  let [piece, length, zonesLength, timeCount] = [foldLines(headerLines(calendar)), 0, 0, 0];
  for await (const feedEvent of events) {
    for (const written of writeFeedEvent(feedEvent, calendar, now)) {
      const { zones, from, to, ...times } = zonesOf(written);
      timeCount += times.timeCount + (written.expandedStarts ?? 0);
      if (timeCount > limits.times) throw new Error('the times of a feed are too many');
      for (const zone of zones) {
        if (writtenZones.has(zone)) continue;
        writtenZones.add(zone);
        await eventLoop.enter();
        const zoneText = foldLines(timeZoneLines(zone, Math.min(from, range.from), Math.max(to, range.to)));
        zonesLength += zoneText.length;
        if (zonesLength > limits.zonesLength) throw new Error('the time zones of a feed are too long');
        piece += zoneText;
      }
      piece += foldLines(eventComponent(written));
      if (piece.length < pieceLength) continue;
      length += piece.length;
      if (length > limits.length) throw new Error('a feed is too long');
      yield piece;
      piece = '';
      await eventLoop.enter();
    }
  }
  yield `${piece}END:VCALENDAR\r\n`;
}

const headerLines = ({ id, summary, timeZone }: CalendarRecord): string[] => [
  'BEGIN:VCALENDAR',
  contentLine('PRODID', '-//resource-gateway//calendar feed//EN'),
  contentLine('VERSION', '2.0'),
  contentLine('CALSCALE', 'GREGORIAN'),
  contentLine('METHOD', 'PUBLISH'),
  textLine('X-WR-CALNAME', summary ?? id),
  textLine('X-WR-TIMEZONE', timeZone),
  contentLine('REFRESH-INTERVAL', 'PT1H', { VALUE: 'DURATION' }),
];

function writeFeedEvent(
  { event, changed, excluded }: FeedEvent,
  { timeZone }: CalendarRecord,
  now: number,
): WrittenEvent[] {
  const writable = toWritable(event);
  const original = originalStartOf(event.originalStartTime, timeZone);
  if (original !== undefined)
    return [writeInstance(writable, original, event.originalStartTime?.timeZone ?? timeZone)];
  const changedInstances = changed.map(({ original: start, event: instance }) => ({
    original: start,
    event: toWritable(instance),
  }));
  return writeSeries(writable, { changed: changedInstances, excluded }, now);
}

const organizerStandIn = { email: 'organizer@no-email.invalid' };

function toWritable(view: EventView): WritableEvent {
  const { iCalUID, updated, created, organizer, attendees = [], visibility, transparency } = view;
  const { sequence, status, summary, description, location, start, end } = view;
  return {
    ...{ sequence, status, summary, description, location, start, end },
    uid: iCalUID ?? view.id,
    changedAt: new Date(updated ?? 0),
    recurrence: view.recurrence ?? [],
    organizer: { ...organizerStandIn, ...organizer },
    attendees: attendees.flatMap(({ email, displayName, responseStatus, optional, resource }) =>
      email === undefined ? [] : { email, displayName, responseStatus, optional, resource },
    ),
    furtherLines: [
      ...(created === undefined ? [] : [contentLine('CREATED', utcTime(created))]),
      ...(updated === undefined ? [] : [contentLine('LAST-MODIFIED', utcTime(updated))]),
      ...(visibility && visibility !== 'default' ? [contentLine('CLASS', visibility.toUpperCase())] : []),
      contentLine('TRANSP', transparency === 'transparent' ? 'TRANSPARENT' : 'OPAQUE'),
    ],
  };
}

const utcTime = (text: string): string => `${formatCompact(Date.parse(text))}Z`;
