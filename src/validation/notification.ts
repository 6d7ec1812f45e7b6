import * as z from 'zod/mini';
import type { Issue } from '../core/kernel/errors.ts';
import { besideCoercionErrors } from '../core/kernel/coercion-errors.ts';
import { maxIssues } from '../core/kernel/report.ts';
import { notificationIssues as ruleIssues } from '../notification/notification.checks.ts';
import { fitInput, coercionError } from './fit.ts';

z.config({ jitless: true });

/**
 * Every rule of the server that the body of a new notification breaks by itself: the same paths (from the argument on:
 * `["notification", …]`), reasons, messages and figures. What the bucket leaves no room for the server alone tells.
 */
export function notificationIssues(body: unknown): Issue[] {
  const { value, issues } = fitInput(body, 'NotificationInput!');
  const coercionErrors = issues.map((issue): Issue => ({ ...issue, path: ['notification', ...issue.path] }));
  const others = value === coercionError ? [] : besideCoercionErrors(coercionErrors, ruleIssues(value), undefined);
  return [...coercionErrors, ...others].slice(0, maxIssues);
}
