import { isFields, withoutNulls } from '../../core/kernel/patch.ts';
import type { Issue } from '../../core/kernel/errors.ts';
import { withGuestList } from '../attendees/changes.ts';
import type { EventBody, EventField } from '../model/fields.ts';
import { inStoredForm } from '../draft/draft.ts';
import type { EventModel } from '../model/model.ts';
import { withoutClocks } from '../recurrence/stored-lines.ts';
import { checkEvent } from './check.ts';

/** The issues of a body, and of changes of the guest list, without the event that they change. */
export function bodyIssues(model: EventModel, event: unknown, attendeeChanges?: unknown): Issue[] {
  const { body, report, sentIndexes } = withGuestList(
    isFields(event) ? event : {},
    isFields(attendeeChanges) ? attendeeChanges : undefined,
    { at: { model, owner: '', asOrganizer: true }, seen: {} },
  );
  const path = ['event'];
  const facts = { seen: {}, zone: '', tools: withoutClocks, path, report, sentIndexes };
  const whole = inStoredForm(withoutNulls(body), facts) as EventBody;
  checkEvent(whole, {}, new Set(Object.keys(whole) as EventField[]), {
    model,
    zone: '',
    mode: 'part',
    path,
    report,
    sentIndexes,
  });
  return report.issues;
}
