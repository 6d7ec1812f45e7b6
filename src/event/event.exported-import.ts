import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { Report } from '../core/report.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf } from './attendees/copies.ts';
import { attendeeKey } from './model/fields.ts';
import { completeEvent, type FileEntry } from './event.file-entries.ts';
import type { PendingChange, Decision, EventStore, ChangeState, SeriesState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { homeReference, originalStartOf, type EventRecord, nextStamp } from './model/record.ts';
import { resetException } from './instances/follow-series.ts';
import { checkInstances } from './transfer/check-exported-event.ts';
import { type ExportMembers, recordFromForm } from './transfer/exported-event.ts';
import {
  duplicateIdIssue,
  type ImportOptions,
  type ImportOutcome,
  refusedOutcome,
  replaceInstanceRecord,
  replaceRecord,
  withGuestCopies,
} from './transfer/replace-record.ts';
import type { Issue, Path } from '../core/errors.ts';

/** Event of a file with its exceptions, and the issues that prevent its restoration. */
interface RestoreItem extends SeriesState {
  readonly issues: readonly Issue[];
}

/** Restores events from `exportEvents` on one calendar: events first, then exceptions of replaced series. */
export async function restoreEvents(
  store: EventStore,
  calendar: CalendarRecord,
  fileEntries: readonly FileEntry[],
  tools: EventTools,
  options: ImportOptions,
): Promise<ImportOutcome[]> {
  if (fileEntries.length === 0) return [];
  const items = fileEntries.map((entry) => restoreItemOf(entry, calendar, tools));
  const issues = await findConflicts(store, calendar, items);
  const checkedItems = items.map((item, index) => ({
    ...item,
    issues: [...item.issues, ...(issues[index] ?? [])],
  }));
  const changes = checkedItems.flatMap((checkedItem, index) =>
    checkedItem.issues.length === 0
      ? [{ index, change: createRestoreChange(checkedItem, calendar, tools, options) }]
      : [],
  );
  const storedOutcomes = await store.importEvents(changes.map(({ change }) => change));
  const outcomes = checkedItems.map((restoreItem) => refusedOutcome(restoreItem.issues));
  for (const [position, { index }] of changes.entries())
    outcomes[index] = storedOutcomes[position] as ImportOutcome;
  if (options.replaces) await replaceInstances(store, calendar, checkedItems, outcomes, tools);
  return outcomes;
}

function restoreItemOf(fileEntry: FileEntry, calendar: CalendarRecord, tools: EventTools): RestoreItem {
  const { model, clock } = tools;
  const event = completeEvent(fileEntry, calendar, tools);
  const updated = event.updated;
  const state = recordFromForm(
    { ...model.split(event), id: event.id, updated },
    fileEntry.members as ExportMembers,
    calendar,
    nextStamp(clock).tag,
  );
  const report = new Report();
  checkInstances(state, model, calendar.timeZone, report);
  return { ...state, issues: report.issues };
}

/**
 * Lists the copies of an event and its exceptions, with their paths. `index`: position of the event in the
 * file.
 */
const listCopies = ({ record, exceptions }: SeriesState, index: number) =>
  [record, ...exceptions].flatMap(({ copies }, position) =>
    Object.entries(copies).map(([calendarId, copy]) => {
      const path: Path = [...(position === 0 ? [] : ['instances', position - 1]), 'copies', calendarId];
      return { index, path, calendarId, copy };
    }),
  );

/**
 * Finds copies on calendars that do not exist, and copies with ids that other events have. Returns the issues
 * by event.
 */
async function findConflicts(
  store: EventStore,
  calendar: CalendarRecord,
  states: readonly SeriesState[],
): Promise<Issue[][]> {
  const copies = states.flatMap(listCopies);
  const ids = [...new Set(copies.map(({ calendarId }) => calendarId))];
  const existingIds = new Set(
    (await store.calendarStates(ids.map((id) => ({ id })))).flatMap((state) =>
      state ? [state.calendar.id] : [],
    ),
  );
  const otherCopies = copies.filter(
    ({ calendarId }) => calendarId !== calendar.id && existingIds.has(calendarId),
  );
  const homeReferences = states.map(({ record }) => homeReference(record));
  const storedEvents = await store.events([
    ...homeReferences,
    ...otherCopies.map(({ calendarId, copy }) => ({ calendarId, eventId: copy.id })),
  ]);
  const issues: Issue[][] = states.map(() => []);
  for (const { index, path, calendarId } of copies) {
    if (!existingIds.has(calendarId))
      issues[index]?.push({ path, reason: 'notFound', message: 'There is no such calendar.' });
  }
  const indexByCopyKey = new Map<string, number>();
  for (const [position, { index, path, calendarId, copy }] of otherCopies.entries()) {
    const holder = storedEvents[homeReferences.length + position];
    const ownRecord = storedEvents[index]?.record;
    const isOwn =
      ownRecord !== undefined &&
      (holder?.record.key === ownRecord.key || holder?.series?.key === ownRecord.key);
    const copyKey = JSON.stringify([calendarId, copy.id]);
    const isTaken = (holder && !isOwn) || (indexByCopyKey.get(copyKey) ?? index) !== index;
    indexByCopyKey.set(copyKey, index);
    if (isTaken)
      issues[index]?.push({
        path: [...path, 'id'],
        reason: 'duplicate',
        message: 'The calendar has another event with this id.',
      });
  }
  return issues;
}

function createRestoreChange(
  state: SeriesState,
  calendar: CalendarRecord,
  tools: EventTools,
  options: ImportOptions,
): PendingChange<ImportOutcome> {
  const { core } = state.record;
  const guests = [...(core.attendees ?? []), ...(core.organizer ? [core.organizer] : [])].flatMap(
    (entry) => attendeeKey(entry) ?? [],
  );
  return {
    target: {
      calendar: { id: calendar.id },
      eventId: homeReference(state.record).eventId,
      guests: [...new Set(guests)],
    },
    decide: (loaded) => decideRestore(state, calendar, loaded, tools, options),
  };
}

function decideRestore(
  { record, exceptions }: SeriesState,
  calendar: CalendarRecord,
  loaded: ChangeState,
  { clock }: EventTools,
  { replaces, calendars }: ImportOptions,
): Decision<ImportOutcome> {
  const { event: storedEvent } = loaded;
  // Guests whose calendars are not in the file get a copy like invited guests, unless their own file contains the event.
  const isSameEvent = (holder: EventRecord | undefined): boolean =>
    holder !== undefined && !holder.core.privateCopy && holder.core.iCalUID === record.core.iCalUID;
  const guestsWithoutCopy = new Map(
    [...loaded.guests].filter(
      ([, { calendarId, holder }]) =>
        !record.copies[calendarId] && !calendars?.has(calendarId) && !isSameEvent(holder),
    ),
  );
  const references = guestReferencesOf(
    guestsWithoutCopy,
    homeReference(record).eventId,
    (holder) => holder.key !== storedEvent?.key,
  );
  if (!storedEvent) {
    const stamp = nextStamp(clock, record);
    const addedRecord = withGuestCopies(record, record, references, stamp);
    const hasStamp = record.coreStamp.tag !== '';
    return {
      added: [
        {
          record: hasStamp ? addedRecord : { ...addedRecord, coreStamp: stamp, openStamp: stamp },
          exceptions,
        },
      ],
      result: { state: 'added', issues: [] },
    };
  }
  const updateGuests = (importedRecord: EventRecord): EventRecord =>
    withGuestCopies(storedEvent, importedRecord, references, nextStamp(clock, storedEvent));
  const next = replaces
    ? createReplacement(storedEvent, loaded, record, calendar, updateGuests, clock)
    : undefined;
  if (!next) return { result: refusedOutcome([duplicateIdIssue]) };
  return { next, result: { state: next === storedEvent ? 'unchanged' : 'changed', issues: [] } };
}

/** Replaces the stored event by the imported one; undefined if the stored event is a different one. */
function createReplacement(
  storedEvent: EventRecord,
  { series }: Pick<ChangeState, 'series'>,
  record: EventRecord,
  { id, owner }: CalendarRecord,
  updateGuests: (importedRecord: EventRecord) => EventRecord,
  clock: EventTools['clock'],
): EventRecord | undefined {
  if (storedEvent.homeId === id)
    return storedEvent.instance ? undefined : replaceRecord(storedEvent, updateGuests(record), clock);
  // A guest's file restores only that guest's copy of an event of another calendar.
  const copy = record.copies[id];
  const iCalUID = (storedEvent.instance ? series : storedEvent)?.core.iCalUID;
  if (!copy || storedEvent.core.privateCopy || iCalUID !== record.core.iCalUID) return undefined;
  // Only the organizer's calendar determines whether an instance is detached.
  const detachedMark = storedEvent.copies[id]?.apart;
  const restoredCopy = { ...copy, guest: addressKey(owner), ...(detachedMark && { apart: detachedMark }) };
  return replaceRecord(storedEvent, { ...storedEvent, copies: { [id]: restoredCopy } }, clock);
}

/** Replaces the exceptions of series that existed: exceptions missing from the file are reset. */
async function replaceInstances(
  store: EventStore,
  calendar: CalendarRecord,
  restoreItems: readonly RestoreItem[],
  outcomes: ImportOutcome[],
  { clock }: EventTools,
): Promise<void> {
  const replacedIndexes = outcomes.flatMap(({ state }, index) =>
    state === 'changed' || state === 'unchanged' ? [index] : [],
  );
  const events = await store.events(
    replacedIndexes.map((index) => homeReference((restoreItems[index] as RestoreItem).record)),
  );
  const series = replacedIndexes.flatMap((index, position) =>
    events[position]?.record.homeId === calendar.id ? [{ index, record: events[position].record }] : [],
  );
  const storedStates = await store.exceptionsOf(series.map(({ record }) => record));
  for (const [position, { index }] of series.entries()) {
    const storedState = storedStates[position] as SeriesState;
    const importedByOriginal = new Map(
      (restoreItems[index] as RestoreItem).exceptions.map((exception) => [
        originalStartOf(exception),
        exception,
      ]),
    );
    const originalStarts = new Set([
      ...importedByOriginal.keys(),
      ...storedState.exceptions.map(originalStartOf),
    ]);
    for (const original of originalStarts) {
      const isChanged = await replaceInstance(
        store,
        storedState.record,
        original,
        importedByOriginal.get(original),
        clock,
      );
      if (isChanged) outcomes[index] = { state: 'changed', issues: [] };
    }
  }
}

async function replaceInstance(
  store: EventStore,
  record: EventRecord,
  original: string,
  importedException: EventRecord | undefined,
  clock: EventTools['clock'],
): Promise<boolean> {
  const { calendarId: id, eventId: seriesId } = homeReference(record);
  return store.changeEvent(
    { calendar: { id }, eventId: `${seriesId}_${original}`, seriesId, guests: [] },
    ({ event, series }) => {
      const storedException = event?.instance ? event : undefined;
      if (!series || (event && !storedException)) return { result: false };
      if (!storedException)
        return importedException ? { next: importedException, result: true } : { result: false };
      const next = importedException
        ? replaceInstanceRecord(series, storedException, importedException, clock)
        : resetException(storedException, series);
      return { next, result: next !== storedException };
    },
  );
}
