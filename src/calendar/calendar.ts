import type { AccessRole } from '../access/permissions.ts';
import { addressKey } from '../core/text/email.ts';

export interface AccessEntry {
  readonly email: string;
  readonly role: AccessRole;
}

/** Settings of a calendar that its owners can change. */
export interface CalendarSettings {
  readonly summary?: string;
  readonly description?: string;
  readonly location?: string;
  /** IANA name. Applies to times without an offset and to all-day events. */
  readonly timeZone: string;
  /** `#rrggbb`, in lower case. */
  readonly backgroundColor?: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
}

/** A calendar as it is stored. Immutable. */
export interface CalendarRecord extends CalendarSettings {
  readonly id: string;
  /** E-mail address of the creator, who is the organizer of its events. */
  readonly owner: string;
  readonly acl: readonly AccessEntry[];
  /** RFC 3339, UTC; absent if unknown. */
  readonly created?: string;
  readonly updated?: string;
  /** Number of changes of the settings; absent: 0. */
  readonly version?: number;
  /** True for a secondary calendar, which the owner created explicitly. */
  readonly neverPrimary?: true;
  /** Random value from which the URL of the calendar's iCalendar feed is derived; absent: there is no feed. */
  readonly feedSeed?: string;
}

/** Refers to a calendar by id, an owner's primary one (ignoring ASCII case), or a deleted one that still has data. */
export type CalendarRef =
  { readonly id: string } | { readonly primaryOf: string } | { readonly removedId: string };

/** Finds an owner's primary calendar: the one whose id is the owner's address, or the oldest eligible one. */
export const findPrimary = (ownedCalendars: readonly CalendarRecord[]): CalendarRecord | undefined =>
  ownedCalendars.find(({ id, owner }) => addressKey(id) === addressKey(owner)) ??
  ownedCalendars.find(({ neverPrimary }) => !neverPrimary);
