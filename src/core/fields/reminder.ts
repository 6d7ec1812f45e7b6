import * as z from 'zod/mini';
import type { FieldRow } from './table.ts';
import { integer } from './values.ts';

/** `sms` is no longer offered: a new one is ignored with a warning (event resource, section 2). */
export const reminderMethods = ['email', 'sms', 'popup'] as const;
/** The most reminders of one user on an event, and of a calendar: five. */
export const mostReminders = 5;
/** Minutes before the start: up to four weeks. */
export const reminderMinutes = integer(0, 40_320);

/** The fields of a reminder. */
export const reminderFields = {
  method: { needed: true, value: z.enum(reminderMethods) },
  minutes: { needed: true, value: reminderMinutes },
} as const satisfies Readonly<Record<string, FieldRow>>;
