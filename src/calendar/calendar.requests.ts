import type { AccessRole } from '../access/permissions.ts';
import type { Body, PatchOf } from '../core/fields/table.ts';
import type { CalendarRows } from './calendar.fields.ts';

// Arguments of the calendar operations. Absent and null only differ in a body.

export interface GetCalendarArgs {
  /** A calendar's id, or `primary` for the caller's own. */
  readonly calendarId: string;
}

/** Calendar as a client sends it. Read-only fields are ignored, with a warning if they differ. */
export type CalendarBody = PatchOf<Body<CalendarRows>>;

/** Arguments of an insert or a patch. */
interface WriteArgs {
  readonly calendar: CalendarBody;
  /** Dry run: validates and responds like a write, but stores nothing. */
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
  /** `none` removes the entry. */
  readonly role: AccessRole;
  /** Etag of the entry, from the REST API; the GraphQL schema lacks it. */
  readonly ifMatch?: string;
}
