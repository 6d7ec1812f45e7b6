import type { AccessRole } from '../access/permissions.ts';
import type { Body, Nullable } from '../core/fields/table.ts';
import type { CalendarRows } from './calendar.fields.ts';

// The arguments of the calendar service's operations. Absent and null are two things in a body, and one elsewhere.

export interface GetCalendarArgs {
  /** A calendar's id, or `primary` for the caller's own. */
  readonly calendarId: string;
}

/** What clients set of a calendar. What the server sets is ignored, with a warning where it differs. */
export type CalendarBody = Nullable<Body<CalendarRows>>;

interface WriteArgs {
  readonly calendar: CalendarBody;
  /** Validates and answers as a write would, and stores nothing. */
  readonly validateOnly?: boolean | null;
}

export interface InsertCalendarArgs extends WriteArgs {
  readonly requestId?: string | null;
}

export interface PatchCalendarArgs extends WriteArgs, GetCalendarArgs {
  readonly ifMatch?: string | null;
}

export interface DeleteCalendarArgs extends GetCalendarArgs {
  readonly ifMatch?: string | null;
  readonly sendUpdates?: 'all' | 'externalOnly' | 'none' | null;
}

export interface SetCalendarAccessArgs extends GetCalendarArgs {
  readonly email: string;
  /** `none` takes the entry away. */
  readonly role: AccessRole;
  /** The etag of the entry that the caller has seen. Of faces that know such a request; the schema does not. */
  readonly ifMatch?: string;
}
