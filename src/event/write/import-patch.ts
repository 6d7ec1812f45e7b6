import { isSameFieldValue } from '../../core/fields/reduce-change.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { isSameJson } from '../../core/json.ts';
import { addressKey } from '../../core/text/email.ts';
import { toStoredSpelling } from '../../core/time/time.ts';
import { sentGuestKey } from '../attendees/guest-list.ts';
import type { Draft } from '../draft.ts';
import type { ChangeState } from '../event.store.ts';
import { responseOf, hasResponse } from '../instances/instance-guests.ts';
import { type Attendee, attendeeKey, type EventPatch } from '../model/fields.ts';
import type { GuestResponse } from '../model/record.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { type ImportBody, toUtcTime } from './import-body.ts';
import { missingTimeIssues, type PutInput, putToPatch } from './put-to-patch.ts';

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
