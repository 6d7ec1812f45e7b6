import type { Issue } from '../core/kernel/errors.ts';
import { coercionError } from '../core/coercion/leaves.ts';
import { Report } from '../core/kernel/report.ts';
import type { AttendeeChanges } from '../event/event.requests.ts';
import { coerceInput } from './coerce-input.ts';
import { draftIssues } from './event.ts';

/**
 * The issues that the server finds in a change of the guest list alone: the same paths (from the argument on:
 * `["attendeeChanges", …]`), reasons, messages and params. Who is on the list, and who may change it, is for the server.
 */
export function attendeeChangesIssues(changes: unknown): Issue[] {
  const { value, issues } = coerceInput(changes, 'attendeeChanges', 'AttendeeChangesInput');
  const report = new Report(issues);
  if (value !== coercionError) report.add(draftIssues({}, { patch: true }, value as AttendeeChanges | null));
  return report.issues;
}
