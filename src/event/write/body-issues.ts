import type { Issue } from '../../core/kernel/errors.ts';
import { isFields, withoutNulls } from '../../core/kernel/patch.ts';
import { Report } from '../../core/kernel/report.ts';
import type { EventBody, EventField } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { checkEvent } from './check.ts';

/**
 * What can be said of a body by itself, whatever event it is meant for. For input that does not even fit the schema, so
 * that its other faults are told together with that. Paths start at the event's own field.
 */
export function bodyIssues(model: EventModel, body: unknown): Issue[] {
  if (!isFields(body)) return [];
  const report = new Report();
  const event = withoutNulls(body) as EventBody;
  checkEvent(event, {}, new Set(Object.keys(event) as EventField[]), { model, zone: '', mode: 'part', path: [], report });
  return report.issues;
}
