import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { isSameFieldValue } from '../../core/fields/reduce-change.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { isSameJson } from '../../core/json.ts';
import { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import { toStoredSpelling } from '../../core/time/time.ts';
import { timeTools } from '../../recurrence/occurrences.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { sentGuestKey } from '../attendees/guest-list.ts';
import type { Draft } from '../draft.ts';
import type { ChangeState } from '../event.store.ts';
import { responseOf, hasResponse } from '../instances/instance-guests.ts';
import { type Attendee, attendeeKey, type EventBody, type EventPatch } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import type { EventCopy, EventRecord, GuestResponse } from '../model/record.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { readBody } from './check.ts';
import { createBlankRecord } from './create.ts';
import { missingTimeIssues, type PutInput, putToPatch } from './put-to-patch.ts';

/** Body of an import: what a new event takes from it, and what only an import takes. */
export interface ImportBody {
  /** Fields that a new event would take too. */
  readonly body: EventPatch;
  /** Fields that are read-only otherwise and that an import takes from the body, in stored form. */
  readonly readOnlyFields: Pick<EventBody, 'created' | 'organizer' | 'originalStartTime'>;
  /** Original start, if the body is an instance. */
  readonly originalStart: string | undefined;
  /** The organizer is somebody other than the calendar's owner. */
  readonly isForeign: boolean;
  readonly report: Report;
}

/** Reads the body of an import, with the issues and warnings of the fields that only an import takes. */
export function readImportBody(
  sentBody: EventPatch,
  calendar: CalendarRecord,
  model: EventModel,
): ImportBody {
  const report = new Report();
  const { id, recurringEventId, originalStartTime, organizer, created, privateCopy, ...fields } = sentBody;
  const warnIgnored = (name: 'id' | 'recurringEventId', message: string): void =>
    report.warn(['event', name], 'ignored', message);
  if ((id ?? null) !== null) warnIgnored('id', 'An imported event gets a new id: your value was ignored.');
  const hasOriginal = (originalStartTime ?? null) !== null;
  if ((recurringEventId ?? null) !== null) {
    if (hasOriginal)
      warnIgnored('recurringEventId', 'The series is found by the iCalUID: your value was ignored.');
    else
      report.addIssue(
        ['event', 'originalStartTime'],
        'required',
        'The originalStartTime is required for an instance: its start in the recurring event.',
      );
  }
  if ((sentBody.iCalUID ?? null) === null)
    report.addIssue(
      ['event', 'iCalUID'],
      'required',
      'The iCalUID is required: a later import finds the event by it.',
    );
  const readOnlyFields: ImportBody['readOnlyFields'] = readBody(
    {
      organizer: pickOrganizerFields(organizer),
      originalStartTime: toStoredSpelling(originalStartTime, undefined, calendar.timeZone),
      created,
    },
    { model, zone: calendar.timeZone, tools: timeTools, mode: 'part', path: ['event'], report },
  );
  const originalStart = hasOriginal ? toOriginalStart(originalStartTime) : undefined;
  if (hasOriginal && originalStart === undefined && report.issues.length === 0)
    report.addIssue(
      ['event', 'originalStartTime'],
      'invalid',
      'The originalStartTime must be a day, or a time with an offset or a timeZone.',
    );
  const organizerAddress = readOnlyFields.organizer?.email;
  const isForeign =
    organizerAddress !== undefined && addressKey(organizerAddress) !== addressKey(calendar.owner);
  if (isForeign && privateCopy)
    report.warn(['event', 'privateCopy'], 'ignored', 'An event of somebody else cannot be a private copy.');
  const body = isForeign || privateCopy === undefined ? fields : { ...fields, privateCopy };
  return { body, readOnlyFields, originalStart, isForeign, report };
}

/**
 * Picks the fields of an organizer that an import stores. An organizer without an address cannot be stored.
 */
function pickOrganizerFields(person: EventPatch['organizer']): EventPatch['organizer'] {
  if (!person || (person.email ?? null) === null) return undefined;
  const { email, displayName, id } = person;
  return { email, displayName, id };
}

/** Creates the record of an imported event without its body. A foreign event has a guest's copy only. */
export function createBlankImport(
  { readOnlyFields, originalStart, isForeign }: ImportBody,
  id: string,
  calendar: CalendarRecord,
  viewer: Parameters<typeof createBlankRecord>[2],
): EventRecord {
  const blankRecord = createBlankRecord(id, calendar, viewer);
  const copy = blankRecord.copies[calendar.id] as EventCopy;
  const { created, organizer, originalStartTime } = readOnlyFields;
  return {
    ...blankRecord,
    core: {
      ...blankRecord.core,
      organizer: { ...organizer, email: isForeign ? organizer?.email : calendar.owner },
      ...(created !== undefined && { created: toUtcTime(created) }),
      ...(originalStart !== undefined && {
        originalStartTime,
        recurringEventId: id.slice(0, -(originalStart.length + 1)),
      }),
    },
    copies: {
      [calendar.id]: { ...copy, imported: true, ...(isForeign && { guest: addressKey(calendar.owner) }) },
    },
  };
}

/** Converts an RFC 3339 time, which the schema has checked, to UTC. */
const toUtcTime = (time: string): string => new Date(time).toISOString();

/** Context of an import, which may write the whole shared part like the organizer. */
export const asImporter = (context: EventContext): EventContext => ({ ...context, hasOrganizerRights: true });

/**
 * Guests whose responses an import leaves to them: those with calendars here; none for an event of somebody
 * else.
 */
export const respondingGuests = (guests: ChangeState['guests'], isForeign: boolean): ChangeState['guests'] =>
  isForeign ? new Map() : guests;

/**
 * Converts an imported body to a patch of the stored event, as `asImporter` sees it. The patch replaces the shared part as a whole,
 * and keeps the calendar's own fields, the settings of users, and the owner's response. `isFirstChange`: the body is an instance
 * that was not changed before, so that the calendar has no fields of its own to keep.
 */
export function importToPatch(
  importBody: ImportBody,
  input: PutInput,
  isFirstChange: boolean,
): {
  readonly patch: EventPatch;
  /** The response of the calendar's owner changes too. */
  readonly takesOwnResponse: boolean;
} {
  const { body, readOnlyFields, report } = importBody;
  const { context, view } = input;
  const { core } = context.record;
  const isNewer = typeof body.sequence === 'number' && body.sequence > (core.sequence ?? 0);
  const [organizerAddress, storedOrganizerAddress] = [readOnlyFields.organizer?.email, core.organizer?.email];
  if (
    organizerAddress !== undefined &&
    addressKey(organizerAddress) !== addressKey(storedOrganizerAddress ?? '')
  )
    report.addIssue(
      ['event', 'organizer', 'email'],
      'immutable',
      'An import cannot change the organizer of an event.',
    );
  const sentEntry = body.attendees?.find((entry) => entry && sentGuestKey(entry) === context.owner);
  const isResponding = (sentEntry?.responseStatus ?? 'needsAction') !== 'needsAction';
  const takesOwnResponse = (isNewer || isFirstChange) && isResponding;
  // A cancelled event may come without its fields, which then stay.
  const isOnlyCancelled = body.status === 'cancelled' && (body.start ?? null) === null;
  const attendees = isOnlyCancelled ? undefined : mergeGuestList(importBody, context, takesOwnResponse);
  const bodyWithGuests = attendees === undefined ? body : { ...body, attendees };
  const patch = putToPatch(bodyWithGuests, input, {
    canClear: ({ change }) => clearedClasses.has(change),
    isKept(node, sentValue, shownValue, path) {
      if (isFirstChange || !keptClasses.has(node.change)) return false;
      if (sentValue !== undefined && !isSameFieldValue(node, shownValue, sentValue))
        report.warn(path, 'ignored', `A repeated import keeps the ${node.name} of this calendar.`);
      return true;
    },
  });
  if (isOnlyCancelled) return { patch: { status: 'cancelled' }, takesOwnResponse: false };
  report.addIssues(missingTimeIssues(bodyWithGuests, view));
  return { patch, takesOwnResponse };
}

/** Classes of fields that an import clears if the body lacks them. */
const clearedClasses: ReadonlySet<FieldNode['change']> = new Set(['shared', 'organizer', 'creator']);
/** Classes of fields that a repeated import keeps: those of one calendar, and of one user. */
const keptClasses: ReadonlySet<FieldNode['change']> = new Set(['copy', 'caller']);

type SentGuests = EventPatch['attendees'];

/**
 * Guest list of the body, with the stored response of the calendar's owner; undefined if the body has none
 * and none is needed.
 */
function mergeGuestList(
  { body: { attendees, attendeesOmitted }, isForeign, report }: ImportBody,
  { record: { core }, owner }: EventContext,
  takesOwnResponse: boolean,
): SentGuests {
  if (attendeesOmitted) {
    report.warn(
      ['event', 'attendeesOmitted'],
      'ignored',
      'A part of a guest list replaces nothing: the stored list stays.',
    );
    return core.attendees;
  }
  const storedOwnerEntry = core.attendees?.find((entry) => attendeeKey(entry) === owner);
  const isOwnerListed = attendees?.some((entry) => entry && sentGuestKey(entry) === owner);
  const guests = attendees?.map((entry, index) => {
    if (!entry) return entry;
    if (sentGuestKey(entry) !== owner)
      return isForeign
        ? { ...entry, responseStatus: entry.responseStatus ?? ('needsAction' as const) }
        : entry;
    if (!storedOwnerEntry || takesOwnResponse) return entry;
    for (const name of ignoredResponseFields(entry, storedOwnerEntry))
      report.warn(
        ['event', 'attendees', index, name],
        'ignored',
        'The answer of the owner of this calendar stays, unless a higher sequence brings another one.',
      );
    return {
      ...entry,
      responseStatus: 'needsAction' as const,
      comment: null,
      additionalGuests: null,
      ...responseOf(storedOwnerEntry),
    };
  });
  return isForeign && storedOwnerEntry && hasResponse(storedOwnerEntry) && !isOwnerListed
    ? [...(guests ?? []), storedOwnerEntry]
    : guests;
}

/** Fields of the owner's sent response that an import drops. An absent or empty field asks for no change. */
const ignoredResponseFields = (sentGuest: NonNullable<SentGuests>[number], storedGuest: Attendee): string[] =>
  Object.entries({ responseStatus: 'needsAction', comment: '', additionalGuests: 0 }).flatMap(
    ([name, emptyValue]) => {
      const value = sentGuest[name as keyof GuestResponse] ?? emptyValue;
      return value === emptyValue || value === storedGuest[name as keyof GuestResponse] ? [] : [name];
    },
  );

/** Adds to a draft, before its steps run, the changes that only an import makes. */
export function prepareImport(draft: Draft, { readOnlyFields: { created, organizer } }: ImportBody): void {
  const { before, body, change, context, view } = draft;
  const createdAt = created === undefined ? before.core.created : toUtcTime(created);
  if (createdAt !== before.core.created) change.created = createdAt;
  const nextOrganizer = organizer && { ...organizer, email: before.core.organizer?.email };
  if (nextOrganizer && !isSameJson(nextOrganizer, before.core.organizer)) change.organizer = nextOrganizer;
  // The lines are those of the body, so they must not move with the start.
  const { model, calendar } = context;
  const start = toStoredSpelling(body.start, view.start, calendar.timeZone);
  if (body.recurrence && !isSameFieldValue(model.field('start'), view.start, start))
    change.recurrence = body.recurrence;
}
