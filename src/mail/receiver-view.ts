import { sameJson } from '../core/patch.ts';
import { addressKey } from '../core/text/email.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import type { EventTime } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { type When, whenOf } from './content-lines.ts';
import {
  type Mail,
  type MailEvent,
  type MailGuest,
  type MailInstance,
  type MailSnapshot,
  writtenFields,
} from './mail.ts';

const dayMs = 86_400_000;
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** A time for people, in a zone: the day, and of times the hours and minutes. */
export function toldTime(time: EventTime | null | undefined, zone: string, isEnd = false): string {
  const when = whenOf(time ?? undefined);
  if (!when) return '';
  const local = localOf(when, zone, isEnd);
  return when.zone === undefined ? toldDay(local) : `${toldDay(local)}, ${toldHours(local)} (${zone})`;
}

/** From when to when: the end of a day is the last one of them. */
export function toldSpan(from: EventTime | undefined, to: EventTime | undefined, zone: string): string {
  const [start, end] = [whenOf(from), whenOf(to)];
  if (!start || !end || end.at <= start.at) return toldTime(from, zone);
  const [begin, stop] = [localOf(start, zone, false), localOf(end, zone, true)];
  if (end.zone === undefined)
    return begin === stop ? toldDay(begin) : `${toldDay(begin)} to ${toldDay(stop)}`;
  const last = toldDay(stop) === toldDay(begin) ? toldHours(stop) : `${toldDay(stop)}, ${toldHours(stop)}`;
  return `${toldDay(begin)}, ${toldHours(begin)} to ${last} (${zone})`;
}

const localOf = ({ at, zone }: When, told: string, isEnd: boolean): number =>
  zone === undefined ? at - (isEnd ? dayMs : 0) : clockOf(told).toLocal(at);

const toldDay = (local: number): string =>
  `${weekday.format(local)}, ${new Date(local).toISOString().slice(0, -14)}`;
const toldHours = (local: number): string => new Date(local).toISOString().slice(-13, -8);

/** What a mail leaves out to be shorter. */
export interface Shorter {
  readonly instances?: boolean;
  readonly guests?: boolean;
  readonly description?: boolean;
}

/** A change as its receiver may know it: all that the parts of a mail are made of. */
export interface ReceiverView extends Pick<MailSnapshot, 'iCalUID' | 'organizer' | 'by' | 'instance'> {
  readonly attributes: Mail['attributes'];
  readonly at: Date;
  /** In which times are told. */
  readonly zone: string;
  /** Who answered. */
  readonly guest?: MailGuest;
  readonly event: DisplayedEvent;
  readonly before: NonNullable<MailSnapshot['before']>;
  /** Of a series: instances that differ from it. */
  readonly changed: readonly ToldInstance[];
  /** Of a series: the original starts of instances that are none for the receiver. */
  readonly excluded: readonly string[];
  /** What the receiver is told to be missing. */
  readonly missing: Shorter;
}

export interface DisplayedEvent extends MailEvent {
  readonly attendees: readonly MailGuest[];
  readonly recurrence: readonly string[];
}

interface ToldInstance {
  readonly original: string;
  readonly at: Date;
  readonly event: DisplayedEvent;
}

/** Of those of which a shorter mail tells. */
const mostExcluded = 10_000;
const shortDescription = 500;

export function viewOf({ attributes }: Mail, snapshot: MailSnapshot, shorter: Shorter): ReceiverView {
  const { iCalUID, organizer, by, before = {}, instance, hidesGuests } = snapshot;
  const guests = guestsFor(attributes, snapshot, shorter);
  const { attendees = [], recurrence = [] } = snapshot.event;
  const event = { ...snapshot.event, recurrence, attendees: guests.told(attendees) };
  const { changed, excluded } = instancesFor(attributes, snapshot, event, guests);
  return {
    attributes,
    iCalUID,
    organizer,
    instance,
    at: new Date(snapshot.at),
    zone: [attributes.zone, snapshot.zone].find(isTimeZone) ?? 'UTC',
    by: by && (!hidesGuests || guests.isKnown(by)) ? by : undefined,
    guest: attributes.method === 'REPLY' ? event.attendees[0] : undefined,
    event: shortened(event, shorter),
    before: shortened(before, shorter),
    changed: shorter.instances ? [] : changed,
    excluded: shorter.instances ? excluded.slice(0, mostExcluded) : excluded,
    missing: {
      instances: snapshot.seriesAlone === true || (shorter.instances === true && changed.length > 0),
      guests: shorter.guests === true && !hidesGuests && attendees.length > event.attendees.length,
      description: shorter.description === true && (isLong(event) || isLong(before)),
    },
  };
}

function guestsFor(
  { method, reason, to }: Mail['attributes'],
  { guest = to, hidesGuests, organizer }: MailSnapshot,
  shorter: Shorter,
) {
  const isOneOf =
    (...addresses: readonly string[]) =>
    ({ email = '' }: { readonly email?: string }): boolean =>
      addresses.some((address) => addressKey(address) === addressKey(email));
  const isKnown = isOneOf(to, organizer.email, guest);
  const alone = (address: string) => (all: readonly MailGuest[]) => [
    all.find(isOneOf(address)) ?? { email: address },
  ];
  const withReceiver = (all: readonly MailGuest[]) =>
    isOneOf(to)(organizer) || all.some(isOneOf(to)) ? all : [{ email: to }, ...all];
  const all = (list: readonly MailGuest[]): readonly MailGuest[] =>
    withReceiver(hidesGuests || shorter.guests ? list.filter(isKnown) : list);
  return {
    /** Organizer, receiver, and who answered: where guests are hidden, nobody else is named. */
    isKnown,
    isReceiver: isOneOf(to),
    /** Entries of a guest list that a mail tells of. */
    told: method === 'REPLY' ? alone(guest) : reason === 'removed' ? alone(to) : all,
  };
}

/** A request for a series tells of its instances too: as the receiver sees them. */
function instancesFor(
  { method }: Mail['attributes'],
  { at, organizer, instance, instances = [] }: MailSnapshot,
  series: DisplayedEvent,
  { told, isReceiver }: ReturnType<typeof guestsFor>,
): Pick<ReceiverView, 'changed' | 'excluded'> {
  if (method !== 'REQUEST' || instance) return { changed: [], excluded: [] };
  const isDay = series.start?.date !== undefined;
  const ofSeries = instances.filter(({ original }) => original.includes('T') !== isDay);
  const isExcluded = ({ event: { status, attendees } }: MailInstance): boolean =>
    status === 'cancelled' ||
    (attendees !== undefined && !isReceiver(organizer) && !attendees.some(isReceiver));
  const changed = ofSeries
    .filter((one) => !isExcluded(one))
    .map(({ original, event, onlyGuests, at: changedAt = at }) => ({
      original,
      onlyGuests,
      at: new Date(changedAt),
      event: {
        ...event,
        ...writtenIn(event, series),
        recurrence: [],
        attendees: event.attendees ? told(event.attendees) : series.attendees,
        sequence: Math.max(event.sequence ?? 0, series.sequence ?? 0),
      },
    }));
  return {
    // Hidden guests are no difference.
    changed: changed.filter(
      ({ event, onlyGuests }) => !onlyGuests || !sameJson(event.attendees, series.attendees),
    ),
    excluded: ofSeries.filter(isExcluded).map(({ original }) => original),
  };
}

/** What people wrote of an instance: where it has nothing of its own, that of its series. */
function writtenIn(
  event: MailInstance['event'],
  series: DisplayedEvent,
): { readonly [Field in (typeof writtenFields)[number]]: string | undefined } {
  const [summary, description, location] = writtenFields.map((name) =>
    event[name] === undefined ? series[name] : (event[name] ?? undefined),
  );
  return { summary, description, location };
}

type Described = Pick<NonNullable<MailSnapshot['before']>, 'description'>;

const isLong = ({ description }: Described): boolean => (description ?? '').length > shortDescription;

function shortened<Told extends Described>(told: Told, shorter: Shorter): Told {
  return shorter.description && isLong(told)
    ? { ...told, description: `${told.description?.slice(0, shortDescription)}…` }
    : told;
}
