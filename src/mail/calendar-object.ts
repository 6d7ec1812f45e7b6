import { wrapComponent, formatContentLine, foldLines, formatTextLine } from '../icalendar/content-lines.ts';
import {
  formatVevent,
  type WritableEvent,
  writeInstance,
  writeSeries,
  type WrittenEvent,
  zoneUsageOf,
} from '../icalendar/event-lines.ts';
import { formatTimeZone } from '../icalendar/time-zone.ts';
import type { DisplayedEvent, RecipientView } from './recipient-view.ts';

/** Writes a change as an iTIP object (RFC 5546) for one recipient. */
export function writeCalendarObject(view: RecipientView): string {
  const events = writeVevents(view);
  return foldLines(
    wrapComponent('VCALENDAR', [
      formatContentLine('PRODID', '-//resource-gateway//guest mails//EN'),
      formatContentLine('VERSION', '2.0'),
      formatContentLine('CALSCALE', 'GREGORIAN'),
      formatContentLine('METHOD', view.attributes.method),
      ...writeTimeZones(events),
      ...events.flatMap(formatVevent),
    ]),
  );
}

/** Writes the event of a mail: an instance, or a series with its changed instances. */
function writeVevents(view: RecipientView): WrittenEvent[] {
  const { instance, changedAt } = view;
  const event = toWritableEvent(view, view.event, changedAt);
  if (instance) return [writeInstance(event, instance.original, instance.zone)];
  const changedInstances = view.changedInstances.map((exception) => ({
    original: exception.original,
    event: toWritableEvent(view, exception.event, exception.changedAt),
  }));
  const exceptions = { changedInstances, excludedOriginals: view.excludedStarts };
  return writeSeries(event, exceptions, changedAt.getTime());
}

function toWritableEvent(view: RecipientView, event: DisplayedEvent, changedAt: Date): WritableEvent {
  const {
    attributes: { method, reason },
    iCalUID,
    organizer,
    guest,
  } = view;
  const { status = 'confirmed' } = event;
  return {
    ...event,
    uid: iCalUID,
    changedAt,
    organizer,
    requestsReply: method === 'REQUEST',
    status: reason === 'removed' ? undefined : reason === 'cancelled' ? 'cancelled' : status,
    furtherLines: guest?.comment ? [formatTextLine('COMMENT', guest.comment)] : [],
  };
}

/** Writes a VTIMEZONE for each zone that the events name. */
function writeTimeZones(events: readonly WrittenEvent[]): string[] {
  const zoneUsages = events.map(zoneUsageOf);
  const from = Math.min(...zoneUsages.map((range) => range.from));
  const to = Math.max(...zoneUsages.map((range) => range.to));
  return [...new Set(zoneUsages.flatMap(({ zones }) => [...zones]))].flatMap((zone) =>
    formatTimeZone(zone, from, to),
  );
}
