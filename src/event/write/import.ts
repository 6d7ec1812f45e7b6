import type { CalendarRecord } from '../../calendar/calendar.ts';
import { sameValue } from '../../core/fields/changes.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { frozenCopy, isFields, sameJson, withoutNulls } from '../../core/patch.ts';
import { Report } from '../../core/report.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import { originalStartOf } from '../../recurrence/original-start.ts';
import { timeTools } from '../../recurrence/occurrences.ts';
import { toStoredSpelling } from '../../core/time/time.ts';
import { composeInstance, hasOccurrence } from '../instances/compose.ts';
import { exceptionOf } from '../instances/exception.ts';
import { exceptionsAfter } from '../instances/exceptions-after.ts';
import { answerOf, isAnswered } from '../instances/instance-guests.ts';
import { sentGuestKey } from '../attendees/guest-list.ts';
import { type Draft, inStoredForm } from '../draft.ts';
import type { SupportArgs } from '../event.requests.ts';
import type { ChangeState, GuestCalendar } from '../event.store.ts';
import {
  type Attendee,
  attendeeKey,
  type EventBody,
  type EventField,
  type EventPatch,
} from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import {
  type Answer,
  asLeftCopy,
  type EventCopy,
  type EventRecord,
  originalStartOf as originalOf,
} from '../model/record.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { viewOf } from '../visibility/event-view.ts';
import { checkEvent } from './check.ts';
import { blankRecord } from './create.ts';
import { missingTimes, putToPatch } from './replace.ts';
import { nextStamp } from './stamp.ts';

/** Body of an import: what a new event takes from it, and what only an import takes. */
export interface ImportBody {
  /** Fields that a new event would take too. */
  readonly body: EventPatch;
  /** Read-only fields that an import takes from the body, in stored form. */
  readonly taken: Pick<EventBody, 'created' | 'organizer' | 'originalStartTime'>;
  /** Original start, if the body is an instance. */
  readonly original: string | undefined;
  /** The organizer is somebody other than the calendar's owner. */
  readonly isForeign: boolean;
  readonly report: Report;
}

/** Reads the body of an import, with the issues and warnings of the fields that only an import takes. */
export function readImportBody(sent: EventPatch, calendar: CalendarRecord, model: EventModel): ImportBody {
  const report = new Report();
  const { id, recurringEventId, originalStartTime, organizer, created, privateCopy, ...fields } = sent;
  const isIgnored = (name: 'id' | 'recurringEventId', message: string): void =>
    report.warn(['event', name], 'ignored', message);
  if ((id ?? null) !== null) isIgnored('id', 'An imported event gets a new id: your value was ignored.');
  const hasOriginal = (originalStartTime ?? null) !== null;
  if ((recurringEventId ?? null) !== null) {
    if (hasOriginal)
      isIgnored('recurringEventId', 'The series is found by the iCalUID: your value was ignored.');
    else
      report.issue(
        ['event', 'originalStartTime'],
        'required',
        'The originalStartTime is required for an instance: its start in the recurring event.',
      );
  }
  if ((sent.iCalUID ?? null) === null)
    report.issue(
      ['event', 'iCalUID'],
      'required',
      'The iCalUID is required: a later import finds the event by it.',
    );
  const taken = inStoredForm(
    withoutNulls({
      organizer: takenPerson(organizer),
      originalStartTime: toStoredSpelling(originalStartTime, undefined, calendar.timeZone),
      created,
    }),
    {
      view: {},
      zone: calendar.timeZone,
      tools: timeTools,
      path: ['event'],
      report,
      sentIndexes: new Map(),
    },
  ) as ImportBody['taken'];
  const names = new Set(Object.keys(taken) as EventField[]);
  checkEvent(taken, {}, names, { model, zone: calendar.timeZone, mode: 'part', path: ['event'], report });
  const original = hasOriginal ? originalStartOf(originalStartTime) : undefined;
  if (hasOriginal && original === undefined && report.issues.length === 0)
    report.issue(
      ['event', 'originalStartTime'],
      'invalid',
      'The originalStartTime must be a day, or a time with an offset or a timeZone.',
    );
  const address = taken.organizer?.email;
  const isForeign = address !== undefined && addressKey(address) !== addressKey(calendar.owner);
  if (isForeign && privateCopy)
    report.warn(['event', 'privateCopy'], 'ignored', 'An event of somebody else cannot be a private copy.');
  const body = isForeign || privateCopy === undefined ? fields : { ...fields, privateCopy };
  return { body, taken, original, isForeign, report };
}

/** Organizer as an import takes it. Without an address it cannot be stored. */
function takenPerson(person: EventPatch['organizer']): EventPatch['organizer'] {
  if (!person || (person.email ?? null) === null) return undefined;
  const { email, displayName, id } = person;
  return { email, displayName, id };
}

/** Record of an imported event without its body. That of somebody else has a guest's copy only. */
export function importedBlank(
  { taken, original, isForeign }: ImportBody,
  id: string,
  calendar: CalendarRecord,
  viewer: Parameters<typeof blankRecord>[2],
): EventRecord {
  const blank = blankRecord(id, calendar, viewer);
  const copy = blank.copies[calendar.id] as EventCopy;
  const { created, organizer, originalStartTime } = taken;
  return {
    ...blank,
    core: {
      ...blank.core,
      organizer: { ...organizer, email: isForeign ? organizer?.email : calendar.owner },
      ...(created !== undefined && { created: toInstant(created) }),
      ...(original !== undefined && {
        originalStartTime,
        recurringEventId: id.slice(0, -(original.length + 1)),
      }),
    },
    copies: {
      [calendar.id]: { ...copy, imported: true, ...(isForeign && { guest: addressKey(calendar.owner) }) },
    },
  };
}

/** Converts an RFC 3339 time, which the schema has checked, to UTC. */
const toInstant = (time: string): string => new Date(time).toISOString();

/** An import writes the whole shared part, like the organizer. */
export const asImporter = (context: EventContext): EventContext => ({ ...context, asOrganizer: true });

/** Guests whose answers an import leaves to them: those with calendars here, except on an event of somebody else. */
export const answeringGuests = (guests: ChangeState['guests'], isForeign: boolean): ChangeState['guests'] =>
  isForeign ? new Map() : guests;

interface ReplaceInput {
  /** Stored event, as `asImporter` sees it. */
  readonly context: EventContext;
  readonly support: SupportArgs;
  readonly guestCalendars: ChangeState['guests'];
  /** The body is an instance that was not changed before, so that the calendar has no fields of its own to keep. */
  readonly isFirst: boolean;
}

interface ImportPatch {
  readonly patch: EventPatch;
  /** The answer of the calendar's owner changes too. */
  readonly takesOwnAnswer: boolean;
}

/**
 * Converts an imported body to a patch of the stored event: it replaces the shared part as a whole; the calendar's own
 * fields, the users' settings and the owner's answer stay.
 */
export function importToPatch(
  { body, taken, isForeign, report }: ImportBody,
  { context, support, guestCalendars, isFirst }: ReplaceInput,
): ImportPatch {
  const { model, record, owner } = context;
  const { core } = record;
  const view = viewOf(context);
  const sequence = core.sequence ?? 0;
  const isNewer = typeof body.sequence === 'number' && body.sequence > sequence;
  const [address, storedAddress] = [taken.organizer?.email, core.organizer?.email];
  if (address !== undefined && addressKey(address) !== addressKey(storedAddress ?? ''))
    report.issue(
      ['event', 'organizer', 'email'],
      'immutable',
      'An import cannot change the organizer of an event.',
    );
  const stored = core.attendees?.find((entry) => attendeeKey(entry) === owner);
  const sent = body.attendees?.find((entry) => entry && sentGuestKey(entry) === owner);
  const isAnswering = (sent?.responseStatus ?? 'needsAction') !== 'needsAction';
  const takesOwnAnswer = (isNewer || isFirst) && isAnswering;
  const shared = isFirst ? body : withoutOwnFields(model, body, view, report);
  // A cancelled event may come without its fields, which then stay.
  if (body.status === 'cancelled' && (body.start ?? null) === null)
    return { patch: { status: 'cancelled' }, takesOwnAnswer: false };
  const attendees = guestListOf(body, { core, owner, stored, takesOwnAnswer, isForeign, report });
  const withGuests = attendees === undefined ? shared : { ...shared, attendees };
  report.add(missingTimes(withGuests, view));
  const input = { context, view, support, guestCalendars };
  const patch = putToPatch(withGuests, input, ({ change }) => clearedClasses.has(change));
  return { patch, takesOwnAnswer };
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
          if (value !== undefined && !sameValue(node, shownValue, value))
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
  readonly takesOwnAnswer: boolean;
  readonly isForeign: boolean;
  readonly report: Report;
}

type SentGuests = EventPatch['attendees'];

/** Guest list of the body with the owner's stored answer; undefined if the body has none and none is needed. */
function guestListOf(
  { attendees, attendeesOmitted }: EventPatch,
  { core, owner, stored, takesOwnAnswer, isForeign, report }: GuestListInput,
): SentGuests {
  if (attendeesOmitted) {
    report.warn(
      ['event', 'attendeesOmitted'],
      'ignored',
      'A part of a guest list replaces nothing: the stored list stays.',
    );
    return core.attendees;
  }
  const answer = stored && answerOf(stored);
  const isListed = attendees?.some((entry) => entry && sentGuestKey(entry) === owner);
  const guests = attendees?.map((entry, index) => {
    if (!entry) return entry;
    if (sentGuestKey(entry) !== owner)
      return isForeign
        ? { ...entry, responseStatus: entry.responseStatus ?? ('needsAction' as const) }
        : entry;
    if (!stored || takesOwnAnswer) return entry;
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
  return isForeign && stored && isAnswered(stored) && !isListed ? [...(guests ?? []), stored] : guests;
}

/** Fields of the owner's sent answer that an import drops. An absent or empty one asks for no change. */
const ignoredAnswers = (sent: NonNullable<SentGuests>[number], stored: Attendee): string[] =>
  Object.entries({ responseStatus: 'needsAction', comment: '', additionalGuests: 0 }).flatMap(
    ([name, empty]) => {
      const value = sent[name as keyof Answer] ?? empty;
      return value === empty || value === stored[name as keyof Answer] ? [] : [name];
    },
  );

/** Adds to a draft what only an import changes, before its steps run. */
export function prepareImport(draft: Draft, { taken: { created, organizer } }: ImportBody): void {
  const { before, body, change, context, view } = draft;
  const createdAt = created === undefined ? before.core.created : toInstant(created);
  if (createdAt !== before.core.created) change.created = createdAt;
  const nextOrganizer = organizer && { ...organizer, email: before.core.organizer?.email };
  if (nextOrganizer && !sameJson(nextOrganizer, before.core.organizer)) change.organizer = nextOrganizer;
  // The lines are those of the body, so they must not move with the start.
  const { model, calendar } = context;
  const start = toStoredSpelling(body.start, view.start, calendar.timeZone);
  if (body.recurrence && !sameValue(model.field('start'), view.start, start))
    change.recurrence = body.recurrence;
}

interface TakenOver {
  readonly next: EventRecord;
  readonly retired: readonly EventRecord[];
  /** Exceptions of `next` that keep what guests did to single instances. */
  readonly exceptions: readonly EventRecord[];
}

type Replaced = readonly [guest: string, GuestCalendar];

/**
 * Lets the copies that a change gives to guests replace imported ones of the same event: own fields, settings and answers stay,
 * those of single instances too, and the imported event shows as cancelled. An imported event of another organizer stays, since
 * an iCalUID can be anybody's. `before`: the event before the change; absent for a new one.
 */
export function replaceImported(
  next: EventRecord,
  before: EventRecord | undefined,
  { guests, seriesExceptions }: Pick<ChangeState, 'guests' | 'seriesExceptions'>,
  clock: Clock,
): TakenOver {
  const isReplaced = (imported: EventRecord): boolean => isOrganizedBy(next.core.organizer?.email, imported);
  const replaced = [...guests].flatMap(([guest, guestCalendar]): Replaced[] => {
    const { calendarId, imported, importedInstances = [] } = guestCalendar;
    const isNew = (before?.copies[calendarId]?.state ?? 'uninvited') === 'uninvited';
    // An event that is imported itself has its copy on the guest's calendar.
    if (!isNew || calendarId === next.homeId || next.copies[calendarId]?.state !== 'present') return [];
    const replacedEvent = imported && isReplaced(imported) ? imported : undefined;
    const instances = importedInstances.filter((record) =>
      record.instance ? replacedEvent : isReplaced(record),
    );
    return replacedEvent || instances.length > 0
      ? [[guest, { ...guestCalendar, imported: replacedEvent, importedInstances: instances }]]
      : [];
  });
  if (replaced.length === 0) return { next, retired: [], exceptions: [] };
  const copies: Record<string, EventCopy> = { ...next.copies };
  const answers = new Map<string, Answer>();
  for (const [guest, { calendarId, imported }] of replaced) {
    const importedCopy = imported?.copies[calendarId];
    if (!imported || !importedCopy) continue;
    copies[calendarId] = { ...(copies[calendarId] as EventCopy), ...ownPartOf(importedCopy) };
    answers.set(guest, keptAnswer(guest, imported, importedCopy));
  }
  const changed = frozenCopy(withAnswers({ ...next, copies }, answers));
  const alone = replaced.flatMap(([, { importedInstances = [] }]) =>
    importedInstances.filter(({ instance }) => !instance),
  );
  return {
    next: changed,
    retired: [...replaced.flatMap(([, { imported }]) => imported ?? []), ...alone].map((record) =>
      retire(record, clock),
    ),
    exceptions: keepInstances(changed, exceptionsAfter(seriesExceptions, changed, before), replaced, clock),
  };
}

/** Exceptions of a series that keep what guests did to instances of the imported events that it replaces. */
function keepInstances(
  series: EventRecord,
  followed: ReturnType<typeof exceptionsAfter>,
  replaced: readonly Replaced[],
  clock: Clock,
): readonly EventRecord[] {
  const followedByOriginal = new Map(followed.map(({ next }) => [originalOf(next), next]));
  const kept = new Map<string, EventRecord>();
  for (const [guest, { calendarId, imported, importedInstances = [] }] of replaced) {
    for (const record of importedInstances) {
      const original = record.instance ? originalOf(record) : originalStartOf(record.core.originalStartTime);
      if (original === undefined || !hasOccurrence(series, original)) continue;
      const instance = imported && record.instance ? composeInstance(imported, original, record) : record;
      const copy = instance.copies[calendarId] as EventCopy;
      const exception = kept.get(original) ?? followedByOriginal.get(original);
      const before = composeInstance(series, original, exception);
      const newStamp = nextStamp(clock, before);
      const ownCopy = before.copies[calendarId] as EventCopy;
      const answered = withAnswers(before, new Map([[guest, keptAnswer(guest, instance, copy)]]));
      const next: EventRecord = {
        ...answered,
        ...(!sameJson(answered.core, before.core) && { coreStamp: newStamp }),
        copies: {
          ...before.copies,
          [calendarId]: { ...ownCopy, state: copy.state, ...ownPartOf(copy), stamp: newStamp },
        },
      };
      const isSame = sameJson(next.copies[calendarId], { ...ownCopy, stamp: newStamp });
      if (isSame && next.core === before.core) continue;
      kept.set(original, exceptionOf(series, exception, { before, next, invites: false }));
    }
  }
  return [...kept.values()];
}

/** Answer of a guest to an imported event, which is declined if the guest removed it. */
const keptAnswer = (guest: string, { core }: EventRecord, { state }: EventCopy): Answer => ({
  ...answerOf(core.attendees?.find((listed) => attendeeKey(listed) === guest) ?? {}),
  ...(state === 'removed' && { responseStatus: 'declined' as const }),
});

/** Record with these answers of guests; itself if it has them. */
function withAnswers(record: EventRecord, answers: ReadonlyMap<string, Answer>): EventRecord {
  const attendees = (record.core.attendees ?? []).map((entry) => ({
    ...entry,
    ...answers.get(attendeeKey(entry) ?? ''),
  }));
  return sameJson(attendees, record.core.attendees ?? [])
    ? record
    : { ...record, core: { ...record.core, attendees } };
}

const isOrganizedBy = (address: string | undefined, { core: { organizer } }: EventRecord): boolean =>
  address !== undefined && addressKey(organizer?.email ?? '') === addressKey(address);

/** Fields of a copy that belong to its calendar and its users. */
export const ownPartOf = ({ own, viewers }: EventCopy): Pick<EventCopy, 'own' | 'viewers'> => ({
  own,
  ...(viewers && { viewers }),
});

/** Imported event that another one replaces: it shows as cancelled everywhere, and a later import does not find it. */
export function retire(record: EventRecord, clock: Clock): EventRecord {
  const stamp = nextStamp(clock, record);
  const copies = Object.entries(record.copies).map(([id, copy]): [string, EventCopy] => [
    id,
    copy.state === 'uninvited' ? copy : { ...asLeftCopy(copy, record.core), stamp },
  ]);
  return { ...record, version: record.version + 1, copies: Object.fromEntries(copies) };
}
