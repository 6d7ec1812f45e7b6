import * as z from 'zod/mini';
import {
  compileTable,
  type FieldTable,
  maxReminders,
  reminderFields,
  text,
  type Body,
  type PatchOf,
} from '../core/fields/table.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import type { DryRunArgs, RepeatableArgs } from '../core/request-record.ts';
import type { AccessRole } from '../access/permissions.ts';

export const limits = {
  /** Entries of an access list, including the owner. */
  maxAccessEntries: 100,
  maxOwnedCalendars: 1_000,
  /** All-day events of a calendar whose time zone changes: all of them must be moved. */
  maxMovedAllDayEvents: 20_000,
} as const;

const stringSchema = z.string();

const summarySchema = text(254).check(
  z.refine((value) => value.length > 0, {
    error: 'A summary has 1 to 254 characters. Send null to clear it.',
    params: { reason: 'invalid', params: { min: 1, max: 254 } },
  }),
);
const zoneSchema = stringSchema.check(
  z.refine(isTimeZone, {
    error: 'This must be the name of an IANA time zone, such as Europe/Berlin.',
    params: { reason: 'invalid' },
  }),
);
const colorSchema = stringSchema.check(
  z.refine((value) => /^#[\da-f]{6}$/i.test(value), {
    error: 'This must be a colour as #rrggbb, in hexadecimal digits.',
    params: { reason: 'invalid' },
  }),
);

const sharedField = { change: 'shared', storedIn: 'calendar' } as const;
const readOnlyField = { change: 'readOnly', storedIn: 'computed' } as const;

/** Fields of a calendar: who may set each, and its values. */
const calendarRows = {
  kind: { ...readOnlyField, value: stringSchema },
  etag: { ...readOnlyField, value: stringSchema },
  nodeId: { ...readOnlyField, value: stringSchema },
  id: { ...readOnlyField, value: stringSchema },
  summary: { ...sharedField, value: summarySchema },
  description: { ...sharedField, value: text(8192) },
  location: { ...sharedField, value: text(1024) },
  timeZone: { ...sharedField, value: zoneSchema },
  backgroundColor: { ...sharedField, value: colorSchema },
  'defaultReminders[]': { ...sharedField, max: { entries: maxReminders, label: 'default reminders' } },
  'defaultReminders[].method': reminderFields.method,
  'defaultReminders[].minutes': reminderFields.minutes,
  accessRole: { ...readOnlyField, value: stringSchema },
  primary: { ...readOnlyField, value: z.boolean() },
  created: { ...readOnlyField, isInstant: true, value: stringSchema },
  updated: { ...readOnlyField, isInstant: true, value: stringSchema },
} as const satisfies FieldTable;

type CalendarRows = typeof calendarRows;
export const calendarFields = compileTable(calendarRows);

// Arguments of the calendar operations. Absent and null only differ in a body.

export interface GetCalendarArgs {
  /** A calendar's id, or `primary` for the caller's own. */
  readonly calendarId: string;
}

/** Calendar as a client sends it. Read-only fields are ignored, with a warning if they differ. */
export type CalendarBody = PatchOf<Body<CalendarRows>>;

/** Arguments of an insert or a patch. */
interface WriteArgs extends DryRunArgs {
  readonly calendar: CalendarBody;
}

export interface InsertCalendarArgs extends WriteArgs, RepeatableArgs {}

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
