import type { FieldRelations } from '../../core/coercion/other-issues.ts';
import type { Issue } from '../../core/kernel/errors.ts';
import { isFields, withoutNulls } from '../../core/kernel/patch.ts';
import { Report } from '../../core/kernel/report.ts';
import { withGuestList } from '../attendees/changes.ts';
import type { EventBody, EventField } from '../model/fields.ts';
import { inStoredForm } from '../draft/stored-form.ts';
import type { EventModel } from '../model/model.ts';
import { withoutClocks } from '../recurrence/stored-lines.ts';
import { checkEvent } from './check.ts';

/**
 * The issues of a body without the event that it changes, to be reported beside coercion errors. Paths start at the fields
 * of the event.
 */
export function bodyIssues(model: EventModel, body: unknown): Issue[] {
  if (!isFields(body)) return [];
  const report = new Report();
  const sentIndexes = new Map<string, readonly number[]>();
  const facts = { seen: {}, zone: '', tools: withoutClocks, path: [], report, sentIndexes };
  const event = inStoredForm(withoutNulls(body), facts) as EventBody;
  checkEvent(event, {}, new Set(Object.keys(event) as EventField[]), {
    model,
    zone: '',
    mode: 'part',
    path: [],
    report,
    sentIndexes,
  });
  return report.issues;
}

/** The same of a change of the guest list. Paths start at the change. */
export function attendeeChangesIssues(model: EventModel, changes: unknown): Issue[] {
  if (!isFields(changes)) return [];
  const { body, report } = withGuestList({}, changes, {
    at: { model, owner: '', asOrganizer: true },
    seen: {},
  });
  const event = withoutNulls(body) as EventBody;
  checkEvent(event, {}, new Set(['attendees']), { model, zone: '', mode: 'part', path: ['event'], report });
  return report.issues.map(({ path: [_argument, ...path], ...issue }) => ({ ...issue, path }));
}

export const eventRelations: FieldRelations = {
  dependsOn: { originalStartTime: 'recurringEventId', iCalUID: 'recurringEventId', orderBy: 'singleEvents' },
  compared: { timeRangeEmpty: ['start', 'end'] },
};
