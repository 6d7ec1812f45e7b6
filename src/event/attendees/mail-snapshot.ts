import { sameJson } from '../../core/kernel/equal.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import { toldFields, type MailEvent, type MailGuest, type MailInstance, type MailSnapshot } from '../../mail/mail.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import type { EventBody } from '../model/fields.ts';
import { isSeries, originalStartOf, type EventRecord } from '../model/record.ts';
import { composeInstance } from '../recurrence/compose.ts';
import { removedGuests } from '../view/event-view.ts';
import type { Change, Receivers } from './notices.ts';

/** What a snapshot needs beside the change. */
export interface SnapshotParts {
  /** Of an instance. */
  readonly series?: EventRecord | undefined;
  /** Of a series: its exceptions as they are after the change. */
  readonly exceptions: () => readonly EventRecord[];
  readonly zoneOf: (calendarId: string) => string | undefined;
}

/** Longer names are cut: a list of a thousand guests is to fit into a mail. */
const longestName = 256;
/** The most that the instances of a series may take, as characters of JSON. */
const mostInstances = 512 * 1024;

/** A change as its mails tell of it. The organizer has an address. */
export function snapshotOf(change: Change, told: Receivers, parts: SnapshotParts): MailSnapshot {
  const { at } = change;
  const { record } = at;
  const { core, homeId, instance } = record;
  const reasons = new Set([...told.values()].map(({ reason }) => reason));
  const answered = reasons.has('answered');
  const isInvited = reasons.has('invited') || reasons.has('updated');
  const by = authorOf(change);
  const zone = parts.zoneOf(homeId) ?? 'UTC';
  const stamps = [record.coreStamp.at, at.copy.stamp.at];
  return {
    iCalUID: core.iCalUID ?? '',
    at: stamps.reduce((latest, one) => (one > latest ? one : latest)),
    organizer: personOf(core.organizer ?? {}),
    ...(by && { by }),
    zone,
    hidesGuests: core.guestsCanSeeOtherGuests === false,
    event: { ...eventOf(record, answered ? at.owner : undefined), sequence: Math.max(core.sequence ?? 0, parts.series?.core.sequence ?? 0) },
    ...(reasons.has('updated') && { before: valuesBefore(change) }),
    ...(instance && parts.series && { instance: { original: instance.original, zone: parts.series.core.start?.timeZone ?? zone } }),
    ...(isInvited && isSeries(record) && instancesOf(record, parts.exceptions())),
    ...(answered && { guest: core.attendees?.find((entry) => attendeeKey(entry) === at.owner)?.email ?? at.calendar.owner }),
  };
}

/** `commenting`: the guest whose comment is told. */
function eventOf(record: EventRecord, commenting?: string): MailEvent {
  const attendees = guestsOf(record, commenting);
  return { ...fieldsOf(record), ...(attendees && { attendees }) };
}

const fieldsOf = ({ core: { summary, description, location, status, start, end, recurrence, sequence } }: EventRecord): MailEvent =>
  ({ summary, description, location, status, start, end, recurrence, sequence });

function guestsOf(record: EventRecord, commenting?: string): readonly MailGuest[] | undefined {
  const removed = removedGuests({ record });
  return record.core.attendees?.flatMap(({ email, displayName, responseStatus, comment, optional, resource }): MailGuest[] => {
    if (email === undefined) return [];
    const key = addressKey(email);
    return [{
      email, displayName: displayName?.slice(0, longestName), responseStatus: removed?.has(key) ? 'declined' : responseStatus, optional, resource,
      ...(key === commenting && { comment }),
    }];
  });
}

/** Those instances that a mail shows to be other than the rules of their series say. */
function instancesOf(series: EventRecord, exceptions: readonly EventRecord[]): Pick<MailSnapshot, 'instances' | 'seriesAlone'> {
  const ofSeries = guestsOf(series);
  /** The list itself where it is the same: there may be thousands of instances with hundreds of guests. */
  const guestsIn = (record: EventRecord): typeof ofSeries => {
    if (record.core.attendees === series.core.attendees && sameGuests(removedGuests({ record }), removedGuests({ record: series }))) return ofSeries;
    const own = guestsOf(record);
    return sameJson(own, ofSeries) ? ofSeries : own;
  };
  const withoutCopies = { ...series, copies: {} };
  const instances: MailInstance[] = [];
  let size = 0;
  for (const exception of exceptions) {
    const original = originalStartOf(exception);
    if (exception.instance?.emptied) continue;
    const composed = composeInstance(series, original, exception);
    const [event, plain] = [fieldsOf(composed), fieldsOf(composeInstance(withoutCopies, original))];
    const attendees = guestsIn(composed);
    const hasOwnGuests = attendees !== ofSeries;
    const onlyGuests = sameJson({ ...event, sequence: 0 }, { ...plain, sequence: 0 });
    if (onlyGuests && !hasOwnGuests) continue;
    const instance = { original, event: { ...event, ...(hasOwnGuests && { attendees: attendees ?? [] }) }, ...(onlyGuests && { onlyGuests: true as const }) };
    size += JSON.stringify(instance).length;
    if (size > mostInstances) return { seriesAlone: true };
    instances.push(instance);
  }
  return instances.length > 0 ? { instances } : {};
}

type Removed = ReturnType<typeof removedGuests>;

const sameGuests = (one: Removed, other: Removed): boolean => one?.size === other?.size && [...(one ?? [])].every((guest) => other?.has(guest));

const valuesBefore = ({ before, changed }: Change): NonNullable<MailSnapshot['before']> =>
  Object.fromEntries(toldFields.filter((name) => changed.includes(name)).map((name) => [name, before[name] ?? null]));

/** Who made the change, by the name that the event has of this address. */
function authorOf({ at: { identity, record: { core } } }: Change): MailSnapshot['by'] {
  const people = [core.organizer, ...(core.attendees ?? []), core.creator];
  const known = people.find((person) => person?.email !== undefined && addressKey(person.email) === identity);
  return known ? personOf(known) : isEmail(identity) ? { email: identity } : undefined;
}

const personOf = ({ email = '', displayName }: NonNullable<EventBody['organizer']>): MailSnapshot['organizer'] =>
  ({ email, ...(displayName !== undefined && { displayName: displayName.slice(0, longestName) }) });
