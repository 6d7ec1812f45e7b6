import ICAL from 'ical.js';
import { messageOf } from '../../src/adapters/smtp/message.ts';
import type { Mail, MailAttributes, MailSnapshot } from '../../src/mail/mail.ts';
import { renderMail, type RenderedMail } from '../../src/mail/render.ts';

export const from = { address: 'calendar@mail.example', name: 'Calendar' };

export const berlin = {
  start: { dateTime: '2026-07-01T09:30:00+02:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-07-01T10:30:00+02:00', timeZone: 'Europe/Berlin' },
};

const gus = { email: 'gus@example.com', displayName: 'Gus' };

export const snapshotOf = (changes: Partial<MailSnapshot> = {}): MailSnapshot => ({
  iCalUID: 'calsrv.example.com-873970198738777@example.com',
  at: '2026-06-01T08:00:00.123Z',
  organizer: { email: 'olga@example.com', displayName: 'Olga' },
  by: { email: 'olga@example.com', displayName: 'Olga' },
  zone: 'Europe/Berlin',
  hidesGuests: false,
  ...changes,
  event: {
    summary: 'Conference',
    ...berlin,
    attendees: [gus, { email: 'ida@example.com', responseStatus: 'accepted' }],
    ...changes.event,
  },
});

export function mailOf(snapshot: MailSnapshot, attributes: Partial<MailAttributes> = {}): Mail {
  return {
    id: 'a1b2',
    orderingKey: 'key',
    data: JSON.stringify(snapshot),
    attributes: {
      method: 'REQUEST',
      reason: 'invited',
      to: 'gus@example.com',
      zone: 'Europe/Berlin',
      link: '',
      event: 'e1',
      trace: '',
      ...attributes,
    },
  };
}

export const rendered = (
  changes: Partial<MailSnapshot> = {},
  attributes: Partial<MailAttributes> = {},
): RenderedMail => renderMail(mailOf(snapshotOf(changes), attributes), from);

/** A mail as it leaves for the mail server. */
export const sent = async (mail: RenderedMail): Promise<Buffer> => (await messageOf(mail, 'id')).bytes;

/** The lines of an object, unfolded. */
export const linesOf = ({ calendar }: RenderedMail): string[] =>
  calendar.content.replaceAll('\r\n ', '').split('\r\n');

/** The events of an object as lists of lines. */
export const eventsOf = (mail: RenderedMail): string[][] => {
  const found = linesOf(mail)
    .join('\n')
    .matchAll(/^BEGIN:VEVENT\n([^]*?)\nEND:VEVENT$/gm);
  return [...found].map(([, lines = '']) => lines.split('\n'));
};

export const valueOf = (lines: readonly string[] | undefined, name: string): string | undefined =>
  lines?.find((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))?.slice(name.length + 1);

export type ReadEvent = ReturnType<typeof readEvent>;

/** Reads an object as RFC 5545 says, with its own time zones alone. */
export function readObject({ calendar }: { readonly calendar: { readonly content: string } }) {
  const root = new ICAL.Component(ICAL.parse(calendar.content) as unknown[]);
  const zones = new Map(
    root
      .getAllSubcomponents('vtimezone')
      .map((zone) => [String(zone.getFirstPropertyValue('tzid')), clockOf(zone)]),
  );
  return { root, events: root.getAllSubcomponents('vevent').map((component) => readEvent(component, zones)) };
}

function readEvent(component: ICAL.Component, zones: ReadonlyMap<string, Clock>) {
  const instantOf = (time: ICAL.Time, zone: string | undefined): number => {
    const local = localOf(time);
    if (time.isDate || zone === undefined) return local;
    const clock = zones.get(zone);
    if (!clock) throw new Error(`no VTIMEZONE for ${zone}`);
    return clock(local);
  };
  const zoneIn = (property: ICAL.Property): string | undefined =>
    property.getParameter('tzid') as string | undefined;
  /** When something is, in epoch milliseconds; days as in UTC. */
  const all = (name: string): number[] =>
    component.getAllProperties(name).flatMap((property) => {
      const zone = zoneIn(property);
      return property.getValues().map((time) => {
        if (zone === undefined && !(time as ICAL.Time).isDate && !/Z$/.test((time as ICAL.Time).toString()))
          throw new Error(`${name} is a floating time`);
        return instantOf(time as ICAL.Time, zone);
      });
    });
  /** The starts of a series before an instant, exceptions aside. */
  const starts = (before: number): number[] => {
    const start = component.getFirstProperty('dtstart') as ICAL.Property;
    const found = new Set([...all('dtstart'), ...all('rdate')]);
    const first = start.getFirstValue() as ICAL.Time;
    const { year, month, day, hour, minute, second, isDate } = first;
    const floating = ICAL.Time.fromData({ year, month, day, hour, minute, second, isDate });
    for (const rule of component.getAllProperties('rrule')) {
      const recur = rule.getFirstValue() as ICAL.Recur;
      const until = recur.until && localOf(recur.until);
      recur.until = null;
      const iterator = recur.iterator(floating);
      for (let next = iterator.next() as ICAL.Time | null; next; next = iterator.next() as ICAL.Time | null) {
        const at = instantOf(next, zoneIn(start));
        if (at >= before || (until && at > until)) break;
        found.add(at);
      }
    }
    for (const excluded of all('exdate')) found.delete(excluded);
    return [...found].filter((at) => at < before).sort((one, other) => one - other);
  };
  return { component, all, at: (name: string) => all(name)[0], starts };
}

const localOf = (time: ICAL.Time): number =>
  Date.parse(`${time.toString().replace(/Z$/, '').padEnd(19, 'T00:00:00')}Z`);

type Clock = (local: number) => number;

/** DTSTART is no onset beside an RDATE, as in libical and ical.js. A local time in a gap moves forward, of two equal ones the first is meant (RFC 5545, section 3.3.5). */
function clockOf(zone: ICAL.Component): Clock {
  const seconds = (component: ICAL.Component, name: string): number =>
    (component.getFirstPropertyValue(name) as ICAL.UtcOffset).toSeconds() * 1000;
  const onsets = zone
    .getAllSubcomponents()
    .flatMap((part) => {
      const [before, after] = [seconds(part, 'tzoffsetfrom'), seconds(part, 'tzoffsetto')];
      const timesOf = (name: string) =>
        part.getAllProperties(name).flatMap((property) => property.getValues()) as ICAL.Time[];
      const listed = timesOf('rdate');
      return (listed.length > 0 ? listed : timesOf('dtstart')).map((time) => ({
        at: localOf(time) - before,
        before,
        after,
      }));
    })
    .sort((one, other) => one.at - other.at);
  return (local) => {
    const index = onsets.findIndex(
      ({ at, after }, number) => local - after >= at && local - after < (onsets[number + 1]?.at ?? Infinity),
    );
    const found = onsets[index];
    if (found) return local - found.after;
    const gap = onsets.find(({ at, before, after }) => local >= at + before && local < at + after);
    if (!gap) throw new Error('a local time before the first one of its VTIMEZONE');
    return local - gap.before;
  };
}
