import * as z from 'zod/mini';
import type { Issue } from '../core/kernel/errors.ts';
import { coercionError } from '../core/coercion/coercion-errors.ts';
import { besideCoercionErrors, noRelations } from '../core/coercion/other-issues.ts';
import { maxIssues } from '../core/kernel/report.ts';
import { notificationIssues as ruleIssues } from '../notification/notification.checks.ts';
import { coerceInput } from './coerce-input.ts';

z.config({ jitless: true });

/**
 * The issues that the server finds in the body of a new notification alone: the same paths (from the argument on:
 * `["notification", …]`), reasons, messages and params. Limits of the bucket are for the server.
 */
export function notificationIssues(body: unknown): Issue[] {
  const { value, issues: coercionErrors } = coerceInput(body, 'notification', 'NotificationInput!');
  const others =
    value === coercionError
      ? []
      : besideCoercionErrors(coercionErrors, ruleIssues(value), undefined, noRelations);
  return [...coercionErrors, ...others].slice(0, maxIssues);
}
