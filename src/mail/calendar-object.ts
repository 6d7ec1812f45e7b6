import { startOf } from '../event/recurrence/instance-id.ts';
import {
  knownZone,
  namedZone,
  timesLines,
  whenOf,
  writtenTime,
  type TimesLine,
  type When,
} from './calendar-times.ts';
import {
  component,
  contentLine,
  mailtoUri,
  printLines,
  textLine,
  textValue,
  type Parameters,
} from './content-lines.ts';
import { longestName, type MailGuest } from './mail.ts';
import { cleaned, onOneLine } from './plain-text.ts';
import type { ReceiverView, ToldEvent } from './receiver-view.ts';
import { lastStartOf, recurrenceLines, seriesStart } from './recurrence-lines.ts';
import { timeZoneLines } from './time-zone.ts';

/** A line of an event; its times are written when all are known. */
type EventLine = string | TimesLine;

const partStats = {
  needsAction: 'NEEDS-ACTION',
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
} as const;

/** What a mail says as an iTIP object (RFC 5546). */
export function calendarObject(view: ReceiverView): string {
  const events = eventsOf(view);
  const written = events.flatMap(({ lines }) =>
    component(
      'VEVENT',
      lines.flatMap((line) => (typeof line === 'string' ? [line] : timesLines(line))),
    ),
  );
  return printLines(
    component('VCALENDAR', [
      contentLine('PRODID', '-//resource-gateway//guest mails//EN'),
      contentLine('VERSION', '2.0'),
      contentLine('CALSCALE', 'GREGORIAN'),
      contentLine('METHOD', view.attributes.method),
      ...zonesOf(events),
      ...written,
    ]),
  );
}

interface WrittenEvent {
  readonly lines: readonly EventLine[];
  /** When it ends for the last time. */
  readonly last: number;
}

/** The event first, then the instances of a series. */
function eventsOf(view: ReceiverView): WrittenEvent[] {
  const { event, instance, changed, excluded } = view;
  const start = whenOf(event.start);
  if (instance) return [writtenEvent(view, event, originalOf(instance.original, instance.zone))];
  if (!start || event.recurrence.length === 0) return [writtenEvent(view, event)];
  const original = (text: string): When => originalOf(text, start.zone ?? 'UTC');
  const now = view.at.getTime();
  const series = writtenEvent(
    view,
    event,
    undefined,
    recurrenceLines(event, start, now, excluded.map(original)),
    seriesStart(start),
  );
  return [
    { ...series, last: lastStartOf(event, start, now) + series.last - start.at },
    ...changed.map((one) => writtenEvent({ ...view, at: one.at }, one.event, original(one.original))),
  ];
}

function originalOf(original: string, zone: string): When {
  const at = startOf(original);
  return original.includes('T') ? { at, zone: knownZone(zone) } : { at };
}

function writtenEvent(
  view: ReceiverView,
  event: ToldEvent,
  original?: When,
  recurrence: readonly EventLine[] = [],
  told?: When,
): WrittenEvent {
  const {
    attributes: { method, reason },
    iCalUID,
    at,
    organizer,
    guest,
  } = view;
  const [start, end] = [whenOf(event.start), whenOf(event.end)];
  const moved = told && start ? start.at - told.at : 0;
  const isLater = start !== undefined && end !== undefined && end.at > start.at;
  const times = (name: string, when: When | undefined): EventLine[] =>
    when ? [{ name, times: [when] }] : [];
  const text = (name: string, value: string | undefined): EventLine[] =>
    value ? [textLine(name, value)] : [];
  const status = reason === 'cancelled' ? 'cancelled' : (event.status ?? 'confirmed');
  return {
    last: isLater ? end.at : (start?.at ?? -Infinity),
    lines: [
      textLine('UID', iCalUID),
      contentLine('DTSTAMP', `${writtenTime(at.getTime())}Z`),
      contentLine('SEQUENCE', String(event.sequence ?? 0)),
      ...times('RECURRENCE-ID', original),
      ...times('DTSTART', told ?? start),
      ...times('DTEND', isLater ? { ...end, at: end.at - moved } : undefined),
      ...recurrence,
      contentLine('SUMMARY', textValue(event.summary ?? '')),
      ...text('DESCRIPTION', event.description),
      ...text('LOCATION', event.location),
      ...(reason === 'removed' ? [] : [contentLine('STATUS', status.toUpperCase())]),
      contentLine('ORGANIZER', mailtoUri(organizer.email), { CN: nameOf(organizer) }),
      ...event.attendees.map((one) =>
        contentLine('ATTENDEE', mailtoUri(one.email), parametersOf(one, method === 'REQUEST')),
      ),
      ...text('COMMENT', guest?.comment),
    ],
  };
}

const nameOf = ({
  displayName = '',
  email,
}: {
  readonly displayName?: string;
  readonly email: string;
}): string =>
  [...(onOneLine(displayName) === '' ? email : cleaned(displayName))].slice(0, longestName).join('');

function parametersOf(guest: MailGuest, asks: boolean): Parameters {
  const { responseStatus = 'needsAction', optional, resource } = guest;
  return {
    CN: nameOf(guest),
    CUTYPE: resource ? 'RESOURCE' : 'INDIVIDUAL',
    ROLE: optional ? 'OPT-PARTICIPANT' : 'REQ-PARTICIPANT',
    PARTSTAT: partStats[responseStatus],
    RSVP: asks && responseStatus === 'needsAction' ? 'TRUE' : undefined,
  };
}

/** The zones that are named, for as long as the events last. */
function zonesOf(events: readonly WrittenEvent[]): string[] {
  const times = events.flatMap(({ lines }) =>
    lines.flatMap((line) => (typeof line === 'string' ? [] : line.times)),
  );
  const zones = new Set(times.map(namedZone).filter((zone) => zone !== undefined));
  const bound = (pick: (one: number, other: number) => number, first: number): number =>
    times.reduce((found, { at }) => pick(found, at), first);
  const [from, to] = [
    bound(Math.min, Infinity),
    bound(Math.max, Math.max(...events.map(({ last }) => last))),
  ];
  return [...zones].flatMap((zone) => timeZoneLines(zone, from, to));
}
