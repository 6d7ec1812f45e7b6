import ICAL from 'ical.js';
import { encodeMail } from '../../src/adapters/smtp/message.ts';
import type { Mail, MailAttributes, MailSnapshot } from '../../src/mail/mail.ts';
import { renderMail, type RenderedMail } from '../../src/mail/render.ts';

export const senderAddress = { address: 'calendar@mail.example', name: 'Calendar' };

export const berlinTimes = {
  start: { dateTime: '2026-07-01T09:30:00+02:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-07-01T10:30:00+02:00', timeZone: 'Europe/Berlin' },
};

const gus = { email: 'gus@example.com', displayName: 'Gus' };

/** Creates the snapshot of a sample event that Olga organizes, with changes. */
export const createSnapshot = (changes: Partial<MailSnapshot> = {}): MailSnapshot => ({
  iCalUID: 'calsrv.example.com-873970198738777@example.com',
  at: '2026-06-01T08:00:00.123Z',
  organizer: { email: 'olga@example.com', displayName: 'Olga' },
  by: { email: 'olga@example.com', displayName: 'Olga' },
  zone: 'Europe/Berlin',
  hidesGuests: false,
  ...changes,
  event: {
    summary: 'Conference',
    ...berlinTimes,
    attendees: [gus, { email: 'ida@example.com', responseStatus: 'accepted' }],
    ...changes.event,
  },
});

const invitationAttributes = { method: 'REQUEST', reason: 'invited', to: 'gus@example.com' } as const;

/** Creates a mail of the outbox, by default Gus's invitation. */
export const createMail = (snapshot: MailSnapshot, attributes: Partial<MailAttributes> = {}): Mail => ({
  id: 'a1b2',
  orderingKey: 'key',
  data: JSON.stringify(snapshot),
  attributes: {
    ...invitationAttributes,
    zone: 'Europe/Berlin',
    link: '',
    event: 'e1',
    trace: '',
    ...attributes,
  },
});

/** Renders a mail about the sample event, by default Gus's invitation. */
export const renderSampleMail = (
  changes: Partial<MailSnapshot> = {},
  attributes: Partial<MailAttributes> = {},
): RenderedMail => renderMail(createMail(createSnapshot(changes), attributes), senderAddress);

/** Bytes of a mail as sent to the mail server. */
export const toBytes = async (mail: RenderedMail): Promise<Buffer> => (await encodeMail(mail, 'id')).bytes;

/** Unfolded lines of a mail's iCalendar object. */
export const linesOf = ({ calendar }: RenderedMail): string[] =>
  calendar.content.replaceAll('\r\n ', '').split('\r\n');

/** Lines of each VEVENT. */
export const eventLinesOf = (mail: RenderedMail): string[][] => {
  const eventMatches = linesOf(mail)
    .join('\n')
    .matchAll(/^BEGIN:VEVENT\n([^]*?)\nEND:VEVENT$/gm);
  return [...eventMatches].map(([, lines = '']) => lines.split('\n'));
};

/** Value of a property with its parameters: the rest of its line. */
export const propertyValueOf = (lines: readonly string[] | undefined, name: string): string | undefined =>
  lines?.find((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))?.slice(name.length + 1);

export type ReadEvent = ReturnType<typeof readEvent>;

/** Reads an iCalendar object by RFC 5545, with no time zones but its own. */
export function readICalendar({ calendar }: { readonly calendar: { readonly content: string } }) {
  const root = new ICAL.Component(ICAL.parse(calendar.content) as unknown[]);
  const zones = new Map<string, LocalTimeConverter>();
  for (const zone of root.getAllSubcomponents('vtimezone'))
    zones.set(String(zone.getFirstPropertyValue('tzid')), readTimeZone(zone));
  return { root, events: root.getAllSubcomponents('vevent').map((component) => readEvent(component, zones)) };
}

function readEvent(component: ICAL.Component, zones: ReadonlyMap<string, LocalTimeConverter>) {
  const instantOf = (time: ICAL.Time, zone: string | undefined): number => {
    const localMs = toLocalMs(time);
    if (time.isDate || zone === undefined) return localMs;
    const toInstantMs = zones.get(zone);
    if (!toInstantMs) throw new Error(`no VTIMEZONE for ${zone}`);
    return toInstantMs(localMs);
  };
  const zoneIn = (property: ICAL.Property): string | undefined =>
    property.getParameter('tzid') as string | undefined;
  /** Times of a property in epoch milliseconds; dates as midnight in UTC. */
  const instantsOf = (name: string): number[] =>
    component.getAllProperties(name).flatMap((property) => {
      const zone = zoneIn(property);
      return property.getValues().map((time) => {
        if (zone === undefined && !(time as ICAL.Time).isDate && !/Z$/.test((time as ICAL.Time).toString()))
          throw new Error(`${name} is a floating time`);
        return instantOf(time as ICAL.Time, zone);
      });
    });
  /** Starts of a series before an instant, without overridden instances. */
  const starts = (beforeMs: number): number[] => {
    const start = component.getFirstProperty('dtstart') as ICAL.Property;
    const instants = new Set([...instantsOf('dtstart'), ...instantsOf('rdate')]);
    const firstTime = start.getFirstValue() as ICAL.Time;
    const { year, month, day, hour, minute, second, isDate } = firstTime;
    const floatingStart = ICAL.Time.fromData({ year, month, day, hour, minute, second, isDate });
    for (const rule of component.getAllProperties('rrule')) {
      const recur = rule.getFirstValue() as ICAL.Recur;
      const untilMs = recur.until && toLocalMs(recur.until);
      recur.until = null;
      const iterator = recur.iterator(floatingStart);
      for (
        let nextTime = iterator.next() as ICAL.Time | null;
        nextTime;
        nextTime = iterator.next() as ICAL.Time | null
      ) {
        const instant = instantOf(nextTime, zoneIn(start));
        if (instant >= beforeMs || (untilMs && instant > untilMs)) break;
        instants.add(instant);
      }
    }
    for (const exdateInstant of instantsOf('exdate')) instants.delete(exdateInstant);
    return [...instants].filter((instant) => instant < beforeMs).sort((a, b) => a - b);
  };
  return { component, readInstants: instantsOf, readInstant: (name: string) => instantsOf(name)[0], starts };
}

const toLocalMs = (time: ICAL.Time): number =>
  Date.parse(`${time.toString().replace(/Z$/, '').padEnd(19, 'T00:00:00')}Z`);

/** Converts a local time, given in ms as if it were UTC, to an instant. */
type LocalTimeConverter = (local: number) => number;

/**
 * Reads the onsets of a VTIMEZONE. As in libical and ical.js, DTSTART is no onset if there is an RDATE. A local time in a
 * gap moves forward; the first of two equal ones is meant (RFC 5545, section 3.3.5).
 */
function readTimeZone(zone: ICAL.Component): LocalTimeConverter {
  const readOffsetMs = (component: ICAL.Component, name: string): number =>
    (component.getFirstPropertyValue(name) as ICAL.UtcOffset).toSeconds() * 1000;
  const onsets = zone
    .getAllSubcomponents()
    .flatMap((observance) => {
      const [offsetBeforeMs, offsetAfterMs] = [
        readOffsetMs(observance, 'tzoffsetfrom'),
        readOffsetMs(observance, 'tzoffsetto'),
      ];
      const readTimes = (name: string) =>
        observance.getAllProperties(name).flatMap((property) => property.getValues()) as ICAL.Time[];
      const recurrenceDates = readTimes('rdate');
      return (recurrenceDates.length > 0 ? recurrenceDates : readTimes('dtstart')).map((time) => ({
        at: toLocalMs(time) - offsetBeforeMs,
        offsetBeforeMs,
        offsetAfterMs,
      }));
    })
    .sort((a, b) => a.at - b.at);
  return (local) => {
    const index = onsets.findIndex(
      ({ at, offsetAfterMs }, position) =>
        local - offsetAfterMs >= at && local - offsetAfterMs < (onsets[position + 1]?.at ?? Infinity),
    );
    const onset = onsets[index];
    if (onset) return local - onset.offsetAfterMs;
    const gap = onsets.find(
      ({ at, offsetBeforeMs, offsetAfterMs }) => local >= at + offsetBeforeMs && local < at + offsetAfterMs,
    );
    if (!gap) throw new Error('a local time before the first one of its VTIMEZONE');
    return local - gap.offsetBeforeMs;
  };
}
