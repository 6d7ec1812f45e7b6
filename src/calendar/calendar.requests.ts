import type { AccessRole } from '../access/permissions.ts';

// The arguments of the calendar service's operations. Absent and null are two things in a body, and one elsewhere.

export interface GetCalendarArgs {
  /** A calendar's id, or `primary` for the caller's own. */
  readonly calendarId: string;
}

/** What clients set of a calendar. What the server sets is ignored, with a warning where it differs. */
export interface CalendarBody {
  readonly kind?: string | null;
  readonly etag?: string | null;
  readonly nodeId?: string | null;
  readonly id?: string | null;
  readonly summary?: string | null;
  readonly description?: string | null;
  readonly location?: string | null;
  readonly timeZone?: string | null;
  readonly backgroundColor?: string | null;
  readonly defaultReminders?:
    readonly { readonly method?: string | null; readonly minutes?: number | null }[] | null;
  readonly accessRole?: string | null;
  readonly primary?: boolean | null;
  readonly created?: string | null;
  readonly updated?: string | null;
}

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
