import { readOnlyMessage } from '../../core/fields/reduce-change.ts';
import { validate, type Validation } from '../../core/fields/validate.ts';
import { isSameJson, withoutNulls } from '../../core/json-values.ts';
import { type Path, valueAt } from '../../core/errors.ts';
import type { Report } from '../../core/report.ts';
import type { EventBody, EventField } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { checkRules } from '../rules/rules.ts';
import type { RuleContext } from '../rules/rule.ts';
import { eventBefore, type Draft } from '../draft.ts';

/** Settings of a check, and the report that receives its issues. */
interface CheckInput {
  readonly model: EventModel;
  readonly zone: string;
  readonly mode: RuleContext['mode'];
  readonly path: Path;
  readonly report: Report;
  /** Index at which the client sent each entry of a list, by the list's name. */
  readonly sentIndexes?: ReadonlyMap<string, readonly number[]>;
  /** The event was stored before, so that the limits of stored lists apply, not those of sent ones. */
  readonly isStored?: boolean;
}

/**
 * Creates the function that counts the entries of a stored list: 0 up to its stored limit, since hidden
 * guests may exceed the limit of sent lists.
 */
export const createStoredEntryCounter =
  ({ fields }: EventModel) =>
  (list: string, length: number): number =>
    length <= (fields.get(list as EventField)?.max?.stored ?? 0) ? 0 : length;

/** Checks the fields `names` of an event with the table of fields, and with the rules over several fields. */
export function checkEvent(
  event: EventBody,
  before: EventBody,
  names: ReadonlySet<EventField>,
  input: CheckInput,
): void {
  const { model, zone, mode, path, report, sentIndexes, isStored } = input;
  const sentIndexOf = (list: string, index: number): number => sentIndexes?.get(list)?.[index] ?? index;
  const countSentEntries = (list: string, length: number): number =>
    sentIndexes?.get(list)?.filter((index) => index >= 0).length ?? length;
  const sentCountOf = isStored ? createStoredEntryCounter(model) : countSentEntries;
  const validation: Validation = { report, indexOf: sentIndexOf, sentCountOf };
  for (const name of names) {
    const node = model.fields.get(name);
    if (node) validate(node, event[name], before[name], [...path, name], validation);
  }
  const isReportFull = report.isFull();
  const refusedPaths = new Set(report.issues.map((issue) => JSON.stringify(issue.path)));
  // Imports are not coerced by a schema, so values may have wrong types. Rules skip fields that have issues.
  const invalidFields = new Set(
    mode === 'import' ? report.issues.map((issue) => issue.path[path.length]) : [],
  );
  const validEvent =
    invalidFields.size === 0
      ? event
      : (Object.fromEntries(Object.entries(event).filter(([name]) => !invalidFields.has(name))) as EventBody);
  checkRules(validEvent, before, names, {
    zone,
    mode,
    isRefused: (subPath) =>
      isReportFull ||
      (refusedPaths.size > 0 && refusedPaths.has(JSON.stringify(report.pathOf([...path, ...subPath])))),
    reportIssue(subPath, reason, message, params) {
      if (!invalidFields.has(subPath[0])) report.addIssue([...path, ...subPath], reason, message, params);
    },
    sentIndexOf,
  });
}

/** Checks the event after a draft's change, and warns of read-only values that differ from the result. */
export function checkDraft(draft: Draft): void {
  const { context, after, isCreating, mode, report, validatedConference, unappliedValues, sentIndexes } =
    draft;
  const core =
    validatedConference || draft.replacements
      ? { ...after.core, conferenceData: validatedConference }
      : after.core;
  const mergedEvent = context.model.joinParts({ ...after, core });
  // The id of a new event is computed from its copy, so the id that the client chose is added for the check.
  const event =
    isCreating && typeof draft.body.id === 'string'
      ? (Object.create(mergedEvent, { id: { value: draft.body.id } }) as EventBody)
      : mergedEvent;
  const names = new Set(Object.keys(draft.change) as EventField[]);
  if (validatedConference) names.add('conferenceData');
  checkEvent(event, eventBefore(draft), names, {
    model: context.model,
    zone: context.calendar.timeZone,
    mode,
    path: ['event'],
    report,
    sentIndexes,
  });
  if (unappliedValues.length === 0) return;
  const resultingEvent = context.model.joinParts(after);
  for (const { node, path, value } of unappliedValues) {
    if (isSameJson(valueAt(resultingEvent[path[1] as EventField], path.slice(2)), withoutNulls(value)))
      continue;
    report.warn(path, 'readOnly', readOnlyMessage(node));
  }
}

/** Checks the identifiers of a new event and its reference to a series. */
export function checkIdentity({ body, report }: Draft): void {
  if (typeof body.recurringEventId === 'string') return;
  if (typeof body.id === 'string' && typeof body.iCalUID === 'string') {
    const message = 'Send id or iCalUID, not both: the server creates the other one.';
    report.addIssue(['event', 'iCalUID'], 'invalid', message);
  }
  if (body.originalStartTime) {
    const message =
      'The originalStartTime needs a recurringEventId: it names the instance of that recurring event.';
    report.addIssue(['event', 'originalStartTime'], 'invalid', message);
  }
}
