import type { AccessRole } from '../access/role.ts';

/** A calendar as it is stored. Never changed in place. */
export interface CalendarRecord {
  readonly id: string;
  /** The e-mail address whose `primary` calendar this is, if it is the first one of that owner. */
  readonly owner: string;
  /** IANA name: times without an offset and all-day events are understood in it. */
  readonly timeZone: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
  readonly acl: readonly { readonly email: string; readonly role: AccessRole }[];
}

/** A calendar by its id, or the one that its owner addresses as `primary`. Owners are compared without regard to ASCII case. */
export type CalendarRef = { readonly id: string } | { readonly primaryOf: string };
