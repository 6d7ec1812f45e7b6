import type { Issue } from '../../core/errors.ts';
import type { ChangeClass, FieldNode } from '../../core/fields/table.ts';
import { isFields } from '../../core/patch.ts';
import { keyOfSent } from '../attendees/guest-list.ts';
import type { Draft } from '../draft.ts';
import type { Support } from '../event.requests.ts';
import type { EventBody, EventPatch } from '../model/fields.ts';
import { isCreator, type EventContext } from '../visibility/event-context.ts';
import { normalize } from './normalize.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ReplaceContext extends Pick<Draft, 'guestCalendars'> {
  readonly context: EventContext;
  readonly seen: EventBody;
  readonly support: Support;
}

/** What a body that replaces an event cannot do without; nothing where the caller sees no times, as of a bare cancellation. */
export const missingTimes = (body: EventPatch, { start }: EventBody): Issue[] =>
  (start === undefined ? [] : (['start', 'end'] as const)).flatMap((name): Issue[] =>
    (body[name] ?? null) === null
      ? [
          {
            path: ['event', name],
            reason: 'required',
            message: `${name} is required, as in a new event. A patch leaves what it does not hold as it is.`,
          },
        ]
      : [],
  );

/** The patch of a body that replaces an event: what the caller may change and left out is unset; answers and the revision stay. */
export function putToPatch(body: EventPatch, facts: ReplaceContext): EventPatch {
  const { context, seen } = facts;
  const clears = clearable(facts);
  const filled: Record<string, unknown> = { ...body };
  // What the caller does not see can be left out by nobody.
  for (const [name, node] of seen.start === undefined ? [] : context.model.fields) {
    const [sent, shown] = [(body as Fields)[name] ?? undefined, seen[name]];
    if (name === 'attendees' && Array.isArray(sent)) filled[name] = guestsOf(sent, node, facts);
    else if (!kept(name, facts)) set(filled, name, filledField(node, sent, shown, clears));
  }
  // Half a time would be held against the stored other half.
  if (missingTimes(body, seen).length > 0) for (const name of ['start', 'end']) delete filled[name];
  // Whoever took the event off the own calendar may put it back.
  if (context.copy.state === 'removed' && !context.asOrganizer && (body.status ?? null) === null)
    filled.status = null;
  return filled;
}

/** Stays where the body leaves it out, whoever asks. */
const kept = (name: string, { support }: ReplaceContext): boolean =>
  name === 'sequence' ||
  (name === 'conferenceData' && support.conferenceDataVersion !== 1) ||
  (name === 'attachments' && support.supportsAttachments !== true);

/** Whether the caller may clear a field. */
function clearable({ context }: ReplaceContext): (node: FieldNode) => boolean {
  const shared = context.asOrganizer || context.record.core.guestsCanModify === true;
  const may: Readonly<Partial<Record<FieldNode['change'], boolean>>> = {
    shared,
    organizer: context.asOrganizer,
    creator: isCreator(context),
    copy: true,
    caller: true,
  };
  return (node) => may[node.change] === true && !(node.locked && context.copy.own.locked);
}

/** The change of a field; undefined where it stays. */
function filledField(
  node: FieldNode,
  sent: unknown,
  shown: unknown,
  clears: (node: FieldNode) => boolean,
): unknown {
  const isRequired = node.name === 'start' || node.name === 'end';
  if (sent === undefined && clears(node)) return isRequired ? undefined : null;
  // Of an object that is not the caller's parts may be.
  if (node.kind === 'object' && (isFields(sent) || !node.uniform))
    return filledObject(node, isFields(sent) ? sent : {}, isFields(shown) ? shown : {}, clears);
  if (node.kind === 'map' && isFields(sent)) return { ...absentKeys(sent, shown, clears(node)), ...sent };
  return sent;
}

function filledObject(
  node: FieldNode,
  sent: Fields,
  shown: Fields,
  clears: (node: FieldNode) => boolean,
): Fields | undefined {
  const filled: Record<string, unknown> = { ...sent };
  // What is signed is said anew with each change.
  for (const [name, field] of node.fields)
    if (name !== 'signature')
      set(filled, name, filledField(field, sent[name] ?? undefined, shown[name], clears));
  return Object.keys(filled).length > 0 ? filled : undefined;
}

const absentKeys = (sent: Fields, shown: unknown, may: boolean): Fields =>
  Object.fromEntries(
    may && isFields(shown)
      ? Object.keys(shown)
          .filter((key) => !Object.hasOwn(sent, key))
          .map((key) => [key, null])
      : [],
  );

function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) target[name] = value;
}

/** Entries as whole ones: what is absent is unset, save answers and what only guests with a calendar here set. */
function guestsOf(
  sent: readonly unknown[],
  node: FieldNode,
  { context, guestCalendars }: ReplaceContext,
): readonly unknown[] {
  const shared = context.asOrganizer || context.record.core.guestsCanModify === true;
  return sent.map((entry) => {
    if (!isFields(entry)) return entry;
    const key = keyOfSent(entry);
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

const fixed: ReadonlySet<ChangeClass | undefined> = new Set(['readOnly', 'immutable']);

/**
 * What a body changes of an instance as it is shown, to be applied to its series. One that names the series is the instance
 * as it was read: what is as it is shown, and `recurrence: null`, is left out. Any other body means all that it says, but for
 * what cannot be changed and is as it is shown.
 */
export function changesOf(draft: Draft): EventPatch {
  normalize(draft);
  const { change, replacements, guests, report, unapplied, body, sent, context } = draft;
  const wasRead = typeof body.recurringEventId === 'string';
  const said = [...report.issues, ...report.refusals, ...report.warnings, ...unapplied].map(
    ({ path }) => path[1],
  );
  const kept = new Set<unknown>([
    ...Object.keys(change),
    ...said,
    'attendeesOmitted',
    ...(wasRead && body.recurrence === null ? [] : ['recurrence']),
    ...(replacements ? ['conferenceData'] : []),
    ...(guests?.invites ? ['attendees'] : []),
  ]);
  const isMeant = (name: string): boolean =>
    kept.has(name) || (!wasRead && !fixed.has(context.model.fields.get(name as 'id')?.change));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => isMeant(name)));
}
