import { isSameValue } from '../../core/fields/changes.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { isFields, isSameJson } from '../../core/patch.ts';
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
import { type ImportBody, toInstant } from './import.ts';
import { missingTimeIssues, putToPatch } from './replace.ts';

/** An import writes the whole shared part, like the organizer. */
export const asImporter = (context: EventContext): EventContext => ({ ...context, hasOrganizerRights: true });

/** Guests whose answers an import leaves to them: those with calendars here, except on an event of somebody else. */
export const answeringGuests = (guests: ChangeState['guests'], isForeign: boolean): ChangeState['guests'] =>
  isForeign ? new Map() : guests;

interface ReplaceInput {
  /** Stored event, as `asImporter` sees it. */
  readonly context: EventContext;
  readonly supportArgs: SupportArgs;
  readonly guestCalendars: ChangeState['guests'];
  /** The body is an instance that was not changed before, so that the calendar has no fields of its own to keep. */
  readonly isFirstChange: boolean;
}

interface ImportPatch {
  readonly patch: EventPatch;
  /** The answer of the calendar's owner changes too. */
  readonly takesOwnResponse: boolean;
}

/**
 * Converts an imported body to a patch of the stored event: it replaces the shared part as a whole; the calendar's own
 * fields, the users' settings and the owner's answer stay.
 */
export function importToPatch(
  { body, readOnlyFields, isForeign, report }: ImportBody,
  { context, supportArgs, guestCalendars, isFirstChange }: ReplaceInput,
): ImportPatch {
  const { model, record, owner } = context;
  const { core } = record;
  const view = viewOf(context);
  const sequence = core.sequence ?? 0;
  const isNewer = typeof body.sequence === 'number' && body.sequence > sequence;
  const [address, storedAddress] = [readOnlyFields.organizer?.email, core.organizer?.email];
  if (address !== undefined && addressKey(address) !== addressKey(storedAddress ?? ''))
    report.addIssue(
      ['event', 'organizer', 'email'],
      'immutable',
      'An import cannot change the organizer of an event.',
    );
  const stored = core.attendees?.find((entry) => attendeeKey(entry) === owner);
  const sent = body.attendees?.find((entry) => entry && sentGuestKey(entry) === owner);
  const isAnswering = (sent?.responseStatus ?? 'needsAction') !== 'needsAction';
  const takesOwnResponse = (isNewer || isFirstChange) && isAnswering;
  const shared = isFirstChange ? body : withoutOwnFields(model, body, view, report);
  // A cancelled event may come without its fields, which then stay.
  if (body.status === 'cancelled' && (body.start ?? null) === null)
    return { patch: { status: 'cancelled' }, takesOwnResponse: false };
  const attendees = guestListOf(body, { core, owner, stored, takesOwnResponse, isForeign, report });
  const withGuests = attendees === undefined ? shared : { ...shared, attendees };
  report.addIssues(missingTimeIssues(withGuests, view));
  const input = { context, view, supportArgs, guestCalendars };
  const patch = putToPatch(withGuests, input, ({ change }) => clearedClasses.has(change));
  return { patch, takesOwnResponse };
}

const clearedClasses: ReadonlySet<FieldNode['change']> = new Set(['shared', 'organizer', 'creator']);
const keptClasses: ReadonlySet<FieldNode['change']> = new Set(['copy', 'caller']);

/** Drops the fields of one calendar and of one user, with a warning for each that differs from what is shown. */
function withoutOwnFields(
  { fields }: EventModel,
  body: EventPatch,
  view: EventBody,
  report: Report,
): EventPatch {
  const drop = (
    nodes: ReadonlyMap<string, FieldNode>,
    sent: Readonly<Record<string, unknown>>,
    shown: unknown,
    path: readonly string[],
  ): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(sent).flatMap(([name, value]): [string, unknown][] => {
        const node = nodes.get(name);
        const shownValue = isFields(shown) ? shown[name] : undefined;
        if (node && keptClasses.has(node.change)) {
          if (value !== undefined && !isSameValue(node, shownValue, value))
            report.warn([...path, name], 'ignored', `A repeated import keeps the ${name} of this calendar.`);
          return [];
        }
        return node?.kind === 'object' && isFields(value)
          ? [[name, drop(node.fields, value, shownValue, [...path, name])]]
          : [[name, value]];
      }),
    );
  // An absent object is cleared except for its fields of this calendar.
  const partlyKept = [...fields].flatMap(([name, node]) =>
    [...node.fields.values()].some(({ change }) => keptClasses.has(change))
      ? [[name, body[name] ?? {}] as const]
      : [],
  );
  const sent = { ...body, ...Object.fromEntries(partlyKept) };
  return drop(fields, sent, view, ['event']);
}

interface GuestListInput {
  readonly core: EventBody;
  readonly owner: string;
  /** Stored entry of the calendar's owner. */
  readonly stored: Attendee | undefined;
  readonly takesOwnResponse: boolean;
  readonly isForeign: boolean;
  readonly report: Report;
}

type SentGuests = EventPatch['attendees'];

/** Guest list of the body with the owner's stored answer; undefined if the body has none and none is needed. */
function guestListOf(
  { attendees, attendeesOmitted }: EventPatch,
  { core, owner, stored, takesOwnResponse, isForeign, report }: GuestListInput,
): SentGuests {
  if (attendeesOmitted) {
    report.warn(
      ['event', 'attendeesOmitted'],
      'ignored',
      'A part of a guest list replaces nothing: the stored list stays.',
    );
    return core.attendees;
  }
  const answer = stored && responseOf(stored);
  const isListed = attendees?.some((entry) => entry && sentGuestKey(entry) === owner);
  const guests = attendees?.map((entry, index) => {
    if (!entry) return entry;
    if (sentGuestKey(entry) !== owner)
      return isForeign
        ? { ...entry, responseStatus: entry.responseStatus ?? ('needsAction' as const) }
        : entry;
    if (!stored || takesOwnResponse) return entry;
    for (const name of ignoredAnswers(entry, stored))
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
      ...answer,
    };
  });
  return isForeign && stored && hasResponse(stored) && !isListed ? [...(guests ?? []), stored] : guests;
}

/** Fields of the owner's sent answer that an import drops. An absent or empty one asks for no change. */
const ignoredAnswers = (sent: NonNullable<SentGuests>[number], stored: Attendee): string[] =>
  Object.entries({ responseStatus: 'needsAction', comment: '', additionalGuests: 0 }).flatMap(
    ([name, empty]) => {
      const value = sent[name as keyof GuestResponse] ?? empty;
      return value === empty || value === stored[name as keyof GuestResponse] ? [] : [name];
    },
  );

/** Adds to a draft what only an import changes, before its steps run. */
export function prepareImport(draft: Draft, { readOnlyFields: { created, organizer } }: ImportBody): void {
  const { before, body, change, context, view } = draft;
  const createdAt = created === undefined ? before.core.created : toInstant(created);
  if (createdAt !== before.core.created) change.created = createdAt;
  const nextOrganizer = organizer && { ...organizer, email: before.core.organizer?.email };
  if (nextOrganizer && !isSameJson(nextOrganizer, before.core.organizer)) change.organizer = nextOrganizer;
  // The lines are those of the body, so they must not move with the start.
  const { model, calendar } = context;
  const start = toStoredSpelling(body.start, view.start, calendar.timeZone);
  if (body.recurrence && !isSameValue(model.field('start'), view.start, start))
    change.recurrence = body.recurrence;
}
