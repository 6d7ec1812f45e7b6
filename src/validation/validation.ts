import * as z from 'zod/mini';
import type { Issue } from '../core/errors.ts';
import { coercionError } from '../core/fields/scalar-coercers.ts';
import { Report } from '../core/report.ts';
import { findNotificationIssues } from '../notification/notification.checks.ts';
import { coerceInput } from './coerce-input.ts';

/** Validates input for forms by the rules of the server, in browsers and in Node.js. */
export { attendeeChangesIssues, eventIssues, type EventIssuesOptions } from './event.ts';
export type { Issue } from '../core/errors.ts';

// Zod must not compile functions, which a strict content security policy forbids.
z.config({ jitless: true });

/** Finds the issues that the server would report for a new notification (paths: `["notification", …]`), except limits of the bucket. */
export function notificationIssues(body: unknown): Issue[] {
  const { value, issues } = coerceInput(body, 'notification', 'NotificationInput!');
  const report = new Report(issues);
  if (value !== coercionError) report.addIssues(findNotificationIssues(value));
  return report.issues;
}
