import type { Issue, Path } from '../../core/errors.ts';
import type { ChangeClass, FieldNode } from '../../core/fields/table.ts';
import { filterFields, isFields } from '../../core/json.ts';
import { sentGuestKey } from '../attendees/guest-list.ts';
import type { Draft } from '../draft.ts';
import type { SupportArgs } from '../event.requests.ts';
import type { EventBody, EventPatch } from '../model/fields.ts';
import { isCreator, type EventContext } from '../visibility/event-context.ts';
import { normalize } from './normalize.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface PutInput extends Pick<Draft, 'guestCalendars'> {
  readonly context: EventContext;
  readonly view: EventBody;
  readonly supportArgs: SupportArgs;
}

/** Issues of a replacing body without start or end. None if the caller sees no times, as of a cancelled event. */
export const missingTimeIssues = (body: EventPatch, { start: shownStart }: EventBody): Issue[] =>
  (shownStart === undefined ? [] : (['start', 'end'] as const)).flatMap((name): Issue[] =>
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

/** Tells of each field and nested field whether it is cleared if it is absent, and whether it stays whatever the body has. */
interface PutRules {
  readonly canClear: (node: FieldNode) => boolean;
  readonly isKept?: (node: FieldNode, sentValue: unknown, shownValue: unknown, path: Path) => boolean;
}

/**
 * Converts a replacing body to a patch, which by default clears absent fields that the caller may change. Responses and sequence
 * stay.
 */
export function putToPatch(
  body: EventPatch,
  input: PutInput,
  rules: PutRules = { canClear: createClearCheck(input) },
): EventPatch {
  const { context, view } = input;
  const patchFields: Record<string, unknown> = { ...body };
  for (const [name, node] of context.model.fields) {
    const [sentValue, shownValue] = [(body as Fields)[name] ?? undefined, view[name]];
    const path = ['event', name];
    if (rules.isKept?.(node, sentValue, shownValue, path)) delete patchFields[name];
    // A caller who does not see the fields cannot have left them out on purpose.
    else if (view.start === undefined) continue;
    else if (name === 'attendees' && Array.isArray(sentValue))
      patchFields[name] = clearAbsentGuestFields(sentValue, node, input);
    else if (!staysIfAbsent(name, input))
      setIfDefined(patchFields, name, clearAbsentValue(node, sentValue, shownValue, path, rules));
  }
  // A single start or end would be compared with the stored other one.
  if (missingTimeIssues(body, view).length > 0) for (const name of ['start', 'end']) delete patchFields[name];
  // A guest who removed the event from the own calendar may restore it.
  if (context.copy.state === 'removed' && !context.hasOrganizerRights && (body.status ?? null) === null)
    patchFields.status = null;
  return patchFields;
}

/** Whether an absent field keeps its value for every caller. */
const staysIfAbsent = (name: string, { supportArgs }: PutInput): boolean =>
  name === 'sequence' ||
  (name === 'conferenceData' && supportArgs.conferenceDataVersion !== 1) ||
  (name === 'attachments' && supportArgs.supportsAttachments !== true);

/** Creates the check whether the caller may clear a field. */
function createClearCheck({ context }: PutInput): (node: FieldNode) => boolean {
  const canChangeShared = context.hasOrganizerRights || context.record.core.guestsCanModify === true;
  const canChange: Readonly<Partial<Record<FieldNode['change'], boolean>>> = {
    shared: canChangeShared,
    organizer: context.hasOrganizerRights,
    creator: isCreator(context),
    copy: true,
    caller: true,
  };
  return (node) => canChange[node.change] === true && !(node.locked && context.copy.own.locked);
}

/** Returns the patch of one field in a replacing body: null clears it, undefined keeps it. */
function clearAbsentValue(
  node: FieldNode,
  sentValue: unknown,
  shownValue: unknown,
  path: Path,
  rules: PutRules,
): unknown {
  const isRequired = node.name === 'start' || node.name === 'end';
  const canClear = rules.canClear(node);
  // Subfields that another part stores may stay although their object is cleared.
  const hasFieldsElsewhere =
    node.kind === 'object' && [...node.fields.values()].some(({ storedIn }) => storedIn !== node.storedIn);
  if (sentValue === undefined && canClear && !hasFieldsElsewhere) return isRequired ? undefined : null;
  if (node.kind === 'object' && (isFields(sentValue) || !node.isUniform))
    return clearAbsentFields(
      node,
      isFields(sentValue) ? sentValue : {},
      isFields(shownValue) ? shownValue : {},
      path,
      rules,
    );
  if (node.kind === 'map' && isFields(sentValue))
    return { ...clearAbsentKeys(sentValue, shownValue, canClear), ...sentValue };
  return sentValue;
}

/** Clears absent fields of an object; undefined if nothing is left to patch. */
function clearAbsentFields(
  node: FieldNode,
  sentFields: Fields,
  shownFields: Fields,
  path: Path,
  rules: PutRules,
): Fields | undefined {
  const patchFields: Record<string, unknown> = { ...sentFields };
  for (const [name, field] of node.fields) {
    const [sentValue, shownValue] = [sentFields[name] ?? undefined, shownFields[name]];
    const fieldPath = [...path, name];
    if (rules.isKept?.(field, sentValue, shownValue, fieldPath)) delete patchFields[name];
    // Signatures are never cleared, since the server creates them again.
    else if (name !== 'signature')
      setIfDefined(patchFields, name, clearAbsentValue(field, sentValue, shownValue, fieldPath, rules));
  }
  return Object.keys(patchFields).length > 0 ? patchFields : undefined;
}

const clearAbsentKeys = (sentMap: Fields, shownMap: unknown, canClear: boolean): Fields =>
  Object.fromEntries(
    canClear && isFields(shownMap)
      ? Object.keys(shownMap)
          .filter((key) => !Object.hasOwn(sentMap, key))
          .map((key) => [key, null])
      : [],
  );

function setIfDefined(target: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) target[name] = value;
}

/** Clears absent fields of sent guests, except responses that the caller may not change. */
function clearAbsentGuestFields(
  sentGuests: readonly unknown[],
  node: FieldNode,
  { context, guestCalendars }: PutInput,
): readonly unknown[] {
  const canChangeShared = context.hasOrganizerRights || context.record.core.guestsCanModify === true;
  return sentGuests.map((entry) => {
    if (!isFields(entry)) return entry;
    const key = sentGuestKey(entry);
    const isOwn = key !== undefined && key === context.owner;
    const canRespond =
      isOwn || (context.hasOrganizerRights && !(key !== undefined && guestCalendars.has(key)));
    const clearedEntry: Record<string, unknown> = { ...entry };
    for (const [name, field] of node.fields) {
      if ((entry[name] ?? null) !== null || name === 'email' || name === 'responseStatus') continue;
      if (field.change === 'own' ? canRespond : field.change === 'shared' && canChangeShared)
        clearedEntry[name] = null;
    }
    return clearedEntry;
  });
}

/** Classes of fields that no caller may change. */
const fixedClasses: ReadonlySet<ChangeClass | undefined> = new Set(['readOnly', 'immutable']);

/**
 * Converts a body for an instance to a patch of its series. A body with recurringEventId is the instance as it was read, so
 * unchanged fields and `recurrence: null` are dropped. Other bodies keep all fields but unchanged fixed ones.
 */
export function instanceToSeriesPatch(draft: Draft): EventPatch {
  normalize(draft);
  const { change, replacements, guestChange, report, unappliedValues, body, sentBody, context } = draft;
  const isReadInstance = typeof body.recurringEventId === 'string';
  const reportedFields = [...report.issues, ...report.refusals, ...report.warnings, ...unappliedValues].map(
    ({ path }) => path[1],
  );
  const changedFields = new Set<unknown>([
    ...Object.keys(change),
    ...reportedFields,
    'attendeesOmitted',
    ...(isReadInstance && body.recurrence === null ? [] : ['recurrence']),
    ...(replacements ? ['conferenceData'] : []),
    ...(guestChange?.invitesUnseenGuest ? ['attendees'] : []),
  ]);
  const isIntendedChange = (name: string): boolean =>
    changedFields.has(name) ||
    (!isReadInstance && !fixedClasses.has(context.model.fields.get(name as 'id')?.change));
  return filterFields(sentBody, (_value, name) => isIntendedChange(name));
}
