import type { CalendarRecord } from '../calendar/calendar.store.ts';
import type { Issue, Path, Warning } from '../core/errors.ts';
import { type Fields, filterFields } from '../core/json.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf } from './attendees/copies.ts';
import {
  createHomeRecord,
  createImportedRecord,
  type EntryContent,
  type FileEntry,
  readFileEntry,
  toGuestCopy,
} from './event.file-entries.ts';
import type { PendingChange, Decision, EventStore, ChangeState, SeriesState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { composeInstance } from './instances/compose.ts';
import { createImportedException } from './instances/exception.ts';
import { attendeeKey, type EventBody } from './model/fields.ts';
import {
  type EventCopy,
  type EventRecord,
  homeReference,
  nextStamp,
  noStamp,
  originalStartOf,
  type Stamp,
} from './model/record.ts';
import { replaceExceptions, replaceRecord, withGuestCopies } from './transfer/replace-record.ts';

/** Outcome of the import of one entry of a file. */
export interface ImportOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  /** Issues of a refused entry, with paths relative to the entry. */
  readonly issues: readonly Issue[];
  /** Warnings about values that were stored differently from the file. */
  readonly warnings?: readonly Warning[];
}

interface ImportOptions {
  /** Replaces existing events; otherwise their entries are refused. */
  readonly replaces?: boolean;
  /** Calendars in the file, for which the exported events are complete. */
  readonly calendars?: ReadonlySet<string>;
}

/**
 * Imports REST bodies, including fields that are read-only otherwise, and events from `exportEvents`. Returns an outcome
 * for each body, in order. REST bodies with the same id and iCalUID on several calendars become copies of one event, whose
 * core comes from the organizer's body, in whatever order they are imported.
 */
export async function importEvents(
  store: EventStore,
  calendar: CalendarRecord,
  bodies: readonly unknown[],
  tools: EventTools,
  options: ImportOptions = {},
): Promise<ImportOutcome[]> {
  const entries = bodies.map((body) => readFileEntry(body, calendar, tools));
  await reportConflicts(store, calendar, entries);
  // Exported events first: ids of their copies are given, while guests of other events get free ones.
  const validEntries = entries
    .filter(({ report }) => report.issues.length === 0)
    .sort((left, right) => Number(isExported(right)) - Number(isExported(left)));
  const states = await store.importEvents(
    validEntries.map(({ content }) => createImportChange(content as EntryContent, calendar, tools, options)),
  );
  for (const [index, { report }] of validEntries.entries())
    if (states[index] === 'refused')
      report.addIssue(['id'], 'duplicate', 'The calendar has an event with this id.');
  return entries.map((entry) => {
    const { issues, warnings } = entry.report;
    return issues.length > 0
      ? { state: 'refused', issues }
      : { state: states[validEntries.indexOf(entry)] as EntryState, issues, warnings };
  });
}

type EntryState = ImportOutcome['state'];

const isExported = ({ content }: FileEntry): boolean => content?.exported !== undefined;

/** Validates the events of a refused calendar, whose owner and time zone may be unknown. */
export const refuseEvents = (bodies: readonly unknown[], tools: EventTools): ImportOutcome[] =>
  bodies.map((body) => {
    const { issues } = readFileEntry(body, placeholderCalendar, tools).report;
    return { state: 'refused', issues };
  });

const placeholderCalendar: CalendarRecord = {
  id: '',
  owner: 'nobody@example.com',
  timeZone: 'UTC',
  defaultReminders: [],
  acl: [],
};

/** Reports copies of exported events on calendars that do not exist, and with ids that other events have. */
async function reportConflicts(
  store: EventStore,
  calendar: CalendarRecord,
  entries: readonly FileEntry[],
): Promise<void> {
  const copies = entries.flatMap(listCopies);
  if (copies.length === 0) return;
  const calendarIds = [...new Set(copies.map(({ calendarId }) => calendarId))];
  const states = await store.calendarStates(calendarIds.map((id) => ({ id })));
  const existingIds = new Set(states.flatMap((state) => (state ? [state.calendar.id] : [])));
  for (const { calendarId, report, path } of copies)
    if (!existingIds.has(calendarId)) report.addIssue(path, 'notFound', 'There is no such calendar.');
  const otherCopies = copies.filter(
    ({ calendarId }) => calendarId !== calendar.id && existingIds.has(calendarId),
  );
  const exportedEvents = [...new Set(otherCopies.map(({ record }) => record))];
  const homeEvents = await store.events(exportedEvents.map(homeReference));
  const holders = await store.events(
    otherCopies.map(({ calendarId, copy }) => ({ calendarId, eventId: copy.id })),
  );
  const recordsByCopyId = new Map<string, EventRecord>();
  for (const [position, { record, report, path, calendarId, copy }] of otherCopies.entries()) {
    const holder = holders[position];
    const ownKey = homeEvents[exportedEvents.indexOf(record)]?.record.key;
    const isOwn = ownKey !== undefined && [holder?.record.key, holder?.series?.key].includes(ownKey);
    const copyId = JSON.stringify([calendarId, copy.id]);
    const isTaken = (holder && !isOwn) || (recordsByCopyId.get(copyId) ?? record) !== record;
    recordsByCopyId.set(copyId, record);
    if (isTaken)
      report.addIssue([...path, 'id'], 'duplicate', 'The calendar has another event with this id.');
  }
}

/** Lists the copies of an exported event and its exceptions, with their paths in the file. */
function listCopies({ content, report }: FileEntry) {
  if (!content?.exported) return [];
  const { record, exceptions } = content.exported;
  return [record, ...exceptions].flatMap(({ copies }, position) =>
    Object.entries(copies).map(([calendarId, copy]) => {
      const path: Path = [...(position === 0 ? [] : ['instances', position - 1]), 'copies', calendarId];
      return { record, report, path, calendarId, copy };
    }),
  );
}

/** Change that imports an entry. `refused`: the calendar has another event with its id. */
function createImportChange(
  content: EntryContent,
  calendar: CalendarRecord,
  tools: EventTools,
  options: ImportOptions,
): PendingChange<EntryState> {
  const { event, exported } = content;
  const people = [...(event.attendees ?? []), ...(event.organizer ? [event.organizer] : [])];
  return {
    target: {
      calendar: { id: calendar.id },
      eventId: event.id,
      ...(!exported && event.recurringEventId !== undefined && { seriesId: event.recurringEventId }),
      guests: [...new Set(people.flatMap((person) => attendeeKey(person) ?? []))],
    },
    decide(loaded) {
      if (loaded.event && options.replaces)
        return decideReplacement(content, loaded.event, calendar, loaded, tools, options);
      if (exported)
        return loaded.event
          ? { result: 'refused' }
          : { added: [withInvitedGuests(exported, loaded, tools, options)], result: 'added' };
      const next = createImportedRecord(event, calendar, loaded, tools);
      return next ? { next, result: 'added' } : { result: 'refused' };
    },
  };
}

/** An exported event with copies for guests whose calendars are not in the file, as if they were invited. */
function withInvitedGuests(
  { record, exceptions }: SeriesState,
  loaded: ChangeState,
  { clock }: EventTools,
  options: ImportOptions,
): SeriesState {
  const stamp = nextStamp(clock, record);
  const references = guestReferencesOf(
    guestsOutsideFile(record, loaded, options),
    homeReference(record).eventId,
    () => true,
  );
  const stamps = record.coreStamp.tag === noStamp.tag ? { coreStamp: stamp, openStamp: stamp } : {};
  return { record: { ...withGuestCopies(record, record, references, stamp), ...stamps }, exceptions };
}

/**
 * Guests of an exported event whose calendars are not in the file. They get a copy like invited guests, unless their own file
 * contained the event.
 */
const guestsOutsideFile = (
  { core, copies }: EventRecord,
  { guests }: ChangeState,
  { calendars }: ImportOptions,
): ChangeState['guests'] =>
  new Map(
    [...guests].filter(
      ([, { calendarId, holder }]) =>
        !copies[calendarId] &&
        !calendars?.has(calendarId) &&
        (!holder || holder.core.privateCopy || holder.core.iCalUID !== core.iCalUID),
    ),
  );

/** Replaces the stored event by that of the file, and the exceptions of an exported series. Refuses a different event. */
function decideReplacement(
  content: EntryContent,
  storedEvent: EventRecord,
  calendar: CalendarRecord,
  loaded: ChangeState,
  { clock, model }: EventTools,
  options: ImportOptions,
): Decision<EntryState> {
  const { event, exported } = content;
  const asDecision = (next: EventRecord | undefined): Decision<EntryState> =>
    next ? { next, result: next === storedEvent ? 'unchanged' : 'changed' } : { result: 'refused' };
  if (storedEvent.instance && !exported) {
    const { series } = loaded;
    const next = createImportedException(event, model.split(event), calendar, loaded, () => stampOf(event));
    const instance = series && composeInstance(series, originalStartOf(storedEvent), storedEvent);
    return asDecision(next && instance && replaceRecord(storedEvent, next, clock, instance));
  }
  const imported = exported?.record ?? createReplacement(content, storedEvent, calendar, model);
  if (storedEvent.homeId !== calendar.id)
    return asDecision(replaceCopy(storedEvent, loaded.series, imported, calendar, clock));
  if (storedEvent.instance) return { result: 'refused' };
  const references = guestReferencesOf(
    exported ? guestsOutsideFile(imported, loaded, options) : loaded.guests,
    event.id,
    (holder) => holder.key !== storedEvent.key,
  );
  const newStamp = nextStamp(clock, storedEvent);
  const next = replaceRecord(
    storedEvent,
    withGuestCopies(storedEvent, imported, references, newStamp),
    clock,
  );
  const exceptions = exported
    ? replaceExceptions(loaded.seriesExceptions, next, storedEvent, exported.exceptions, clock)
    : [];
  if (exceptions.length === 0) return asDecision(next);
  // A new version of the series stores the exceptions.
  const changedSeries = next === storedEvent ? { ...next, version: next.version + 1 } : next;
  return { next: changedSeries, exceptions, result: 'changed' };
}

/** Stamp with the time in the body's `updated`; `noStamp` without one. */
const stampOf = ({ updated }: EventBody): Stamp =>
  updated === undefined ? noStamp : { tag: 'given', at: new Date(updated).toISOString() };

/**
 * Record of a REST body that replaces a stored event: with the stored values of server-set fields that the body lacks, and the
 * stored settings of users whom it does not mention.
 */
function createReplacement(
  { body, event }: EntryContent,
  storedEvent: EventRecord,
  calendar: CalendarRecord,
  model: EventTools['model'],
): EventRecord {
  const isHome = storedEvent.homeId === calendar.id;
  const { created, iCalUID, creator, organizer } = storedEvent.core;
  const storedFields = filterFields(
    { created, iCalUID, creator, organizer } as Fields,
    (_value, name) => isHome && body[name as keyof EventBody] === undefined,
  );
  const record = createHomeRecord(
    event,
    calendar,
    model.split({ ...event, ...storedFields }),
    stampOf(event),
  );
  const copy = isHome
    ? (record.copies[calendar.id] as EventCopy)
    : toGuestCopy(record, event, storedEvent, calendar);
  const { viewers: storedViewers, guest, imported } = storedEvent.copies[calendar.id] ?? {};
  const viewers = { ...storedViewers, ...copy.viewers };
  const completeCopy: EventCopy = {
    ...copy,
    ...(guest !== undefined && { guest }),
    ...(imported && { imported }),
    ...(Object.keys(viewers).length > 0 && { viewers }),
  };
  return { ...record, copies: { [calendar.id]: completeCopy } };
}

/** Replaces the copy of a guest by that of the guest's own file; undefined if the file has a different event. */
function replaceCopy(
  storedEvent: EventRecord,
  series: EventRecord | undefined,
  imported: EventRecord,
  { id, owner }: CalendarRecord,
  clock: EventTools['clock'],
): EventRecord | undefined {
  const copy = imported.copies[id];
  const { iCalUID } = (storedEvent.instance && series ? series : storedEvent).core;
  const isPrivate = storedEvent.core.privateCopy || imported.core.privateCopy;
  if (!copy || isPrivate || iCalUID !== imported.core.iCalUID) return undefined;
  // Only the organizer's calendar determines whether an instance is detached.
  const { apart } = storedEvent.copies[id] ?? {};
  const restoredCopy = { ...copy, guest: addressKey(owner), ...(apart && { apart }) };
  return replaceRecord(storedEvent, { ...storedEvent, copies: { [id]: restoredCopy } }, clock);
}
