import * as z from 'zod/mini';
import { compileTable, type FieldTable, mostReminders, reminderFields } from '../core/fields/table.ts';
import { text } from '../core/fields/values.ts';
import { isTimeZone } from '../core/time/time-zone.ts';

/** Limits of this service beside those of single fields. */
export const limits = {
  /** Entries of an access list, the owner's among them. */
  access: 100,
  /** Calendars of one owner. */
  owned: 1_000,
  /** All-day events of a calendar whose time zone changes: each of them moves. */
  movedDays: 20_000,
} as const;

const string = z.string();

const name = text(254).check(
  z.refine((value) => value.length > 0, {
    error: 'A summary has 1 to 254 characters. Send null to clear it.',
    params: { reason: 'invalid', params: { min: 1, max: 254 } },
  }),
);
const zone = string.check(
  z.refine(isTimeZone, {
    error: 'This must be the name of an IANA time zone, such as Europe/Berlin.',
    params: { reason: 'invalid' },
  }),
);
const color = string.check(
  z.refine((value) => /^#[\da-f]{6}$/i.test(value), {
    error: 'This must be a colour as #rrggbb, in hexadecimal digits.',
    params: { reason: 'invalid' },
  }),
);

const shared = { change: 'shared', storedIn: 'calendar' } as const;
const server = { change: 'readOnly', storedIn: 'computed' } as const;

/** The table of a calendar's fields: who sets each, and which values it may have. */
const rows = {
  kind: { ...server, value: string },
  etag: { ...server, value: string },
  nodeId: { ...server, value: string },
  id: { ...server, value: string },
  summary: { ...shared, value: name },
  description: { ...shared, value: text(8192) },
  location: { ...shared, value: text(1024) },
  timeZone: { ...shared, value: zone },
  backgroundColor: { ...shared, value: color },
  'defaultReminders[]': { ...shared, max: { entries: mostReminders, called: 'default reminders' } },
  'defaultReminders[].method': reminderFields.method,
  'defaultReminders[].minutes': reminderFields.minutes,
  accessRole: { ...server, value: string },
  primary: { ...server, value: z.boolean() },
  created: { ...server, instant: true, value: string },
  updated: { ...server, instant: true, value: string },
} as const satisfies FieldTable;

export type CalendarRows = typeof rows;
export const calendarFields = compileTable(rows);
