import { type AccessRole, includesRole, type Viewer } from '../access/permissions.ts';
import { errorAt, type Issue } from '../core/errors.ts';
import { maxInt32 } from '../core/fields/table.ts';
import { type DryRunArgs, type RepeatableArgs, requestIdIssues } from '../core/request-record.ts';
import { addressKey } from '../core/text/email.ts';
import type { EventQuery } from './event.store.ts';
import type { EventPatch } from './model/fields.ts';
import type { EventModel } from './model/model.ts';

// Arguments of the event service's operations. Null differs from absent in bodies only.

export type SendUpdates = 'all' | 'externalOnly' | 'none';
type EventOrder = 'startTime' | 'updated';

export interface CalendarIdArgs {
  /** Calendar id, or `primary` for the caller's own calendar. */
  readonly calendarId: string;
}

export interface EventIdArgs extends CalendarIdArgs {
  readonly eventId: string;
}

/** Arguments that limit or extend how an event is shown. */
export interface PresentationArgs {
  readonly maxAttendees?: number | null;
  readonly alwaysIncludeEmail?: boolean | null;
}

/** Arguments that state which parts of a body the client supports; others are ignored. */
export interface SupportArgs {
  readonly conferenceDataVersion?: number | null;
  readonly supportsAttachments?: boolean | null;
}

/** Arguments that select the guests who are notified of a change. */
export interface NotifyArgs {
  readonly sendUpdates?: SendUpdates | null;
  readonly sendNotifications?: boolean | null;
}

export interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly timeMin?: string | null;
  readonly timeMax?: string | null;
  readonly showDeleted?: boolean | null;
}

export interface GetEventArgs extends EventIdArgs, PresentationArgs {}

export interface ListEventsArgs extends CalendarIdArgs, PageArgs, PresentationArgs {
  readonly singleEvents?: boolean | null;
  readonly orderBy?: EventOrder | null;
  readonly q?: string | null;
  readonly iCalUID?: string | null;
  readonly privateExtendedProperty?: readonly string[] | null;
  readonly sharedExtendedProperty?: readonly string[] | null;
  readonly updatedMin?: string | null;
  readonly syncToken?: string | null;
}

export interface FreeBusyArgs {
  readonly timeMin: string;
  readonly timeMax: string;
  readonly calendarIds: readonly string[];
  readonly timeZone?: string | null;
}

export interface ListInstancesArgs extends EventIdArgs, PageArgs, PresentationArgs {}

export interface WriteArgs extends PresentationArgs, SupportArgs, NotifyArgs, DryRunArgs {
  readonly event: EventPatch;
}

export interface InsertEventArgs extends CalendarIdArgs, WriteArgs, RepeatableArgs {}

/** Arguments of an import, which notifies nobody. */
export type ImportEventArgs = Omit<InsertEventArgs, keyof PresentationArgs | keyof NotifyArgs>;

export interface ImportCalendarArgs extends CalendarIdArgs, DryRunArgs {
  /** Text of one or more VCALENDARs (RFC 5545). */
  readonly icalendar: string;
}

/** Changes of single guests; all others stay. */
export interface AttendeeChanges {
  /** New guests, and changes of listed ones, by address. */
  readonly add?: EventPatch['attendees'];
  readonly remove?: readonly string[] | null;
}

export interface GuestArgs {
  readonly attendeeChanges?: AttendeeChanges | null;
}

export interface PatchEventArgs extends EventIdArgs, WriteArgs, GuestArgs {
  readonly ifMatch?: string | null;
  /** The body replaces all that the caller may change, as HTTP PUT does. Not in the GraphQL schema. */
  readonly replaces?: boolean;
}

/** Arguments of a patch of an instance and all following ones. */
export interface PatchFollowingEventsArgs extends PatchEventArgs, RepeatableArgs {}

export interface DeleteEventArgs extends EventIdArgs, NotifyArgs {
  readonly ifMatch?: string | null;
}

export interface MoveEventArgs extends DeleteEventArgs, DryRunArgs {
  /** Id of the calendar to which the event moves, or `primary`. */
  readonly destination: string;
}

export type DeleteFollowingEventsArgs = DeleteEventArgs;

export type FollowCalendarArgs = CalendarIdArgs;

export interface FollowCalendarsArgs {
  readonly calendarIds: readonly string[];
}

/** Arguments, besides the body, that `argumentIssues` checks. */
export interface ControlArgs extends SupportArgs, Pick<PresentationArgs, 'maxAttendees'> {
  readonly requestId?: string | null;
}

/** Issues of the control parameters, which are reported together with those of the event. */
export function argumentIssues({ maxAttendees, conferenceDataVersion, requestId }: ControlArgs): Issue[] {
  const issues = requestIdIssues(requestId);
  const checkRange = (name: string, allowed: string, min: number, max: number, actual?: number | null) => {
    if (typeof actual !== 'number' || (actual >= min && actual <= max)) return;
    const message = `${name} must be ${allowed}.`;
    issues.push({ path: [name], reason: 'invalid', message, params: { min, max, actual } });
  };
  checkRange('maxAttendees', `from 1 to ${maxInt32}`, 1, maxInt32, maxAttendees);
  checkRange('conferenceDataVersion', '0 or 1', 0, 1, conferenceDataVersion);
  return issues;
}

/** Keys of the guests whose calendars a change loads; empty for a list that is too long and will be refused. */
export function guestKeysOf(
  { attendees }: Pick<EventPatch, 'attendees'>,
  { field }: EventModel,
): readonly string[] {
  if (!attendees || attendees.length > (field('attendees').max?.entries ?? Infinity)) return [];
  const keys = attendees.flatMap((entry) =>
    typeof entry?.email === 'string' ? [addressKey(entry.email)] : [],
  );
  return [...new Set(keys)];
}

/** Part of a query that depends on the reader: identity, and whether changes of hidden guests count. */
export const readerFilter = (role: AccessRole, { identity }: Pick<Viewer, 'identity'>) => ({
  identity,
  seesHidden: includesRole(role, 'writer'),
});

/** Query for an event that changed for a reader after the revision `since`. */
export const createChangeQuery = (
  role: AccessRole,
  viewer: Pick<Viewer, 'identity'>,
  { revision, since }: Required<Pick<EventQuery, 'revision' | 'since'>>,
): EventQuery => ({
  ...readerFilter(role, viewer),
  revision,
  since,
  includesCancelled: true,
  expandsSeries: false,
  order: 'position',
  limit: 1,
  accepts: () => true,
});

/** Role by which visibility differs: owners see what writers see. */
export const visibilityForRole = (role: AccessRole): AccessRole =>
  includesRole(role, 'writer') ? 'writer' : role;

/** Error for an id that names no event that the caller may see. */
export const eventNotFoundError = () =>
  errorAt('NOT_FOUND', ['eventId'], 'notFound', 'There is no such event on this calendar.');
