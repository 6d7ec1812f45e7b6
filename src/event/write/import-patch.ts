import { isSameFieldValue } from '../../core/fields/reduce-change.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { isFields, isSameJson } from '../../core/json.ts';
import type { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import { toStoredSpelling } from '../../core/time/time.ts';
import { sentGuestKey } from '../attendees/guest-list.ts';
import type { Draft } from '../draft.ts';
import type { SupportArgs } from '../event.requests.ts';
import type { ChangeState } from '../event.store.ts';
import { responseOf, hasResponse } from '../instances/instance-guests.ts';
import { type Attendee, attendeeKey, type EventBody, type EventPatch } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import type { GuestResponse } from '../model/record.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { viewOf } from '../visibility/event-view.ts';
import { type ImportBody, toUtcTime } from './import-body.ts';
import { missingTimeIssues, putToPatch } from './put-to-patch.ts';

/** Context of an import, which may write the whole shared part like the organizer. */
export const asImporter = (context: EventContext): EventContext => ({ ...context, hasOrganizerRights: true });

/**
 * Guests whose responses an import leaves to them: those with calendars here; none for an event of somebody
 * else.
 */
export const respondingGuests = (guests: ChangeState['guests'], isForeign: boolean): ChangeState['guests'] =>
  isForeign ? new Map() : guests;

interface ImportPatchInput {
  /** Stored event, as `asImporter` sees it. */
  readonly context: EventContext;
  readonly supportArgs: SupportArgs;
  readonly guestCalendars: ChangeState['guests'];
  /** The body is an instance that was not changed before, so that the calendar has no fields of its own to keep. */
  readonly isFirstChange: boolean;
}

interface ImportPatch {
  readonly patch: EventPatch;
  /** The response of the calendar's owner changes too. */
  readonly takesOwnResponse: boolean;
}

/**
 * Converts an imported body to a patch of the stored event. The patch replaces the shared part as a whole,
 * and keeps the calendar's own fields, the settings of users, and the owner's response.
 */
export function importToPatch(
  { body, readOnlyFields, isForeign, report }: ImportBody,
  { context, supportArgs, guestCalendars, isFirstChange }: ImportPatchInput,
): ImportPatch {
  const { model, record, owner } = context;
  const { core } = record;
  const view = viewOf(context);
  const sequence = core.sequence ?? 0;
  const isNewer = typeof body.sequence === 'number' && body.sequence > sequence;
  const [organizerAddress, storedOrganizerAddress] = [readOnlyFields.organizer?.email, core.organizer?.email];
  if (
    organizerAddress !== undefined &&
    addressKey(organizerAddress) !== addressKey(storedOrganizerAddress ?? '')
  )
    report.addIssue(
      ['event', 'organizer', 'email'],
      'immutable',
      'An import cannot change the organizer of an event.',
    );
  const storedOwnerEntry = core.attendees?.find((entry) => attendeeKey(entry) === owner);
  const sentEntry = body.attendees?.find((entry) => entry && sentGuestKey(entry) === owner);
  const isResponding = (sentEntry?.responseStatus ?? 'needsAction') !== 'needsAction';
  const takesOwnResponse = (isNewer || isFirstChange) && isResponding;
  const sharedBody = isFirstChange ? body : withoutOwnFields(model, body, view, report);
  // A cancelled event may come without its fields, which then stay.
  if (body.status === 'cancelled' && (body.start ?? null) === null)
    return { patch: { status: 'cancelled' }, takesOwnResponse: false };
  const attendees = mergeGuestList(body, {
    core,
    owner,
    storedOwnerEntry,
    takesOwnResponse,
    isForeign,
    report,
  });
  const bodyWithGuests = attendees === undefined ? sharedBody : { ...sharedBody, attendees };
  report.addIssues(missingTimeIssues(bodyWithGuests, view));
  const input = { context, view, supportArgs, guestCalendars };
  const patch = putToPatch(bodyWithGuests, input, ({ change }) => clearedClasses.has(change));
  return { patch, takesOwnResponse };
}

/** Classes of fields that an import clears if the body lacks them. */
const clearedClasses: ReadonlySet<FieldNode['change']> = new Set(['shared', 'organizer', 'creator']);
/** Classes of fields that an import keeps. */
const keptClasses: ReadonlySet<FieldNode['change']> = new Set(['copy', 'caller']);

/** Drops the fields of one calendar and of one user, with a warning for each that differs from what is shown. */
function withoutOwnFields(
  { fields }: EventModel,
  body: EventPatch,
  view: EventBody,
  report: Report,
): EventPatch {
  const dropOwnFields = (
    nodes: ReadonlyMap<string, FieldNode>,
    sentFields: Readonly<Record<string, unknown>>,
    shownObject: unknown,
    path: readonly string[],
  ): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(sentFields).flatMap(([name, value]): [string, unknown][] => {
        const node = nodes.get(name);
        const shownValue = isFields(shownObject) ? shownObject[name] : undefined;
        if (node && keptClasses.has(node.change)) {
          if (value !== undefined && !isSameFieldValue(node, shownValue, value))
            report.warn([...path, name], 'ignored', `A repeated import keeps the ${name} of this calendar.`);
          return [];
        }
        return node?.kind === 'object' && isFields(value)
          ? [[name, dropOwnFields(node.fields, value, shownValue, [...path, name])]]
          : [[name, value]];
      }),
    );
  // An absent object is cleared, except for its fields that belong to this calendar.
  const partlyKeptObjects = [...fields].flatMap(([name, node]) =>
    [...node.fields.values()].some(({ change }) => keptClasses.has(change))
      ? [[name, body[name] ?? {}] as const]
      : [],
  );
  const bodyWithObjects = { ...body, ...Object.fromEntries(partlyKeptObjects) };
  return dropOwnFields(fields, bodyWithObjects, view, ['event']);
}

interface GuestListInput {
  readonly core: EventBody;
  readonly owner: string;
  /** Stored entry of the calendar's owner. */
  readonly storedOwnerEntry: Attendee | undefined;
  readonly takesOwnResponse: boolean;
  readonly isForeign: boolean;
  readonly report: Report;
}

type SentGuests = EventPatch['attendees'];

/**
 * Guest list of the body, with the stored response of the calendar's owner; undefined if the body has none
 * and none is needed.
 */
function mergeGuestList(
  { attendees, attendeesOmitted }: EventPatch,
  { core, owner, storedOwnerEntry, takesOwnResponse, isForeign, report }: GuestListInput,
): SentGuests {
  if (attendeesOmitted) {
    report.warn(
      ['event', 'attendeesOmitted'],
      'ignored',
      'A part of a guest list replaces nothing: the stored list stays.',
    );
    return core.attendees;
  }
  const storedResponse = storedOwnerEntry && responseOf(storedOwnerEntry);
  const isOwnerListed = attendees?.some((entry) => entry && sentGuestKey(entry) === owner);
  const guests = attendees?.map((entry, index) => {
    if (!entry) return entry;
    if (sentGuestKey(entry) !== owner)
      return isForeign
        ? { ...entry, responseStatus: entry.responseStatus ?? ('needsAction' as const) }
        : entry;
    if (!storedOwnerEntry || takesOwnResponse) return entry;
    for (const name of ignoredResponseFields(entry, storedOwnerEntry))
      report.warn(
        ['event', 'attendees', index, name],
        'ignored',
        'The answer of the owner of this calendar stays, unless a higher sequence brings another one.',
      );
    return {
      ...entry,
      responseStatus: 'needsAction' as const,
      comment: null,
      additionalGuests: null,
      ...storedResponse,
    };
  });
  return isForeign && storedOwnerEntry && hasResponse(storedOwnerEntry) && !isOwnerListed
    ? [...(guests ?? []), storedOwnerEntry]
    : guests;
}

/** Fields of the owner's sent response that an import drops. An absent or empty field asks for no change. */
const ignoredResponseFields = (sentGuest: NonNullable<SentGuests>[number], storedGuest: Attendee): string[] =>
  Object.entries({ responseStatus: 'needsAction', comment: '', additionalGuests: 0 }).flatMap(
    ([name, emptyValue]) => {
      const value = sentGuest[name as keyof GuestResponse] ?? emptyValue;
      return value === emptyValue || value === storedGuest[name as keyof GuestResponse] ? [] : [name];
    },
  );

/** Adds to a draft, before its steps run, the changes that only an import makes. */
export function prepareImport(draft: Draft, { readOnlyFields: { created, organizer } }: ImportBody): void {
  const { before, body, change, context, view } = draft;
  const createdAt = created === undefined ? before.core.created : toUtcTime(created);
  if (createdAt !== before.core.created) change.created = createdAt;
  const nextOrganizer = organizer && { ...organizer, email: before.core.organizer?.email };
  if (nextOrganizer && !isSameJson(nextOrganizer, before.core.organizer)) change.organizer = nextOrganizer;
  // The lines are those of the body, so they must not move with the start.
  const { model, calendar } = context;
  const start = toStoredSpelling(body.start, view.start, calendar.timeZone);
  if (body.recurrence && !isSameFieldValue(model.field('start'), view.start, start))
    change.recurrence = body.recurrence;
}
