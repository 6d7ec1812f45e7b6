import { type AccessRole, includes, isCaller, type Viewer } from '../../access/permissions.ts';
import { addressKey } from '../../core/text/email.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import {
  noParts,
  showsReadersEntry,
  type EventCopy,
  type EventParts,
  type EventRecord,
} from '../model/record.ts';
import type { CalendarRecord } from '../../calendar/calendar.ts';

export interface Links {
  /** The base of htmlLink, without a slash at the end. */
  readonly event: string;
}

/** One calendar's copy of an event, and what the caller is to both. */
export interface EventContext {
  readonly model: EventModel;
  readonly record: EventRecord;
  readonly copy: EventCopy;
  readonly parts: EventParts;
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
  /** Who asks, as access lists know the caller. */
  readonly identity: string;
  /** The key of the calendar's owner on the guest list. */
  readonly owner: string;
  /** The key of the organizer, if there is one. */
  readonly organizer: string | undefined;
  /** The calendar is the organizer's, or the copy is private and so nobody else's. */
  readonly asOrganizer: boolean;
  readonly links: Links;
}

interface EventContextInput {
  readonly calendar: CalendarRecord;
  readonly viewer: Pick<Viewer, 'identity'>;
  readonly role: AccessRole;
  readonly model: EventModel;
  readonly links: Links;
}

export function eventContextOf(
  record: EventRecord,
  { calendar, viewer, role, model, links }: EventContextInput,
): EventContext {
  const { core } = record;
  const copy = record.copies[calendar.id] as EventCopy;
  const owner = ownerKey(calendar);
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
    parts: { core, copy: copy.own, viewer: copy.viewers?.[viewer.identity]?.own ?? noParts.viewer },
    asOrganizer: organizer === owner || core.privateCopy === true,
  };
}

const ownerKeys = new WeakMap<CalendarRecord, string>();
function ownerKey(calendar: CalendarRecord): string {
  let key = ownerKeys.get(calendar);
  if (key === undefined) ownerKeys.set(calendar, (key = addressKey(calendar.owner)));
  return key;
}

export function isCreator(context: EventContext): boolean {
  const { creator } = context.record.core;
  return isCaller(creator?.email ?? creator?.id, context);
}

/** The caller is the organizer or on the guest list, whichever calendar is asked. */
function takesPart(context: EventContext): boolean {
  const { organizer, attendees = [] } = context.record.core;
  return isCaller(organizer?.email, context) || attendees.some((entry) => isCaller(entry.email, context));
}

/** Whether the caller sees all of the guest list: guestsCanSeeOtherGuests hides it from guests. */
export function seesGuests(context: EventContext): boolean {
  if (context.record.core.guestsCanSeeOtherGuests !== false) return true;
  return context.asOrganizer && (includes(context.role, 'writer') || !takesPart(context));
}

/** How much of an event a caller sees: all of it, the fields that say when it is, or what is left when it is gone. */
export type Visibility = 'full' | 'time' | 'gone';

export function visibilityOf(context: EventContext): Visibility {
  const { copy, role } = context;
  const { core } = context.record;
  if (copy.state === 'uninvited' || (core.status === 'cancelled' && !context.asOrganizer)) return 'gone';
  const visibility = copy.own.visibility;
  const closed = visibility === 'private' || visibility === 'confidential';
  if (includes(role, 'writer')) return 'full';
  return !includes(role, 'reader') || (closed && !takesPart(context)) ? 'time' : 'full';
}

/** The guests that the caller sees, as they are stored. */
export function seenGuests(context: EventContext): readonly Attendee[] {
  const { attendees = [] } = context.record.core;
  if (seesGuests(context)) return attendees;
  return attendees.filter((entry) => {
    const key = attendeeKey(entry);
    return (
      key === context.owner ||
      (key !== undefined && key === context.organizer) ||
      (showsReadersEntry(context.copy) && isCaller(entry.email, context))
    );
  });
}
