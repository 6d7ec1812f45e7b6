import { readOnlyMessage } from '../../core/fields/changes.ts';
import { validate, type Validation } from '../../core/fields/validate.ts';
import { sameJson, withoutNulls } from '../../core/patch.ts';
import { type Path, valueAt } from '../../core/errors.ts';
import type { Report } from '../../core/report.ts';
import type { EventBody, EventField } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { checkRules } from '../rules/rules.ts';
import type { RuleContext } from '../rules/rule.ts';
import { wholeBefore, type Draft } from '../draft.ts';

interface Checking {
  readonly model: EventModel;
  readonly zone: string;
  readonly mode: RuleContext['mode'];
  /** Where the event stands in the input: `['event']`. */
  readonly path: Path;
  readonly report: Report;
  /** By name of a list that was put together here: at which index the client sent each entry. */
  readonly sentIndexes?: ReadonlyMap<string, readonly number[]>;
  /** It was stored before: of lists the bounds of what may be stored hold, not of what may be sent. */
  readonly isStored?: boolean;
}

/** Counts a stored list's entries: those that it may have with hidden ones among them are not too many. */
export const countStored =
  ({ fields }: EventModel) =>
  (list: string, length: number): number =>
    length <= (fields.get(list as EventField)?.max?.stored ?? 0) ? 0 : length;

/** Holds those fields of an event that differ from what it was against the table, and the rules over several fields. */
export function checkEvent(
  event: EventBody,
  before: EventBody,
  names: ReadonlySet<EventField>,
  checking: Checking,
): void {
  const { model, zone, mode, path, report, sentIndexes, isStored } = checking;
  const indexOf = (list: string, index: number): number => sentIndexes?.get(list)?.[index] ?? index;
  const countSent = (list: string, length: number): number =>
    sentIndexes?.get(list)?.filter((index) => index >= 0).length ?? length;
  const countOf = isStored ? countStored(model) : countSent;
  const validation: Validation = { report, indexOf, countOf };
  for (const name of names) {
    const node = model.fields.get(name);
    if (node) validate(node, event[name], before[name], [...path, name], validation);
  }
  const isFull = report.isFull();
  const refused = new Set(report.issues.map((issue) => JSON.stringify(issue.path)));
  // Imports are not coerced by a schema: a value that is broken by itself is not validated any further.
  const broken = new Set(mode === 'import' ? report.issues.map((issue) => issue.path[path.length]) : []);
  const sound =
    broken.size === 0
      ? event
      : (Object.fromEntries(Object.entries(event).filter(([name]) => !broken.has(name))) as EventBody);
  checkRules(sound, before, names, {
    zone,
    mode,
    isRefused: (at) =>
      isFull || (refused.size > 0 && refused.has(JSON.stringify(report.pathOf([...path, ...at])))),
    issue(at, reason, message, params) {
      if (!broken.has(at[0])) report.issue([...path, ...at], reason, message, params);
    },
    indexOf,
  });
}

/** Checks what a draft makes of its event, and warns of read-only values that do not come out as they were sent. */
export function check(draft: Draft): void {
  const { context, after, creating, mode, report, validatedConference, unapplied, sentIndexes } = draft;
  const core =
    validatedConference || draft.replacements
      ? { ...after.core, conferenceData: validatedConference }
      : after.core;
  const whole = context.model.whole({ ...after, core });
  const event =
    creating && typeof draft.body.id === 'string'
      ? (Object.create(whole, { id: { value: draft.body.id } }) as EventBody)
      : whole;
  const names = new Set(Object.keys(draft.change) as EventField[]);
  if (validatedConference) names.add('conferenceData');
  checkEvent(event, wholeBefore(draft), names, {
    model: context.model,
    zone: context.calendar.timeZone,
    mode,
    path: ['event'],
    report,
    sentIndexes,
  });
  if (unapplied.length === 0) return;
  const result = context.model.whole(after);
  for (const { node, path, value } of unapplied) {
    if (sameJson(valueAt(result[path[1] as EventField], path.slice(2)), withoutNulls(value))) continue;
    report.warn(path, 'readOnly', readOnlyMessage(node));
  }
}

/** The names of a new event, and the series that it belongs to. */
export function checkIdentity({ body, report }: Draft): void {
  if (typeof body.recurringEventId === 'string') return;
  if (typeof body.id === 'string' && typeof body.iCalUID === 'string') {
    const message = 'Give id or iCalUID, not both: the server makes the other one.';
    report.issue(['event', 'iCalUID'], 'invalid', message);
  }
  if (body.originalStartTime) {
    const message =
      'The originalStartTime goes with recurringEventId: it tells which instance of a recurring event this is.';
    report.issue(['event', 'originalStartTime'], 'invalid', message);
  }
}
