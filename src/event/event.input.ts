import type { Issue } from '../core/errors.ts';
import { issuesOf, textIssues } from '../core/input.ts';
import { withoutNulls } from '../core/patch.ts';
import { eventBody } from './event.ts';

/**
 * What can be said of a body by itself, whatever event it is meant for. For input that does not even fit the schema, so
 * that its other faults are told together with that.
 */
export const eventInputIssues = (body: unknown): Issue[] => [
  ...textIssues(body, []),
  ...issuesOf(eventBody, withoutNulls(body)),
];
