import { componentLines, contentLine, foldLines, textLine } from '../icalendar/content-lines.ts';
import {
  eventComponent,
  type WritableEvent,
  writeInstance,
  writeSeries,
  type WrittenEvent,
  zonesOf,
} from '../icalendar/event-lines.ts';
import { timeZoneLines } from '../icalendar/time-zone.ts';
import type { DisplayedEvent, ReceiverView } from './receiver-view.ts';

/** Writes a change as an iTIP object (RFC 5546) for one receiver. */
export function writeCalendarObject(view: ReceiverView): string {
  const events = writeEvents(view);
  return foldLines(
    componentLines('VCALENDAR', [
      contentLine('PRODID', '-//resource-gateway//guest mails//EN'),
      contentLine('VERSION', '2.0'),
      contentLine('CALSCALE', 'GREGORIAN'),
      contentLine('METHOD', view.attributes.method),
      ...writeTimeZones(events),
      ...events.flatMap(eventComponent),
    ]),
  );
}

function writeEvents(view: ReceiverView): WrittenEvent[] {
  const { instance, changedAt } = view;
  const event = toWritable(view, view.event, changedAt);
  if (instance) return [writeInstance(event, instance.original, instance.zone)];
  const changed = view.changedInstances.map(
    ({ original, event: changedEvent, changedAt: instanceChangedAt }) => ({
      original,
      event: toWritable(view, changedEvent, instanceChangedAt),
    }),
  );
  return writeSeries(event, { changed, excluded: view.excludedStarts }, changedAt.getTime());
}

function toWritable(view: ReceiverView, event: DisplayedEvent, changedAt: Date): WritableEvent {
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
    furtherLines: guest?.comment ? [textLine('COMMENT', guest.comment)] : [],
  };
}

function writeTimeZones(events: readonly WrittenEvent[]): string[] {
  const ranges = events.map(zonesOf);
  const from = Math.min(...ranges.map((range) => range.from));
  const to = Math.max(...ranges.map((range) => range.to));
  return [...new Set(ranges.flatMap(({ zones }) => [...zones]))].flatMap((zone) =>
    timeZoneLines(zone, from, to),
  );
}
