import type { Issue } from '../../core/errors.ts';
import { reduceChange, type ChangeContext } from '../../core/fields/reduce-change.ts';
import type { ChangeClass, FieldNode } from '../../core/fields/table.ts';
import { reportNullEntries } from '../../core/fields/validate.ts';
import { isFields, isSameJson, withoutNulls } from '../../core/json.ts';
import { Report } from '../../core/report.ts';
import { type EventTime, toStoredSpelling, kindOf, comparableTimeOf } from '../../core/time/time.ts';
import { moveRecurrenceLines } from '../../recurrence/series-move.ts';
import {
  maxExcludedOccurrences,
  tooManyExcludedMessage,
  browserTimeTools,
} from '../../recurrence/stored-lines.ts';
import { convertAttendeeChanges } from '../attendees/attendee-changes.ts';
import { isPlaceholderAddress } from '../attendees/guest-list.ts';
import { mergeGuests } from '../attendees/merge-guests.ts';
import { type Draft, convertToStoredForm, statusPath, isClosedToCaller } from '../draft.ts';
import type { EventBody, EventField, EventPatch, Normalization } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { hasOwnChanges, originalStartOf } from '../model/record.ts';
import { checkEvent } from './check.ts';
import { applyConference } from './apply-conference.ts';

/** Reduces a body to its effective changes in stored form, without unchanged, read-only and unsupported values. */
export function normalize(draft: Draft): void {
  const { body, context, isCreating, report } = draft;
  if (isCreating)
    for (const [name, node] of context.model.fields)
      reportNullEntries(node, body[name], ['event', name], report);
  if (typeof body.nodeId === 'string' && body.nodeId !== draft.view.nodeId) {
    const message = 'The nodeId is set by the server: your value was ignored.';
    report.warn(['event', 'nodeId'], 'readOnly', message);
  }
  for (const name of Object.keys(body) as EventField[]) {
    const node = context.model.fields.get(name);
    if (!node || body[name] === undefined) continue;
    if (node.normalize === undefined) applyChange(draft, node, body[name]);
    else handlers[node.normalize as Normalization].apply(draft, node);
  }
}

interface Handler {
  readonly apply: (draft: Draft, node: FieldNode) => void;
  /** Classes of fields that the handler supports. */
  readonly classes: readonly ChangeClass[];
}

/** Handlers of fields whose value needs interpretation. */
const handlers: Readonly<Record<Normalization, Handler>> = {
  attachments: {
    classes: ['shared'],
    apply: (draft, node) => {
      if (draft.support.supportsAttachments) applyChange(draft, node, draft.body.attachments);
      else warnUnsupported(draft, node, [], attachmentsUnsupportedMessage);
    },
  },
  attendeesOmitted: { classes: ['request'], apply: applyAttendeesOmitted },
  conference: {
    classes: ['shared'],
    apply: (draft, node) => {
      if (draft.support.conferenceDataVersion === 1) applyConference(draft, node);
      else warnUnsupported(draft, node, null, conferenceUnsupportedMessage);
    },
  },
  guests: { classes: ['shared'], apply: mergeGuests },
  person: { classes: ['readOnly'], apply: applyPerson },
  recurrence: { classes: ['shared'], apply: applyRecurrence },
  reminders: { classes: ['caller'], apply: applyReminders },
  status: {
    classes: ['shared'],
    apply: (draft, node) => {
      if (!changeCopyStatus(draft, node)) applyChange(draft, node, draft.body.status);
    },
  },
  time: { classes: ['shared', 'immutable'], apply: applyTime },
};

/** Classes of guests' fields, which the handler of the guest list supports. */
const guestClasses: readonly ChangeClass[] = ['own', 'once'];

/** Throws for a row of the table that no handler supports, so that the gateway does not start with it. */
export function requireHandlers({ fields }: EventModel): void {
  const listSubfields = (node: FieldNode): FieldNode[] => [
    node,
    ...[...node.fields.values(), ...(node.entry ? [node.entry] : [])].flatMap(listSubfields),
  ];
  for (const field of fields.values()) {
    const { name, change, normalize: kind } = field;
    const handler = kind === undefined ? undefined : (handlers as Readonly<Record<string, Handler>>)[kind];
    if (kind !== undefined && !handler) throw new Error(`${name}: nothing normalizes ${kind}`);
    if (handler && !handler.classes.includes(change))
      throw new Error(`${name}: ${kind} is for fields of class ${handler.classes.join(', ')}, not ${change}`);
    const misplacedNode =
      kind === 'guests' ? undefined : listSubfields(field).find((node) => guestClasses.includes(node.change));
    if (misplacedNode)
      throw new Error(
        `${name}: class ${misplacedNode.change} of ${misplacedNode.name} is for the entries of a guest list`,
      );
    if (change === 'request' && !handler)
      throw new Error(`${name}: nothing carries a field of class request out`);
  }
}

/** Adds the change of a field in relation to the value that the caller sees. */
function applyChange(draft: Draft, node: FieldNode, value: unknown): void {
  applyField(draft, node, value, draft.view[node.name as EventField]);
}

/** Adds the change of a field in relation to `shownValue`. */
function applyField(draft: Draft, node: FieldNode, value: unknown, shownValue: unknown): void {
  const change = reduceChange(node, shownValue, value, ['event', node.name], draft);
  if (change !== undefined) draft.change[node.name] = change;
}

/** Whether a value would change a field; reports nothing. */
function isEffective(draft: Draft, node: FieldNode, shownValue: unknown, newValue: unknown): boolean {
  const silentContext: ChangeContext = {
    report: new Report(),
    isCreating: draft.isCreating,
    changedFields: [],
    unappliedValues: [],
  };
  return reduceChange(node, shownValue, newValue, [], silentContext) !== undefined;
}

function applyTime(draft: Draft, node: FieldNode): void {
  const name = node.name as 'start';
  const { body, view, context } = draft;
  applyChange(draft, node, toStoredSpelling(body[name], view[name], context.calendar.timeZone));
}

/** Applies recurrence lines, and warns of PERIOD lengths, since all instances have the event's duration. */
function applyRecurrence(draft: Draft, node: FieldNode): void {
  const { body, change, report } = draft;
  const { recurrence } = body;
  applyChange(draft, node, recurrence);
  if (change.recurrence === undefined) return;
  for (const [index, line] of (recurrence ?? []).entries()) {
    if (typeof line !== 'string' || !/^RDATE;[^:]*VALUE=PERIOD/i.test(line)) continue;
    report.warn(
      ['event', 'recurrence', index],
      'ignored',
      'Every instance has the length of the event: the length of the PERIOD was ignored, and its start applied.',
    );
  }
}

/** Applies a person, without a placeholder address that a client sends back. */
function applyPerson(draft: Draft, node: FieldNode): void {
  const person = draft.body[node.name as 'creator'];
  const isPlaceholder = person && isPlaceholderAddress(person.email);
  applyChange(draft, node, isPlaceholder ? { ...person, email: undefined } : person);
}

function applyAttendeesOmitted({ body, isCreating, report }: Draft): void {
  if (!isCreating || body.attendeesOmitted !== true) return;
  report.warn(
    ['event', 'attendeesOmitted'],
    'ignored',
    'attendeesOmitted was ignored: the guest list of a new event is complete.',
  );
}

/** Warns of a change that the request does not support; `emptyValue`: that of the field. */
function warnUnsupported(draft: Draft, node: FieldNode, emptyValue: unknown, message: string): void {
  const name = node.name as EventField;
  if (isEffective(draft, node, draft.view[name] ?? emptyValue, draft.body[name] ?? emptyValue))
    draft.report.warn(['event', name], 'ignored', message);
}

const attachmentsUnsupportedMessage =
  'attachments were ignored, because supportsAttachments is false. Send supportsAttachments: true to apply them.';
const conferenceUnsupportedMessage =
  'conferenceData was ignored, because conferenceDataVersion is 0. Send conferenceDataVersion: 1 to apply it.';

/** Applies reminders. The calendar's default ones that are sent back as shown do not become the user's own. */
function applyReminders(draft: Draft, node: FieldNode): void {
  const { before, isCreating, view } = draft;
  const storedReminders = before.viewer.reminders;
  const sentReminders = withoutNewSms(draft);
  if (!isCreating && sentReminders !== null && !isEffective(draft, node, view.reminders, sentReminders))
    return;
  applyField(draft, node, sentReminders, storedReminders && view.reminders);
}

/** Drops new `sms` reminders, a method that Google no longer offers. */
function withoutNewSms({
  body: { reminders },
  view,
  report,
  context,
  sentIndexes,
}: Draft): EventPatch['reminders'] {
  const maxOverrides = context.model.field('reminders').fields.get('overrides')?.max?.entries ?? Infinity;
  const sentOverrides = reminders?.overrides;
  // A list that is much too long is refused later.
  if (!sentOverrides || sentOverrides.length > maxOverrides * 10) return reminders;
  const storedOverrides = view.reminders?.overrides ?? [];
  const remainingEntries = [...sentOverrides.entries()].filter(([index, entry]) => {
    const isNew =
      isFields(entry) &&
      entry.method === 'sms' &&
      !storedOverrides.some(({ method, minutes }) => method === 'sms' && minutes === entry.minutes);
    if (isNew)
      report.warn(
        ['event', 'reminders', 'overrides', index],
        'ignored',
        'New sms reminders are ignored. Use email or popup.',
      );
    return !isNew;
  });
  if (remainingEntries.length === sentOverrides.length) return reminders;
  sentIndexes.set(
    'overrides',
    remainingEntries.map(([index]) => index),
  );
  return { ...reminders, overrides: remainingEntries.map(([, entry]) => entry) };
}

/** Moves the lines of a series with its start, unless the body sets them. */
export function moveLines(draft: Draft): void {
  const { change, isCreating, before, context, report, exceptions } = draft;
  const { recurrence = [], start: oldStart } = before.core;
  if (isCreating || context.record.instance || change.start === undefined || change.start === null) return;
  if (change.recurrence !== undefined || recurrence.length === 0 || !oldStart) return;
  const newStart = withoutNulls({ ...oldStart, ...(change.start as EventPatch['start']) }) as EventTime;
  // Rules report invalid times.
  if (kindOf(newStart) === null || kindOf(oldStart) === null || comparableTimeOf(newStart) === null) return;
  const activeExceptions = exceptions.filter(hasOwnChanges);
  draft.excludesCancelled = kindOf(newStart) !== kindOf(oldStart);
  const { lines, isAdditional, excludesTooMany } = moveRecurrenceLines({
    lines: recurrence,
    oldStart,
    newStart,
    zone: context.calendar.timeZone,
    exceptionOriginals: activeExceptions.map(originalStartOf),
    cancelledOriginals: activeExceptions
      .filter(({ core }) => core.status === 'cancelled')
      .map(originalStartOf),
  });
  if (excludesTooMany)
    report.addIssue(['event', 'recurrence'], 'tooMany', tooManyExcludedMessage, {
      max: maxExcludedOccurrences,
    });
  if (!isSameJson(lines, recurrence)) change.recurrence = lines;
  if (isAdditional)
    report.warn(
      ['event', 'recurrence'],
      'normalized',
      `The rules do not produce the new start, so it is an additional occurrence. Stored as ${lines.join(' and ')}`,
    );
}

/** Issues of a body and of `attendeeChanges` that can be found without the event that they change. */
export function bodyIssues(model: EventModel, event: unknown, attendeeChanges?: unknown): Issue[] {
  const { body, report, sentIndexes } = convertAttendeeChanges(
    isFields(event) ? event : {},
    isFields(attendeeChanges) ? attendeeChanges : undefined,
    { context: { model, owner: '', hasOrganizerRights: true }, view: {} },
  );
  const path = ['event'];
  const context = { view: {}, zone: '', tools: browserTimeTools, path, report, sentIndexes };
  const storedForm = convertToStoredForm(withoutNulls(body), context) as EventBody;
  checkEvent(storedForm, {}, new Set(Object.keys(storedForm) as EventField[]), {
    model,
    zone: '',
    mode: 'part',
    path,
    report,
    sentIndexes,
  });
  return report.issues;
}

/** Removes or restores the guest's copy by `status`. Returns false if the status concerns the core instead. */
function changeCopyStatus(draft: Draft, { default: defaultStatus }: FieldNode): boolean {
  const { context, body, report } = draft;
  const wantedStatus = body.status ?? defaultStatus;
  if (context.hasOrganizerRights || isClosedToCaller(draft)) return false;
  if (context.copy.state === 'present') {
    if (wantedStatus === 'cancelled') draft.copyState = 'removed';
    return wantedStatus === 'cancelled';
  }
  if (wantedStatus === 'cancelled') return true;
  draft.copyState = 'present';
  const status = context.record.core.status ?? defaultStatus;
  if (status !== wantedStatus) {
    if (context.record.core.guestsCanModify) return false;
    report.warn(
      statusPath,
      'ignored',
      `The event is on this calendar again. It stays ${status}: only the organizer can change that.`,
    );
  }
  return true;
}
