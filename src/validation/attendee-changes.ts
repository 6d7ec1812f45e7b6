import type { Issue } from '../core/kernel/errors.ts';
import { coercionError } from '../core/coercion/coercion-errors.ts';
import { besideCoercionErrors, noRelations } from '../core/coercion/other-issues.ts';
import { maxIssues } from '../core/kernel/report.ts';
import type { AttendeeChanges } from '../event/event.requests.ts';
import { coerceInput } from './coerce-input.ts';
import { draftIssues } from './event.ts';

/**
 * The issues that the server finds in a change of the guest list alone: the same paths (from the argument on:
 * `["attendeeChanges", …]`), reasons, messages and params. Who is on the list, and who may change it, is for the server.
 */
export function attendeeChangesIssues(changes: unknown): Issue[] {
  const { value, issues: coercionErrors } = coerceInput(changes, 'attendeeChanges', 'AttendeeChangesInput');
  const others =
    value === coercionError ? [] : draftIssues({}, { patch: true }, value as AttendeeChanges | null);
  return [...coercionErrors, ...besideCoercionErrors(coercionErrors, others, undefined, noRelations)].slice(
    0,
    maxIssues,
  );
}
