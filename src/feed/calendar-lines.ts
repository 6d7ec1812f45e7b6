import type { CalendarRecord } from '../calendar/calendar.ts';
import { formatCompact } from '../recurrence/lines.ts';
import { toOriginalStart } from '../recurrence/original-start.ts';
import type { FeedEvent } from '../event/list/feed.ts';
import type { EventView } from '../event/visibility/event-view.ts';
import { formatContentLine, foldLines, formatTextLine } from '../icalendar/content-lines.ts';
import {
  formatVevent,
  type WritableEvent,
  writeInstance,
  writeSeries,
  type WrittenEvent,
  zoneUsageOf,
} from '../icalendar/event-lines.ts';
import { timeZoneLines } from '../icalendar/time-zone.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';

/** Range of times (epoch ms) that VTIMEZONEs describe. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Length (characters) from which a piece is sent. */
const minPieceLength = 32_768;
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
    for (const writtenEvent of writeFeedEvent(feedEvent, calendar, now)) {
      const { zones, from, to, ...zoneUsage } = zoneUsageOf(writtenEvent);
      timeCount += zoneUsage.timeCount + (writtenEvent.expandedStartCount ?? 0);
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
      piece += foldLines(formatVevent(writtenEvent));
      if (piece.length < minPieceLength) continue;
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
  formatContentLine('PRODID', '-//resource-gateway//calendar feed//EN'),
  formatContentLine('VERSION', '2.0'),
  formatContentLine('CALSCALE', 'GREGORIAN'),
  formatContentLine('METHOD', 'PUBLISH'),
  formatTextLine('X-WR-CALNAME', summary ?? id),
  formatTextLine('X-WR-TIMEZONE', timeZone),
  formatContentLine('REFRESH-INTERVAL', 'PT1H', { VALUE: 'DURATION' }),
];

function writeFeedEvent(
  { event, changed, excluded: excludedOriginals }: FeedEvent,
  { timeZone }: CalendarRecord,
  now: number,
): WrittenEvent[] {
  const writableEvent = toWritable(event);
  const original = toOriginalStart(event.originalStartTime, timeZone);
  if (original !== undefined)
    return [writeInstance(writableEvent, original, event.originalStartTime?.timeZone ?? timeZone)];
  const changedInstances = changed.map(({ original: start, event: instance }) => ({
    original: start,
    event: toWritable(instance),
  }));
  return writeSeries(writableEvent, { changedInstances: changedInstances, excludedOriginals }, now);
}

/** Organizer without an address, since ORGANIZER needs one. */
const placeholderOrganizer = { email: 'organizer@no-email.invalid' };

function toWritable(view: EventView): WritableEvent {
  const { iCalUID, updated, created, organizer, attendees = [], visibility, transparency } = view;
  const { sequence, status, summary, description, location, start, end } = view;
  return {
    ...{ sequence, status, summary, description, location, start, end },
    uid: iCalUID ?? view.id,
    changedAt: new Date(updated ?? 0),
    recurrence: view.recurrence ?? [],
    organizer: { ...placeholderOrganizer, ...organizer },
    attendees: attendees.flatMap(({ email, displayName, responseStatus, optional, resource }) =>
      email === undefined ? [] : { email, displayName, responseStatus, optional, resource },
    ),
    furtherLines: [
      ...(created === undefined ? [] : [formatContentLine('CREATED', formatUtc(created))]),
      ...(updated === undefined ? [] : [formatContentLine('LAST-MODIFIED', formatUtc(updated))]),
      ...(visibility && visibility !== 'default'
        ? [formatContentLine('CLASS', visibility.toUpperCase())]
        : []),
      formatContentLine('TRANSP', transparency === 'transparent' ? 'TRANSPARENT' : 'OPAQUE'),
    ],
  };
}

const formatUtc = (text: string): string => `${formatCompact(Date.parse(text))}Z`;
