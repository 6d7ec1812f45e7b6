import * as z from 'zod/mini';
import type { Issue } from '../core/kernel/errors.ts';
import { besideMisfits } from '../core/kernel/misfits.ts';
import { maxIssues } from '../core/kernel/report.ts';
import { notificationIssues as ruleIssues } from '../notification/notification.checks.ts';
import { fitInput, misfit } from './fit.ts';

z.config({ jitless: true });

/**
 * Every rule of the server that the body of a new notification breaks by itself: the same paths (from the argument on:
 * `["notification", …]`), reasons, messages and figures. What the bucket leaves no room for the server alone tells.
 */
export function notificationIssues(body: unknown): Issue[] {
  const { value, issues } = fitInput(body, 'NotificationInput!');
  const misfits = issues.map((issue): Issue => ({ ...issue, path: ['notification', ...issue.path] }));
  const others = value === misfit ? [] : besideMisfits(misfits, ruleIssues(value), undefined);
  return [...misfits, ...others].slice(0, maxIssues);
}
