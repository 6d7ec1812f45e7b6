import { addressKey } from '../core/text/email.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import { startOf } from '../event/recurrence/compose.ts';
import { timeAt } from '../event/recurrence/instance-id.ts';
import type { Mail, MailEvent, MailGuest, MailInstance, MailSnapshot } from './mail.ts';

/** What a mail leaves out to be shorter. */
export interface Shorter {
  readonly instances?: true;
  readonly guests?: true;
  readonly description?: true;
}

/** A change as its receiver may know it: all that the parts of a mail are made of. */
export interface ReceiverView extends Pick<MailSnapshot, 'iCalUID' | 'organizer' | 'before' | 'instance'> {
  readonly attributes: Mail['attributes'];
  readonly at: Date;
  /** In which times are told. */
  readonly zone: string;
  /** Who made the change, where the receiver may know. */
  readonly by?: MailSnapshot['by'];
  /** Who answered. */
  readonly guest?: MailGuest;
  readonly event: ToldEvent;
  /** Of a series: instances that differ from it. */
  readonly changed: readonly ToldInstance[];
  /** Of a series: the original starts of instances that are none for the receiver. */
  readonly excluded: readonly string[];
  readonly left: Shorter;
}

export interface ToldEvent extends MailEvent {
  readonly attendees: readonly MailGuest[];
}

export interface ToldInstance extends MailInstance {
  readonly event: ToldEvent;
}

/** Of those of which a shorter mail tells. */
const mostExcluded = 10_000;
const shortDescription = 500;

export function viewOf({ attributes }: Mail, snapshot: MailSnapshot, shorter: Shorter): ReceiverView {
  const { iCalUID, organizer, before, instance, instances = [] } = snapshot;
  const receiver = addressKey(attributes.to);
  const named = new Set([receiver, addressKey(organizer.email), ...(snapshot.guest === undefined ? [] : [addressKey(snapshot.guest)])]);
  const isNamed = (person: { readonly email?: string }): boolean => person.email !== undefined && named.has(addressKey(person.email));
  const guests = guestsFor(attributes, snapshot, shorter, isNamed);
  const event = { ...snapshot.event, attendees: guests(snapshot.event.attendees) };
  const isSeries = instance === undefined && attributes.method === 'REQUEST';
  const ofSeries = isSeries ? instances.filter(({ original }) => original.includes('T') === (event.start?.date === undefined)) : [];
  const isExcluded = ({ event: { status, attendees } }: MailInstance): boolean =>
    status === 'cancelled' || (receiver !== addressKey(organizer.email) && attendees?.some(({ email }) => addressKey(email) === receiver) === false);
  const excluded = ofSeries.filter(isExcluded).map(({ original }) => original);
  const changed = ofSeries.filter((one) => !isExcluded(one));
  const left: Shorter = {
    ...(snapshot.seriesAlone || (shorter.instances && changed.length > 0) ? { instances: true } : {}),
    ...(shorter.description && [snapshot.event, ...(before ? [before] : [])].some(isLong) ? { description: true } : {}),
    ...(shorter.guests && (snapshot.event.attendees ?? []).length > event.attendees.length && !snapshot.hidesGuests ? { guests: true } : {}),
  };
  return {
    attributes, iCalUID, organizer, instance, left,
    at: new Date(snapshot.at),
    zone: [attributes.zone, snapshot.zone].find(isTimeZone) ?? 'UTC',
    by: snapshot.by && (!snapshot.hidesGuests || isNamed(snapshot.by)) ? snapshot.by : undefined,
    guest: attributes.method === 'REPLY' ? event.attendees[0] : undefined,
    event: shortened({ ...event, start: event.start ?? (instance && originalStart(instance.original, instance.zone)) }, shorter),
    before: before && shortened(before, shorter),
    changed: shorter.instances ? [] : changed.map((one) => ({ ...one, event: asTold(one, event, guests) })),
    excluded: shorter.instances ? excluded.slice(0, mostExcluded) : excluded,
  };
}

type Guests = (all: readonly MailGuest[] | undefined) => readonly MailGuest[];

/** Which guests of a list are told of. */
function guestsFor({ method, reason, to }: Mail['attributes'], { guest, hidesGuests, organizer }: MailSnapshot, shorter: Shorter, isNamed: (guest: MailGuest) => boolean): Guests {
  const find = (all: readonly MailGuest[], address: string): MailGuest =>
    all.find(({ email }) => addressKey(email) === addressKey(address)) ?? { email: address };
  if (method === 'REPLY') return (all = []) => [find(all, guest ?? to)];
  if (reason === 'removed') return (all = []) => [find(all, to)];
  const isOrganizer = addressKey(to) === addressKey(organizer.email);
  return (all = []) => {
    const shown = hidesGuests || shorter.guests ? all.filter(isNamed) : all;
    return isOrganizer || shown.some(({ email }) => addressKey(email) === addressKey(to)) ? shown : [{ email: to }, ...shown];
  };
}

/** Its guests are those of the series where it has none of its own, and its sequence is not behind. */
function asTold({ original, event }: MailInstance, series: ToldEvent, guests: Guests): ToldEvent {
  return {
    ...event,
    start: event.start ?? originalStart(original, series.start?.timeZone ?? 'UTC'),
    attendees: event.attendees ? guests(event.attendees) : series.attendees,
    sequence: Math.max(event.sequence ?? 0, series.sequence ?? 0),
  };
}

const originalStart = (original: string, zone: string): MailEvent['start'] =>
  timeAt(startOf(original), original.includes('T') ? { timeZone: isTimeZone(zone) ? zone : 'UTC' } : { date: '' });

type Described = { readonly description?: string | null };

const isLong = ({ description }: Described): boolean => (description ?? '').length > shortDescription;

function shortened<Told extends Described>(told: Told, shorter: Shorter): Told {
  return shorter.description && isLong(told) ? { ...told, description: `${told.description?.slice(0, shortDescription)}…` } : told;
}
