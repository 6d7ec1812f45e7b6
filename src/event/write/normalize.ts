import type { Issue } from '../../core/errors.ts';
import { changeTo, type Changing } from '../../core/fields/changes.ts';
import type { ChangeClass, FieldNode } from '../../core/fields/table.ts';
import { reportNullEntries } from '../../core/fields/validate.ts';
import { isFields, sameJson, withoutNulls } from '../../core/patch.ts';
import { Report } from '../../core/report.ts';
import { type EventTime, inStoredSpelling, kindOf, orderOf } from '../../core/time/time.ts';
import { movedLines } from '../../recurrence/moved-lines.ts';
import { maxExcludedOccurrences, tooManyExcluded, withoutClocks } from '../../recurrence/stored-lines.ts';
import { withGuestList } from '../attendees/changes.ts';
import { isMadeUp } from '../attendees/guest-list.ts';
import { mergeGuests } from '../attendees/merge.ts';
import { type Draft, inStoredForm } from '../draft.ts';
import type { EventBody, EventField, EventPatch, Normalization } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { changesAnything, originalStartOf } from '../model/record.ts';
import { changeStatus } from './change-status.ts';
import { checkEvent } from './check.ts';
import { takeConference } from './take-conference.ts';

/** Reduces a body to its effective changes, in stored form: without what is as shown, read-only or unsupported. */
export function normalize(draft: Draft): void {
  const { body, context, creating, report } = draft;
  if (creating)
    for (const [name, node] of context.model.fields)
      reportNullEntries(node, body[name], ['event', name], report);
  if (typeof body.nodeId === 'string' && body.nodeId !== draft.seen.nodeId) {
    const message = 'The nodeId is set by the server: the value that was sent was ignored.';
    report.warn(['event', 'nodeId'], 'readOnly', message);
  }
  for (const name of Object.keys(body) as EventField[]) {
    const node = context.model.fields.get(name);
    if (!node || body[name] === undefined) continue;
    if (node.normalize === undefined) take(draft, node, body[name]);
    else handlers[node.normalize as Normalization].take(draft, node);
  }
}

interface Handler {
  readonly take: (draft: Draft, node: FieldNode) => void;
  /** Who may change a field for it to mean what the handler makes of it. */
  readonly of: readonly ChangeClass[];
}

/** What is made of fields that mean more than their value. */
const handlers: Readonly<Record<Normalization, Handler>> = {
  attachments: {
    of: ['shared'],
    take: (draft, node) => {
      if (draft.support.supportsAttachments) take(draft, node, draft.body.attachments);
      else warnUnsupported(draft, node, [], attachmentsUnsupported);
    },
  },
  attendeesOmitted: { of: ['request'], take: takeOmitted },
  conference: {
    of: ['shared'],
    take: (draft, node) => {
      if (draft.support.conferenceDataVersion === 1) takeConference(draft, node);
      else warnUnsupported(draft, node, null, conferenceUnsupported);
    },
  },
  guests: { of: ['shared'], take: mergeGuests },
  person: { of: ['readOnly'], take: takePerson },
  recurrence: { of: ['shared'], take: takeRecurrence },
  reminders: { of: ['caller'], take: takeReminders },
  status: {
    of: ['shared'],
    take: (draft, node) => {
      if (!changeStatus(draft, node)) take(draft, node, draft.body.status);
    },
  },
  time: { of: ['shared', 'immutable'], take: takeTime },
};

/** These are said of guests, by the handler of their list. */
const ofGuests: readonly ChangeClass[] = ['own', 'once'];

/** Throws for a row that asks for what no handler does, so that a gateway with it does not start. */
export function requireHandlers({ fields }: EventModel): void {
  const inside = (node: FieldNode): FieldNode[] => [
    node,
    ...[...node.fields.values(), ...(node.entry ? [node.entry] : [])].flatMap(inside),
  ];
  for (const field of fields.values()) {
    const { name, change, normalize: asked } = field;
    const handler = asked === undefined ? undefined : (handlers as Readonly<Record<string, Handler>>)[asked];
    if (asked !== undefined && !handler) throw new Error(`${name}: nothing normalizes ${asked}`);
    if (handler && !handler.of.includes(change))
      throw new Error(`${name}: ${asked} is for fields of class ${handler.of.join(', ')}, not ${change}`);
    const foreign =
      asked === 'guests' ? undefined : inside(field).find((node) => ofGuests.includes(node.change));
    if (foreign)
      throw new Error(
        `${name}: class ${foreign.change} of ${foreign.name} is for the entries of a guest list`,
      );
    if (change === 'request' && !handler)
      throw new Error(`${name}: nothing carries a field of class request out`);
  }
}

/** Adds what a value changes of a field as the caller sees it. */
function take(draft: Draft, node: FieldNode, value: unknown): void {
  applyField(draft, node, value, draft.seen[node.name as EventField]);
}

function applyField(draft: Draft, node: FieldNode, value: unknown, seen: unknown): void {
  const change = changeTo(node, seen, value, ['event', node.name], draft);
  if (change !== undefined) draft.change[node.name] = change;
}

/** Whether a value would change a field, without saying anything of it. */
function isEffective(draft: Draft, node: FieldNode, seen: unknown, value: unknown): boolean {
  const silent: Changing = {
    report: new Report(),
    creating: draft.creating,
    changedFields: [],
    unapplied: [],
  };
  return changeTo(node, seen, value, [], silent) !== undefined;
}

function takeTime(draft: Draft, node: FieldNode): void {
  const name = node.name as 'start';
  take(draft, node, inStoredSpelling(draft.body[name], draft.seen[name], draft.context.calendar.timeZone));
}

/** Every instance is as long as its event (contract: what is accepted but not applied is never silent). */
function takeRecurrence(draft: Draft, node: FieldNode): void {
  const { body, change, report } = draft;
  const { recurrence } = body;
  take(draft, node, recurrence);
  if (change.recurrence === undefined) return;
  for (const [index, line] of (recurrence ?? []).entries()) {
    if (typeof line !== 'string' || !/^RDATE;[^:]*VALUE=PERIOD/i.test(line)) continue;
    report.warn(
      ['event', 'recurrence', index],
      'ignored',
      'Every instance is as long as the event: the length of a PERIOD was ignored, and its start applied.',
    );
  }
}

/** An address that the server made up is no difference when it comes back. */
function takePerson(draft: Draft, node: FieldNode): void {
  const person = draft.body[node.name as 'creator'];
  take(draft, node, person && isMadeUp(person.email) ? { ...person, email: undefined } : person);
}

function takeOmitted({ body, creating, report }: Draft): void {
  if (!creating || body.attendeesOmitted !== true) return;
  report.warn(
    ['event', 'attendeesOmitted'],
    'ignored',
    'attendeesOmitted was ignored: the guest list of a new event is taken as complete.',
  );
}

/** A field that this request does not support is ignored; `none`: what counts as none of it. */
function warnUnsupported(draft: Draft, node: FieldNode, none: unknown, message: string): void {
  const name = node.name as EventField;
  if (isEffective(draft, node, draft.seen[name] ?? none, draft.body[name] ?? none))
    draft.report.warn(['event', name], 'ignored', message);
}

const attachmentsUnsupported =
  'attachments were ignored, because supportsAttachments is false. Send supportsAttachments: true to apply them.';
const conferenceUnsupported =
  'conferenceData was ignored, because conferenceDataVersion is 0. Send conferenceDataVersion: 1 to apply it.';

/** Sent back as they were shown, the calendar's default reminders do not become the user's own. */
function takeReminders(draft: Draft, node: FieldNode): void {
  const { before, creating, seen } = draft;
  const stored = before.viewer.reminders;
  const sent = withoutNewSms(draft);
  if (!creating && sent !== null && !isEffective(draft, node, seen.reminders, sent)) return;
  applyField(draft, node, sent, stored && seen.reminders);
}

/** Newly added `sms` reminders are not supported any more (event resource, section 2). */
function withoutNewSms({
  body: { reminders },
  seen,
  report,
  context,
  sentIndexes,
}: Draft): EventPatch['reminders'] {
  const limit = context.model.field('reminders').fields.get('overrides')?.max?.entries ?? Infinity;
  const sent = reminders?.overrides;
  // A list that is too long is refused as it is.
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

/** Moves the lines of a series with its start, where the body does not set them (contract, section 15). */
export function moveLines(draft: Draft): void {
  const { change, creating, before, context, report, exceptions } = draft;
  const { recurrence = [], start: old } = before.core;
  if (creating || context.record.instance || change.start === undefined || change.start === null) return;
  if (change.recurrence !== undefined || recurrence.length === 0 || !old) return;
  const after = withoutNulls({ ...old, ...(change.start as EventPatch['start']) }) as EventTime;
  // A broken time is reported by its rule.
  if (kindOf(after) === null || kindOf(old) === null || orderOf(after) === null) return;
  const full = exceptions.filter(changesAnything);
  draft.excludesCancelled = kindOf(after) !== kindOf(old);
  const { lines, isAdditional, tooMany } = movedLines({
    lines: recurrence,
    before: old,
    after,
    zone: context.calendar.timeZone,
    changed: full.map(originalStartOf),
    cancelled: full.filter(({ core }) => core.status === 'cancelled').map(originalStartOf),
  });
  if (tooMany)
    report.issue(['event', 'recurrence'], 'tooMany', tooManyExcluded, { max: maxExcludedOccurrences });
  if (!sameJson(lines, recurrence)) change.recurrence = lines;
  if (isAdditional)
    report.warn(
      ['event', 'recurrence'],
      'normalized',
      `The rules do not give the new start, which is an occurrence beside theirs. Stored as ${lines.join(' and ')}`,
    );
}

/** The issues of a body, and of changes of the guest list, without the event that they change. */
export function bodyIssues(model: EventModel, event: unknown, attendeeChanges?: unknown): Issue[] {
  const { body, report, sentIndexes } = withGuestList(
    isFields(event) ? event : {},
    isFields(attendeeChanges) ? attendeeChanges : undefined,
    { context: { model, owner: '', asOrganizer: true }, seen: {} },
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
