import type { Issue } from '../../core/errors.ts';
import { reduceChange, type ChangeContext } from '../../core/fields/changes.ts';
import type { ChangeClass, FieldNode } from '../../core/fields/table.ts';
import { reportNullEntries } from '../../core/fields/validate.ts';
import { isFields, sameJson, withoutNulls } from '../../core/patch.ts';
import { Report } from '../../core/report.ts';
import { type EventTime, toStoredSpelling, kindOf, orderOf } from '../../core/time/time.ts';
import { movedLines } from '../../recurrence/moved-lines.ts';
import { maxExcludedOccurrences, tooManyExcluded, browserTimeTools } from '../../recurrence/stored-lines.ts';
import { withGuestList } from '../attendees/changes.ts';
import { isPlaceholder } from '../attendees/guest-list.ts';
import { mergeGuests } from '../attendees/merge.ts';
import { type Draft, inStoredForm } from '../draft.ts';
import type { EventBody, EventField, EventPatch, Normalization } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { hasOwnChanges, originalStartOf } from '../model/record.ts';
import { changeStatus } from './change-status.ts';
import { checkEvent } from './check.ts';
import { applyConference } from './take-conference.ts';

/** Reduces a body to its effective changes in stored form, without unchanged, read-only and unsupported values. */
export function normalize(draft: Draft): void {
  const { body, context, isCreating, report } = draft;
  if (isCreating)
    for (const [name, node] of context.model.fields)
      reportNullEntries(node, body[name], ['event', name], report);
  if (typeof body.nodeId === 'string' && body.nodeId !== draft.seen.nodeId) {
    const message = 'The nodeId is set by the server: your value was ignored.';
    report.warn(['event', 'nodeId'], 'readOnly', message);
  }
  for (const name of Object.keys(body) as EventField[]) {
    const node = context.model.fields.get(name);
    if (!node || body[name] === undefined) continue;
    if (node.normalize === undefined) apply(draft, node, body[name]);
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
      if (draft.support.supportsAttachments) apply(draft, node, draft.body.attachments);
      else warnUnsupported(draft, node, [], attachmentsUnsupported);
    },
  },
  attendeesOmitted: { classes: ['request'], apply: applyOmitted },
  conference: {
    classes: ['shared'],
    apply: (draft, node) => {
      if (draft.support.conferenceDataVersion === 1) applyConference(draft, node);
      else warnUnsupported(draft, node, null, conferenceUnsupported);
    },
  },
  guests: { classes: ['shared'], apply: mergeGuests },
  person: { classes: ['readOnly'], apply: applyPerson },
  recurrence: { classes: ['shared'], apply: applyRecurrence },
  reminders: { classes: ['caller'], apply: applyReminders },
  status: {
    classes: ['shared'],
    apply: (draft, node) => {
      if (!changeStatus(draft, node)) apply(draft, node, draft.body.status);
    },
  },
  time: { classes: ['shared', 'immutable'], apply: applyTime },
};

/** Classes of guests' fields, which the handler of the guest list supports. */
const guestClasses: readonly ChangeClass[] = ['own', 'once'];

/** Throws for a row of the table that no handler supports, so that the gateway does not start with it. */
export function requireHandlers({ fields }: EventModel): void {
  const withSubfields = (node: FieldNode): FieldNode[] => [
    node,
    ...[...node.fields.values(), ...(node.entry ? [node.entry] : [])].flatMap(withSubfields),
  ];
  for (const field of fields.values()) {
    const { name, change, normalize: kind } = field;
    const handler = kind === undefined ? undefined : (handlers as Readonly<Record<string, Handler>>)[kind];
    if (kind !== undefined && !handler) throw new Error(`${name}: nothing normalizes ${kind}`);
    if (handler && !handler.classes.includes(change))
      throw new Error(`${name}: ${kind} is for fields of class ${handler.classes.join(', ')}, not ${change}`);
    const foreign =
      kind === 'guests' ? undefined : withSubfields(field).find((node) => guestClasses.includes(node.change));
    if (foreign)
      throw new Error(
        `${name}: class ${foreign.change} of ${foreign.name} is for the entries of a guest list`,
      );
    if (change === 'request' && !handler)
      throw new Error(`${name}: nothing carries a field of class request out`);
  }
}

/** Adds the change of a field in relation to the value that the caller sees. */
function apply(draft: Draft, node: FieldNode, value: unknown): void {
  applyField(draft, node, value, draft.seen[node.name as EventField]);
}

function applyField(draft: Draft, node: FieldNode, value: unknown, seen: unknown): void {
  const change = reduceChange(node, seen, value, ['event', node.name], draft);
  if (change !== undefined) draft.change[node.name] = change;
}

/** Whether a value would change a field; reports nothing. */
function isEffective(draft: Draft, node: FieldNode, seen: unknown, value: unknown): boolean {
  const silent: ChangeContext = {
    report: new Report(),
    isCreating: draft.isCreating,
    changedFields: [],
    unapplied: [],
  };
  return reduceChange(node, seen, value, [], silent) !== undefined;
}

function applyTime(draft: Draft, node: FieldNode): void {
  const name = node.name as 'start';
  apply(draft, node, toStoredSpelling(draft.body[name], draft.seen[name], draft.context.calendar.timeZone));
}

/** Applies recurrence lines, and warns of PERIOD lengths, since all instances have the event's duration. */
function applyRecurrence(draft: Draft, node: FieldNode): void {
  const { body, change, report } = draft;
  const { recurrence } = body;
  apply(draft, node, recurrence);
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
  apply(draft, node, person && isPlaceholder(person.email) ? { ...person, email: undefined } : person);
}

function applyOmitted({ body, isCreating, report }: Draft): void {
  if (!isCreating || body.attendeesOmitted !== true) return;
  report.warn(
    ['event', 'attendeesOmitted'],
    'ignored',
    'attendeesOmitted was ignored: the guest list of a new event is complete.',
  );
}

/** Warns of a change that the request does not support; `none`: the field's empty value. */
function warnUnsupported(draft: Draft, node: FieldNode, none: unknown, message: string): void {
  const name = node.name as EventField;
  if (isEffective(draft, node, draft.seen[name] ?? none, draft.body[name] ?? none))
    draft.report.warn(['event', name], 'ignored', message);
}

const attachmentsUnsupported =
  'attachments were ignored, because supportsAttachments is false. Send supportsAttachments: true to apply them.';
const conferenceUnsupported =
  'conferenceData was ignored, because conferenceDataVersion is 0. Send conferenceDataVersion: 1 to apply it.';

/** Applies reminders. The calendar's default ones that are sent back as shown do not become the user's own. */
function applyReminders(draft: Draft, node: FieldNode): void {
  const { before, isCreating, seen } = draft;
  const stored = before.viewer.reminders;
  const sent = withoutNewSms(draft);
  if (!isCreating && sent !== null && !isEffective(draft, node, seen.reminders, sent)) return;
  applyField(draft, node, sent, stored && seen.reminders);
}

/** Drops new `sms` reminders, which are not supported any more (event resource, section 2). */
function withoutNewSms({
  body: { reminders },
  seen,
  report,
  context,
  sentIndexes,
}: Draft): EventPatch['reminders'] {
  const limit = context.model.field('reminders').fields.get('overrides')?.max?.entries ?? Infinity;
  const sent = reminders?.overrides;
  // A list that is much too long is refused later.
  if (!sent || sent.length > limit * 10) return reminders;
  const stored = seen.reminders?.overrides ?? [];
  const remaining: number[] = [];
  for (const [index, entry] of sent.entries()) {
    const isNew =
      isFields(entry) &&
      entry.method === 'sms' &&
      !stored.some(({ method, minutes }) => method === 'sms' && minutes === entry.minutes);
    if (!isNew) remaining.push(index);
    else
      report.warn(
        ['event', 'reminders', 'overrides', index],
        'ignored',
        'New sms reminders are ignored. Use email or popup.',
      );
  }
  if (remaining.length === sent.length) return reminders;
  const overrides = remaining.map((index) => sent[index] as (typeof sent)[number]);
  sentIndexes.set('overrides', remaining);
  return { ...reminders, overrides };
}

/** Moves the lines of a series with its start, unless the body sets them (contract, section 15). */
export function moveLines(draft: Draft): void {
  const { change, isCreating, before, context, report, exceptions } = draft;
  const { recurrence = [], start: old } = before.core;
  if (isCreating || context.record.instance || change.start === undefined || change.start === null) return;
  if (change.recurrence !== undefined || recurrence.length === 0 || !old) return;
  const after = withoutNulls({ ...old, ...(change.start as EventPatch['start']) }) as EventTime;
  // Rules report invalid times.
  if (kindOf(after) === null || kindOf(old) === null || orderOf(after) === null) return;
  const active = exceptions.filter(hasOwnChanges);
  draft.excludesCancelled = kindOf(after) !== kindOf(old);
  const { lines, isAdditional, tooMany } = movedLines({
    lines: recurrence,
    before: old,
    after,
    zone: context.calendar.timeZone,
    changed: active.map(originalStartOf),
    cancelled: active.filter(({ core }) => core.status === 'cancelled').map(originalStartOf),
  });
  if (tooMany)
    report.issue(['event', 'recurrence'], 'tooMany', tooManyExcluded, { max: maxExcludedOccurrences });
  if (!sameJson(lines, recurrence)) change.recurrence = lines;
  if (isAdditional)
    report.warn(
      ['event', 'recurrence'],
      'normalized',
      `The rules do not produce the new start, so it is an additional occurrence. Stored as ${lines.join(' and ')}`,
    );
}

/** Issues of a body and `attendeeChanges` by themselves, without the event that they change. */
export function bodyIssues(model: EventModel, event: unknown, attendeeChanges?: unknown): Issue[] {
  const { body, report, sentIndexes } = withGuestList(
    isFields(event) ? event : {},
    isFields(attendeeChanges) ? attendeeChanges : undefined,
    { context: { model, owner: '', asOrganizer: true }, seen: {} },
  );
  const path = ['event'];
  const context = { seen: {}, zone: '', tools: browserTimeTools, path, report, sentIndexes };
  const stored = inStoredForm(withoutNulls(body), context) as EventBody;
  checkEvent(stored, {}, new Set(Object.keys(stored) as EventField[]), {
    model,
    zone: '',
    mode: 'part',
    path,
    report,
    sentIndexes,
  });
  return report.issues;
}
