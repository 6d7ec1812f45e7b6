import { clockOf } from '../core/time/zone-clock.ts';
import { type Occurrences, occurrencesOf } from '../recurrence/occurrences.ts';
import { startOf } from '../recurrence/original-start.ts';
import { partsOf } from '../recurrence/lines.ts';
import { datesOf, untilOf } from '../recurrence/recurrence-set.ts';
import { readRule } from '../recurrence/rule.ts';
import {
  cleaned,
  component,
  contentLine,
  knownZone,
  mailtoUri,
  namedZone,
  onOneLine,
  type Parameters,
  printLines,
  textLine,
  textValue,
  type TimesLine,
  timesLines,
  type When,
  whenOf,
  writtenTime,
} from './content-lines.ts';
import { longestName, type MailGuest } from './mail.ts';
import type { ReceiverView, DisplayedEvent } from './receiver-view.ts';
import { timeZoneLines } from './time-zone.ts';

/** A line of an event; its times are written when all are known. */
type EventLine = string | TimesLine;

const tenYears = 3653 * 86_400_000;
/** Starts beyond this number are not searched for those that an EXRULE excludes. */
const mostStarts = 20_000;
const pageSize = 1000;

/** The last start of a series for which its lines must hold: of endless ones, in ten years. */
const lastStartOf = (event: DisplayedEvent, start: When, now: number): number =>
  occurrencesOf(event).last() ?? Math.max(start.at, now) + tenYears;

/** The start of a series as a local time; of two equal ones the first, which is an hour too early for the second. */
function seriesStart({ at, zone }: When): When {
  if (zone === undefined) return { at };
  const clock = clockOf(zone);
  return { at: clock.toInstant(clock.toLocal(at)), zone };
}

/**
 * The rules of a series as RFC 5545 has them, and as its instances are: none is before the start, and all are as long as
 * the event. EXRULE is of RFC 2445: EXDATEs stand for it.
 */
function recurrenceLines(
  event: DisplayedEvent,
  start: When,
  now: number,
  excluded: readonly When[],
): EventLine[] {
  const { zone = 'UTC' } = start;
  const isDay = start.zone === undefined;
  const lines = event.recurrence.map(partsOf).map((line) => ({ ...line, name: line.name.toUpperCase() }));
  const datesIn = (kind: string): When[] =>
    lines
      .filter(({ name }) => name === kind)
      .flatMap(({ parameters, value }) => datesOf(parameters, value, zone))
      .map((date) =>
        isDay ? { at: date.local } : { at: clockOf(date.zone).toInstant(date.local), zone: date.zone },
      );
  const local = seriesStart(start);
  const [insteadOf, moved] = local.at === start.at ? [[], []] : [[local], [start]];
  const rules = lines.filter(({ name, value }) => name === 'RRULE' && readRule(value) !== undefined);
  return [
    ...rules.map(({ value }) => contentLine('RRULE', writtenRule(value, zone, isDay))),
    { name: 'RDATE', times: distinct([...moved, ...datesIn('RDATE').filter(({ at }) => at >= start.at)]) },
    {
      name: 'EXDATE',
      times: distinct([
        ...insteadOf,
        ...datesIn('EXDATE'),
        ...excludedByRule(event, start, now),
        ...excluded,
      ]),
    },
  ];
}

/** FREQ comes first; UNTIL is a day where the start is one, else a time in UTC. */
function writtenRule(value: string, zone: string, isDay: boolean): string {
  const parts = value
    .toUpperCase()
    .replace(/[^A-Z0-9=;,+-]/g, '')
    .split(';')
    .map((part) => {
      if (!part.startsWith('UNTIL=')) return part;
      const until = writtenTime(untilOf(part.slice('UNTIL='.length), clockOf(zone)));
      return `UNTIL=${isDay ? until.slice(0, 8) : `${until}Z`}`;
    });
  return [
    ...parts.filter((part) => part.startsWith('FREQ=')),
    ...parts.filter((part) => !part.startsWith('FREQ=')),
  ].join(';');
}

function excludedByRule(event: DisplayedEvent, start: When, now: number): When[] {
  const others = event.recurrence.filter((line) => partsOf(line).name.toUpperCase() !== 'EXRULE');
  if (others.length === event.recurrence.length) return [];
  const all = { ...event, recurrence: others };
  const starts = startsOf(occurrencesOf(all), lastStartOf(all, start, now));
  const kept = new Set(startsOf(occurrencesOf(event), Math.max(start.at, ...starts.slice(-1))));
  return starts.filter((at) => !kept.has(at)).map((at) => ({ at, zone: start.zone }));
}

function startsOf(occurrences: Occurrences, last: number): number[] {
  const found: number[] = [];
  for (let more = true; more && found.length < mostStarts;) {
    const page = occurrences.between((found.at(-1) ?? -Infinity) + 1, last + 1, pageSize);
    found.push(...page.starts);
    more = page.more;
  }
  return found;
}

const distinct = (times: readonly When[]): When[] => [
  ...new Map(times.map((when) => [when.at, when])).values(),
];

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
  event: DisplayedEvent,
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

const nameOf = ({ displayName = '', email }: Pick<MailGuest, 'displayName' | 'email'>): string =>
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
