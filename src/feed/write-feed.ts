import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { formatCompact } from '../recurrence/rule.ts';
import { toOriginalStart } from '../recurrence/original-start.ts';
import type { FeedEvent } from '../event/list/feed-events.ts';
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
import { formatTimeZone } from '../icalendar/time-zone.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';

/** Range of times (epoch ms) that all VTIMEZONEs of a feed describe at least. */
interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Length (characters) at which the collected text is sent as a piece. */
const minSentLength = 32_768;
/** Limits beyond which writing a feed fails. Only events that were made to exhaust the gateway come near. */
const feedLimits = {
  /** Characters. Ten megabytes of stored events are far less, unless many instances repeat a long guest list. */
  maxLength: 100_000_000,
  /** Times of all events, with the starts that are expanded to write an EXRULE as EXDATEs: some seconds of work. */
  maxTimes: 100_000,
  /** Characters of VTIMEZONEs: 20,000 clock changes, which take some seconds to find. */
  maxZonesLength: 500_000,
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
  let [piece, sentLength, writtenZonesLength, timeCount] = [foldLines(formatHeaderLines(calendar)), 0, 0, 0];
  for await (const feedEvent of events) {
    for (const writtenEvent of writeFeedEvent(feedEvent, calendar, now)) {
      const { zones, from, to, ...zoneUsage } = zoneUsageOf(writtenEvent);
      timeCount += zoneUsage.timeCount + (writtenEvent.expandedStartCount ?? 0);
      if (timeCount > limits.maxTimes) throw new Error('the times of a feed are too many');
      for (const zone of zones) {
        if (writtenZones.has(zone)) continue;
        writtenZones.add(zone);
        await eventLoop.enter();
        const zoneText = foldLines(formatTimeZone(zone, Math.min(from, range.from), Math.max(to, range.to)));
        writtenZonesLength += zoneText.length;
        if (writtenZonesLength > limits.maxZonesLength)
          throw new Error('the time zones of a feed are too long');
        piece += zoneText;
      }
      piece += foldLines(formatVevent(writtenEvent));
      if (piece.length < minSentLength) continue;
      sentLength += piece.length;
      if (sentLength > limits.maxLength) throw new Error('a feed is too long');
      yield piece;
      piece = '';
      await eventLoop.enter();
    }
  }
  yield `${piece}END:VCALENDAR\r\n`;
}

const formatHeaderLines = ({ id, summary, timeZone }: CalendarRecord): string[] => [
  'BEGIN:VCALENDAR',
  formatContentLine('PRODID', '-//resource-gateway//calendar feed//EN'),
  formatContentLine('VERSION', '2.0'),
  formatContentLine('CALSCALE', 'GREGORIAN'),
  formatContentLine('METHOD', 'PUBLISH'),
  formatTextLine('X-WR-CALNAME', summary ?? id),
  formatTextLine('X-WR-TIMEZONE', timeZone),
  formatContentLine('REFRESH-INTERVAL', 'PT1H', { VALUE: 'DURATION' }),
];

/** Writes an event: a series with its changed instances, one instance, or an event that does not recur. */
function writeFeedEvent(
  { event, changedInstances: changed, excludedOriginals }: FeedEvent,
  { timeZone }: CalendarRecord,
  now: number,
): WrittenEvent[] {
  const writableEvent = toWritableEvent(event);
  const originalStart = toOriginalStart(event.originalStartTime, timeZone);
  if (originalStart !== undefined)
    return [writeInstance(writableEvent, originalStart, event.originalStartTime?.timeZone ?? timeZone)];
  const changedInstances = changed.map(({ original: start, event: instance }) => ({
    original: start,
    event: toWritableEvent(instance),
  }));
  return writeSeries(writableEvent, { changedInstances, excludedOriginals }, now);
}

/** Organizer without an address, since ORGANIZER needs one. */
const placeholderOrganizer = { email: 'organizer@no-email.invalid' };

function toWritableEvent(view: EventView): WritableEvent {
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
