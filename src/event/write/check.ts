import { readOnlyMessage } from '../../core/fields/reduce-change.ts';
import { validate, type Validation } from '../../core/fields/validate.ts';
import { isSameJson, withoutNulls } from '../../core/json.ts';
import { type Path, valueAt, invalidInputError } from '../../core/errors.ts';
import type { Report } from '../../core/report.ts';
import type { EventBody, EventField } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import type { RuleContext } from '../rules/rule.ts';
import { eventBefore, type Draft } from '../draft.ts';
import { eventRules } from '../rules/rules.ts';
import type { ChangeState } from '../event.store.ts';
import { type EventRecord, hasOwnChanges } from '../model/record.ts';
import { seesGuests } from '../visibility/event-context.ts';
import { looksLikeSeries } from '../visibility/visible-state.ts';

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

/** Creates the function that counts entries of a stored list: 0 up to its stored limit, which hidden guests may use up. */
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

/** Checks an event with the rules of changed fields; a new event with all rules. */
export function checkRules(
  event: EventBody,
  before: EventBody,
  changedFields: ReadonlySet<EventField>,
  context: RuleContext,
): void {
  const isNew = context.mode === 'insert' || context.mode === 'import';
  for (const rule of eventRules) {
    if (isNew || rule.triggers.some((name) => changedFields.has(name))) rule.check(event, before, context);
  }
}

/** Warns of removed exceptions after a change of their series. Counts only those that the caller saw as exceptions. */
export function warnOfRemovedExceptions(
  { context, report, change, excludesCancelled }: Draft,
  removedExceptions: readonly EventRecord[],
  series: EventRecord,
  changedSeries: EventRecord,
): void {
  if (removedExceptions.length === 0 || changedSeries.core.status === 'cancelled') return;
  const wasSeenAsException = (record: EventRecord): boolean =>
    !(excludesCancelled && record.core.status === 'cancelled') &&
    !looksLikeSeries(context.calendar.id, { record, series }, !seesGuests(context), context.identity);
  const count = removedExceptions.filter(wasSeenAsException).length;
  if (count === 0) return;
  report.warn(
    ['event', change.start === undefined ? 'recurrence' : 'start'],
    'instancesRemoved',
    `Individually changed or cancelled instances without a place in the series: ${count}. They were removed.`,
    { count },
  );
}

/** Limit of a series' exceptions, since a change of a series writes all of them at once. Imports may exceed it. */
const maxExceptions = 2_500;

/** Throws if a change would add an exception to a series that has as many as allowed. */
export function assertExceptionLimit({ event, exceptionCount: actual }: ChangeState, path: Path): void {
  if ((event && hasOwnChanges(event)) || actual < maxExceptions) return;
  const message = `At most ${maxExceptions} instances can be changed or cancelled individually. Change the recurring event, or end it and continue with another.`;
  throw invalidInputError([{ path, reason: 'tooMany', message, params: { max: maxExceptions, actual } }]);
}
