import type { AccessRole } from '../access/permissions.ts';
import { addressKey } from '../core/text/email.ts';

/** Who may do what on a calendar. */
export interface AccessEntry {
  readonly email: string;
  readonly role: AccessRole;
}

/** The fields of a calendar that its owners set. */
export interface CalendarSettings {
  readonly summary?: string;
  readonly description?: string;
  readonly location?: string;
  /** IANA name: times without an offset and all-day events are understood in it. */
  readonly timeZone: string;
  /** `#rrggbb`, in lower case. */
  readonly backgroundColor?: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
}

/** A calendar as it is stored. Never changed in place. */
export interface CalendarRecord extends CalendarSettings {
  readonly id: string;
  /** The e-mail address of whoever made it: the organizer of its events. */
  readonly owner: string;
  readonly acl: readonly AccessEntry[];
  /** RFC 3339, UTC; absent where unknown. */
  readonly created?: string;
  readonly updated?: string;
  /** Counts the changes of its settings; absent: none so far. */
  readonly version?: number;
  /** It was made by its owner, who does not address it as `primary`. */
  readonly neverPrimary?: true;
}

/** A calendar by its id, its owner's primary one (ASCII case aside), or a deleted one that is not cleaned up yet. */
export type CalendarRef =
  { readonly id: string } | { readonly primaryOf: string } | { readonly removedId: string };

/** Which of an owner's calendars, in the order in which they were added, is primary. */
export const primaryAmong = (own: readonly CalendarRecord[]): CalendarRecord | undefined =>
  own.find(({ id, owner }) => addressKey(id) === addressKey(owner)) ??
  own.find(({ neverPrimary }) => !neverPrimary);
