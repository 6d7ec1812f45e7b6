import * as z from 'zod/mini';
import { compileTable, type FieldTable, maxReminders, reminderFields } from '../core/fields/table.ts';
import { text } from '../core/fields/values.ts';
import { isTimeZone } from '../core/time/time-zone.ts';

export const limits = {
  /** Entries of an access list, including the owner. */
  accessEntries: 100,
  ownedCalendars: 1_000,
  /** All-day events of a calendar whose time zone changes: all of them must be moved. */
  movedAllDayEvents: 20_000,
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
const readOnly = { change: 'readOnly', storedIn: 'computed' } as const;

/** Fields of a calendar: who may set each, and its values. */
const rows = {
  kind: { ...readOnly, value: string },
  etag: { ...readOnly, value: string },
  nodeId: { ...readOnly, value: string },
  id: { ...readOnly, value: string },
  summary: { ...shared, value: name },
  description: { ...shared, value: text(8192) },
  location: { ...shared, value: text(1024) },
  timeZone: { ...shared, value: zone },
  backgroundColor: { ...shared, value: color },
  'defaultReminders[]': { ...shared, max: { entries: maxReminders, label: 'default reminders' } },
  'defaultReminders[].method': reminderFields.method,
  'defaultReminders[].minutes': reminderFields.minutes,
  accessRole: { ...readOnly, value: string },
  primary: { ...readOnly, value: z.boolean() },
  created: { ...readOnly, isInstant: true, value: string },
  updated: { ...readOnly, isInstant: true, value: string },
} as const satisfies FieldTable;

export type CalendarRows = typeof rows;
export const calendarFields = compileTable(rows);
