import { isSameJson } from '../../core/json.ts';
import { addressKey, isEmail, maxNameLength } from '../../core/text/email.ts';
import { toOriginalStart as formatOriginalStart } from '../../recurrence/original-start.ts';
import {
  type MailEvent,
  type MailGuest,
  type MailInstance,
  type MailSnapshot,
  displayedFields,
  textFields,
} from '../../mail/mail.ts';
import { composeInstance } from '../instances/compose.ts';
import { type WithdrawnGuests, withdrawnGuestsOf } from '../instances/instance-guests.ts';
import { attendeeKey, type EventBody } from '../model/fields.ts';
import { type EventRecord, isSeries, originalStartOf } from '../model/record.ts';
import type { EventChange, RecipientMap } from './notices.ts';

/** Limit of the JSON of a series' instances in characters: more than any mail holds. */
const maxInstancesJsonLength = 2 * 1024 * 1024;

/** Creates the snapshot of a change, which all its mails share. Requires an organizer with an address. */
export function createSnapshot(
  change: EventChange,
  recipients: RecipientMap,
  zoneOf: (calendarId: string) => string | undefined,
): MailSnapshot {
  const { context, series } = change;
  const { record } = context;
  const { core, homeId } = record;
  const reasons = new Set([...recipients.values()].map(({ reason }) => reason));
  const hasResponse = reasons.has('answered');
  const hasInvitation = reasons.has('invited') || reasons.has('updated');
  const author = isEmail(context.identity) && personOf({ email: context.identity }, core);
  const homeZone = zoneOf(homeId) ?? 'UTC';
  const instance = namedInstanceOf(record, series, homeZone);
  const [coreChangedAt, copyChangedAt] = [record.coreStamp.at, context.copy.stamp.at];
  const changedAt = coreChangedAt > copyChangedAt ? coreChangedAt : copyChangedAt;
  const hidesGuests = core.guestsCanSeeOtherGuests === false;
  const people: VisiblePeople = {
    ...(hidesGuests && {
      visibleKeys: new Set([...recipients.keys(), addressKey(core.organizer?.email ?? ''), context.owner]),
    }),
    ...(hasResponse && {
      respondingKey: context.owner,
      respondingEmail: context.calendar.owner,
      hasRemovedEvent: context.copy.state !== 'present',
    }),
  };
  const attendees = mailGuestsOf(record, people);
  const previousValues = displayedFields
    .filter((name) => change.changedFields.includes(name))
    .map((name) => [name, change.coreBefore[name] ?? null] as const);
  return {
    iCalUID: core.iCalUID ?? '',
    at: changedAt,
    organizer: personOf(core.organizer ?? {}, core),
    ...(author && { by: author }),
    zone: homeZone,
    hidesGuests,
    event: {
      ...mailFieldsOf(record),
      ...(attendees && { attendees }),
      sequence: Math.max(core.sequence ?? 0, series?.core.sequence ?? 0),
    },
    ...(reasons.has('updated') && { before: Object.fromEntries(previousValues) }),
    ...(instance && { instance }),
    ...(hasInvitation &&
      isSeries(record) &&
      findDifferingInstances(change.exceptions?.() ?? [], record, changedAt, people)),
    ...(hasResponse && {
      guest:
        core.attendees?.find((entry) => attendeeKey(entry) === context.owner)?.email ??
        context.calendar.owner,
    }),
  };
}

/** Instance that a mail names: one of the series, or one that is stored without its series. */
function namedInstanceOf(
  { core: { recurringEventId, originalStartTime }, instance }: EventRecord,
  series: EventRecord | undefined,
  homeZone: string,
): MailSnapshot['instance'] {
  if (instance && series)
    return { original: instance.original, zone: series.core.start?.timeZone ?? homeZone };
  const original = recurringEventId === undefined ? undefined : formatOriginalStart(originalStartTime);
  return original === undefined ? undefined : { original, zone: originalStartTime?.timeZone ?? homeZone };
}

/** People whom a mail may show, and the guest whose response it reports. */
interface VisiblePeople {
  /** Only these people appear in the mail, since guests are hidden from each other. */
  readonly visibleKeys?: ReadonlySet<string>;
  /** Key of the guest whose response and comment the mail reports. */
  readonly respondingKey?: string;
  /** Address of that guest, who may be on no guest list (an imported event). */
  readonly respondingEmail?: string;
  /** The responding guest removed the event from the own calendar. */
  readonly hasRemovedEvent?: boolean;
}

/** Fields of an event that mails show, without its guests. */
const mailFieldsOf = ({
  core: { summary, description, location, status, start, end, recurrence, sequence },
}: EventRecord): MailEvent => ({ summary, description, location, status, start, end, recurrence, sequence });

/** Guests that a mail shows, with the response of a guest who removed the event as declined. */
function mailGuestsOf(
  record: EventRecord,
  { visibleKeys, respondingKey, respondingEmail, hasRemovedEvent }: VisiblePeople,
): readonly MailGuest[] | undefined {
  const withdrawnKeys = withdrawnGuestsOf({ record });
  const { attendees } = record.core;
  if (
    hasRemovedEvent &&
    respondingEmail !== undefined &&
    !attendees?.some((entry) => attendeeKey(entry) === respondingKey)
  )
    return [{ email: respondingEmail, responseStatus: 'declined' }];
  return attendees?.flatMap(
    ({ email, displayName, responseStatus, comment, optional, resource }): MailGuest[] => {
      const key = addressKey(email ?? '');
      if (email === undefined || visibleKeys?.has(key) === false) return [];
      const isDeclined = withdrawnKeys?.has(key) || (hasRemovedEvent && key === respondingKey);
      return [
        {
          email,
          displayName: displayName?.slice(0, maxNameLength),
          responseStatus: isDeclined ? 'declined' : responseStatus,
          optional,
          resource,
          ...(key === respondingKey && { comment }),
        },
      ];
    },
  );
}

/** Finds the instances that a mail shows to differ from the rules of their series. */
function findDifferingInstances(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  changedAt: string,
  people: VisiblePeople,
): Pick<MailSnapshot, 'instances' | 'seriesAlone'> {
  // Compared fields do not need copies.
  const seriesWithoutCopies = { ...series, copies: {} };
  const seriesGuests = mailGuestsOf(series, people);
  const seriesWithdrawnGuests = withdrawnGuestsOf({ record: series });

  /** Instance as a mail shows it; undefined if the mail would show nothing but the series. */
  function mailInstanceOf(exception: EventRecord): MailInstance | undefined {
    const original = originalStartOf(exception);
    if (exception.instance?.emptied) return undefined;
    const composedInstance = composeInstance(series, original, exception);
    if (composedInstance.core.status === 'cancelled') return { original, event: { status: 'cancelled' } };
    const event = mailFieldsOf(composedInstance);
    const inheritedFields = mailFieldsOf(composeInstance(seriesWithoutCopies, original));
    // Fast path for thousands of instances with hundreds of guests: most share the list of their series.
    const isSameList =
      composedInstance.core.attendees === series.core.attendees &&
      hasSameGuests(withdrawnGuestsOf({ record: composedInstance }), seriesWithdrawnGuests);
    const attendees = isSameList ? seriesGuests : mailGuestsOf(composedInstance, people);
    const hasOwnGuests = attendees !== seriesGuests && !isSameJson(attendees, seriesGuests);
    const differsInGuestsOnly = isSameJson({ ...event, sequence: 0 }, { ...inheritedFields, sequence: 0 });
    if (differsInGuestsOnly && !hasOwnGuests) return undefined;
    const textChanges = Object.fromEntries(
      textFields.map((name) => [
        name,
        event[name] === inheritedFields[name] ? undefined : (event[name] ?? null),
      ]),
    );
    const { at: instanceChangedAt } = composedInstance.coreStamp;
    return {
      original,
      event: { ...event, ...textChanges, ...(hasOwnGuests && { attendees: attendees ?? [] }) },
      ...(instanceChangedAt > changedAt && { at: instanceChangedAt }),
      ...(differsInGuestsOnly && { onlyGuests: true as const }),
    };
  }

  const allInstances = exceptions.flatMap((exception) => mailInstanceOf(exception) ?? []);
  const isCancelled = ({ event }: MailInstance): boolean => event.status === 'cancelled';
  let jsonLength = 0;
  const isWithinLimit = allInstances.every(
    (instance) =>
      isCancelled(instance) || (jsonLength += JSON.stringify(instance).length) <= maxInstancesJsonLength,
  );
  const instances = isWithinLimit ? allInstances : allInstances.filter(isCancelled);
  return {
    ...(instances.length > 0 && { instances }),
    ...(!isWithinLimit && { seriesAlone: true as const }),
  };
}

const hasSameGuests = (guests: WithdrawnGuests, otherGuests: WithdrawnGuests): boolean =>
  guests?.size === otherGuests?.size && [...(guests ?? [])].every((guest) => otherGuests?.has(guest));

type Person = NonNullable<EventBody['organizer']>;

/** Person as mails show them: with the name that the event has for the address, and in its spelling there. */
function personOf(person: Person, { organizer, attendees = [], creator }: EventBody) {
  const key = addressKey(person.email ?? '');
  const matchingPeople = [person, organizer, ...attendees, creator].filter(
    (entry) => entry?.email !== undefined && addressKey(entry.email) === key,
  );
  const { email = '' } = matchingPeople[1] ?? person;
  const name = matchingPeople.find((entry) => entry?.displayName)?.displayName;
  return { email, ...(name !== undefined && { displayName: name.slice(0, maxNameLength) }) };
}
