import { type AccessRole, includesRole, isCaller, type Viewer } from '../../access/permissions.ts';
import { memoizeByObject } from '../../core/memoize.ts';
import { addressKey } from '../../core/text/email.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import {
  emptyParts,
  showsReadersEntry,
  type EventCopy,
  type EventParts,
  type EventRecord,
} from '../model/record.ts';
import type { CalendarRecord } from '../../calendar/calendar.store.ts';

/** Base URLs of links to events. */
export interface Links {
  /** Base of htmlLink, without a slash at the end. */
  readonly event: string;
}

/** Record on one calendar, with the caller's role. */
export interface EventContext {
  readonly model: EventModel;
  readonly record: EventRecord;
  readonly copy: EventCopy;
  /** Parts of the event as this caller has it: core, copy, and own settings. */
  readonly parts: EventParts;
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
  /** Caller, as access lists name them. */
  readonly identity: string;
  /** Key of the calendar's owner on the guest list. */
  readonly owner: string;
  /** Key of the organizer, as on the guest list. */
  readonly organizer: string | undefined;
  /** The calendar is the organizer's, or the copy is private, so that its owner may change everything. */
  readonly hasOrganizerRights: boolean;
  readonly links: Links;
}

interface EventContextInput extends Pick<EventContext, 'calendar' | 'role' | 'model' | 'links'> {
  readonly viewer: Pick<Viewer, 'identity'>;
}

/** Creates the context of a record. The calendar must have a copy of the record. */
export function eventContextOf(
  record: EventRecord,
  { calendar, viewer, role, model, links }: EventContextInput,
): EventContext {
  const { core } = record;
  const copy = record.copies[calendar.id] as EventCopy;
  const owner = ownerKeyOf(calendar);
  const organizer = core.organizer?.email === undefined ? undefined : attendeeKey(core.organizer);
  return {
    model,
    record,
    copy,
    calendar,
    role,
    links,
    owner,
    organizer,
    identity: viewer.identity,
    parts: { core, copy: copy.own, viewer: copy.viewers?.[viewer.identity]?.own ?? emptyParts.viewer },
    hasOrganizerRights: organizer === owner || core.privateCopy === true,
  };
}

const ownerKeyOf = /* @__PURE__ */ memoizeByObject(({ owner }: CalendarRecord) => addressKey(owner));

/** Whether the caller created the event. */
export function isCreator(context: EventContext): boolean {
  const { creator } = context.record.core;
  return isCaller(creator?.email ?? creator?.id, context);
}

/** Whether the caller is the organizer or a guest of the event, on any calendar. */
function isParticipant(context: EventContext): boolean {
  const { organizer, attendees = [] } = context.record.core;
  return isCaller(organizer?.email, context) || attendees.some((entry) => isCaller(entry.email, context));
}

/** Whether the caller sees the whole guest list, which guestsCanSeeOtherGuests: false hides from guests. */
export function seesGuests(context: EventContext): boolean {
  if (context.record.core.guestsCanSeeOtherGuests !== false) return true;
  return context.hasOrganizerRights && (includesRole(context.role, 'writer') || !isParticipant(context));
}

/**
 * Part of an event that a caller sees: all fields, those of free/busy information, or only what remains of a
 * cancelled event, such as its id.
 */
export type Visibility = 'full' | 'freeBusy' | 'none';

export function visibilityOf(context: EventContext): Visibility {
  const { copy, role } = context;
  const { core } = context.record;
  if (copy.state === 'uninvited' || (core.status === 'cancelled' && !context.hasOrganizerRights))
    return 'none';
  const visibilityField = copy.own.visibility;
  const isPrivate = visibilityField === 'private' || visibilityField === 'confidential';
  if (includesRole(role, 'writer')) return 'full';
  return !includesRole(role, 'reader') || (isPrivate && !isParticipant(context)) ? 'freeBusy' : 'full';
}

/**
 * Guests whom the caller sees: all, or only the owner of the calendar, the organizer and perhaps the caller.
 */
export function visibleGuests(context: EventContext): readonly Attendee[] {
  const { attendees = [] } = context.record.core;
  if (seesGuests(context)) return attendees;
  return attendees.filter((entry) => {
    const key = attendeeKey(entry);
    return (
      key === context.owner ||
      (key !== undefined && key === context.organizer) ||
      (showsReadersEntry(context.copy, context.organizer) && isCaller(entry.email, context))
    );
  });
}
