import type { Issue } from '../../core/errors.ts';
import type { ChangeClass, FieldNode } from '../../core/fields/table.ts';
import { isFields } from '../../core/patch.ts';
import { sentGuestKey } from '../attendees/guest-list.ts';
import type { Draft } from '../draft.ts';
import type { SupportArgs } from '../event.requests.ts';
import type { EventBody, EventPatch } from '../model/fields.ts';
import { isCreator, type EventContext } from '../visibility/event-context.ts';
import { normalize } from './normalize.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ReplaceInput extends Pick<Draft, 'guestCalendars'> {
  readonly context: EventContext;
  readonly seen: EventBody;
  readonly support: SupportArgs;
}

/** Issues of a replacing body without start or end. None if the caller sees no times, as of a cancelled event. */
export const missingTimes = (body: EventPatch, { start }: EventBody): Issue[] =>
  (start === undefined ? [] : (['start', 'end'] as const)).flatMap((name): Issue[] =>
    (body[name] ?? null) === null
      ? [
          {
            path: ['event', name],
            reason: 'required',
            message: `${name} is required, as in a new event. A patch keeps absent fields.`,
          },
        ]
      : [],
  );

/** Converts a replacing body to a patch, which clears absent fields that the caller may change. Answers and sequence stay. */
export function putToPatch(body: EventPatch, input: ReplaceInput): EventPatch {
  const { context, seen } = input;
  const canClear = canClearField(input);
  const filled: Record<string, unknown> = { ...body };
  // A caller who does not see the fields cannot have left them out on purpose.
  for (const [name, node] of seen.start === undefined ? [] : context.model.fields) {
    const [sent, shown] = [(body as Fields)[name] ?? undefined, seen[name]];
    if (name === 'attendees' && Array.isArray(sent)) filled[name] = replaceGuests(sent, node, input);
    else if (!staysIfAbsent(name, input)) set(filled, name, clearAbsent(node, sent, shown, canClear));
  }
  // A single start or end would be compared with the stored other one.
  if (missingTimes(body, seen).length > 0) for (const name of ['start', 'end']) delete filled[name];
  // A guest who removed the event from the own calendar may restore it.
  if (context.copy.state === 'removed' && !context.asOrganizer && (body.status ?? null) === null)
    filled.status = null;
  return filled;
}

/** Whether an absent field keeps its value for every caller. */
const staysIfAbsent = (name: string, { support }: ReplaceInput): boolean =>
  name === 'sequence' ||
  (name === 'conferenceData' && support.conferenceDataVersion !== 1) ||
  (name === 'attachments' && support.supportsAttachments !== true);

function canClearField({ context }: ReplaceInput): (node: FieldNode) => boolean {
  const shared = context.asOrganizer || context.record.core.guestsCanModify === true;
  const canChange: Readonly<Partial<Record<FieldNode['change'], boolean>>> = {
    shared,
    organizer: context.asOrganizer,
    creator: isCreator(context),
    copy: true,
    caller: true,
  };
  return (node) => canChange[node.change] === true && !(node.locked && context.copy.own.locked);
}

/** Change of a field that a replacing body means; undefined if the field stays. */
function clearAbsent(
  node: FieldNode,
  sent: unknown,
  shown: unknown,
  canClear: (node: FieldNode) => boolean,
): unknown {
  const isRequired = node.name === 'start' || node.name === 'end';
  if (sent === undefined && canClear(node)) return isRequired ? undefined : null;
  // The caller may be allowed to change subfields of an object.
  if (node.kind === 'object' && (isFields(sent) || !node.isUniform))
    return clearAbsentFields(node, isFields(sent) ? sent : {}, isFields(shown) ? shown : {}, canClear);
  if (node.kind === 'map' && isFields(sent)) return { ...absentKeys(sent, shown, canClear(node)), ...sent };
  return sent;
}

function clearAbsentFields(
  node: FieldNode,
  sent: Fields,
  shown: Fields,
  canClear: (node: FieldNode) => boolean,
): Fields | undefined {
  const filled: Record<string, unknown> = { ...sent };
  // Signatures are never cleared, since they are made anew.
  for (const [name, field] of node.fields)
    if (name !== 'signature')
      set(filled, name, clearAbsent(field, sent[name] ?? undefined, shown[name], canClear));
  return Object.keys(filled).length > 0 ? filled : undefined;
}

const absentKeys = (sent: Fields, shown: unknown, canClear: boolean): Fields =>
  Object.fromEntries(
    canClear && isFields(shown)
      ? Object.keys(shown)
          .filter((key) => !Object.hasOwn(sent, key))
          .map((key) => [key, null])
      : [],
  );

function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) target[name] = value;
}

/** Clears absent fields of sent guests, except answers that the caller may not give. */
function replaceGuests(
  sent: readonly unknown[],
  node: FieldNode,
  { context, guestCalendars }: ReplaceInput,
): readonly unknown[] {
  const shared = context.asOrganizer || context.record.core.guestsCanModify === true;
  return sent.map((entry) => {
    if (!isFields(entry)) return entry;
    const key = sentGuestKey(entry);
    const isOwn = key !== undefined && key === context.owner;
    const answers = isOwn || (context.asOrganizer && !(key !== undefined && guestCalendars.has(key)));
    const filled: Record<string, unknown> = { ...entry };
    for (const [name, field] of node.fields) {
      if ((entry[name] ?? null) !== null || name === 'email' || name === 'responseStatus') continue;
      if (field.change === 'own' ? answers : field.change === 'shared' && shared) filled[name] = null;
    }
    return filled;
  });
}

const fixedClasses: ReadonlySet<ChangeClass | undefined> = new Set(['readOnly', 'immutable']);

/**
 * Converts a body for an instance to a patch of its series. A body with recurringEventId is the instance as it was read, so
 * unchanged fields and `recurrence: null` are dropped. Any other body keeps all fields, except unchanged unchangeable ones.
 */
export function instanceToSeriesPatch(draft: Draft): EventPatch {
  normalize(draft);
  const { change, replacements, guests, report, unapplied, body, sent, context } = draft;
  const wasRead = typeof body.recurringEventId === 'string';
  const reported = [...report.issues, ...report.refusals, ...report.warnings, ...unapplied].map(
    ({ path }) => path[1],
  );
  const changed = new Set<unknown>([
    ...Object.keys(change),
    ...reported,
    'attendeesOmitted',
    ...(wasRead && body.recurrence === null ? [] : ['recurrence']),
    ...(replacements ? ['conferenceData'] : []),
    ...(guests?.invites ? ['attendees'] : []),
  ]);
  const isMeant = (name: string): boolean =>
    changed.has(name) || (!wasRead && !fixedClasses.has(context.model.fields.get(name as 'id')?.change));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => isMeant(name)));
}
