import { type Issue, formatPath, StartError, zodIssuesOf, type Path, type Warning } from '../core/errors.ts';
import type { BucketStore, BucketChange } from '../bucket/bucket.store.ts';
import type { CalendarStore, CalendarDecision, CalendarRecord } from '../calendar/calendar.store.ts';
import type { EventStore } from '../event/event.store.ts';
import type { NotificationStore } from '../notification/notification.store.ts';
import type { EventTools } from '../event/event.tools.ts';
import {
  type NotificationHosts,
  importNotification,
  findImportIssues,
} from '../notification/notification.create.ts';
import { isFields, isSameJson } from '../core/json.ts';
import { Report } from '../core/report.ts';
import { addressKey } from '../core/text/email.ts';
import { importEvents, validateBodies, type ImportOutcome } from '../event/event.file-import.ts';
import {
  bucketSchema,
  toBucketRecord,
  calendarSchema,
  toCalendarRecord,
  inputNamesOfEntries,
  renameSeedEntry,
  seedSchema,
} from './seed-schema.ts';
import { ImportReport, type EntryState } from './import-report.ts';

/** Stores that a seed is loaded into, and the tools for it. */
export interface SeedTarget {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore;
  readonly eventTools: EventTools;
  readonly hosts: NotificationHosts;
  /** Called with the number of imported events, and of all events. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Thrown for an invalid seed. The message lists every issue with its path. */
export class SeedError extends StartError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(
      `The seed data is not valid:\n${issues.map(({ path, message }) => `  ${formatPath(path) || '(top level)'}: ${message}`).join('\n')}`,
    );
    this.issues = issues;
  }
}

/** Events that are imported at once. */
const batchSize = 250;

/** Fills an empty store and returns the warnings. Throws SeedError with all issues; then the store must be discarded. */
export async function loadSeed(data: unknown, target: SeedTarget): Promise<readonly Warning[]> {
  const { issues, warnings } = await importEntries(data, target, /* replaces */ false);
  const allIssues = [...zodIssuesOf(seedSchema, data), ...issues];
  if (allIssues.length > 0) throw new SeedError(allIssues);
  return warnings;
}

/**
 * Imports data into a filled store: replaces the named entries, keeps all others, and refuses invalid ones. Throws SeedError for data
 * that is no seed.
 */
export async function importData(data: unknown, target: SeedTarget): Promise<ImportReport> {
  const issues = zodIssuesOf(seedSchema, data);
  if (issues.length > 0) throw new SeedError(issues);
  return importEntries(data, target, /* replaces */ true);
}

/** Imports all entries of a seed. `replaces`: entries may overwrite stored ones. */
async function importEntries(data: unknown, target: SeedTarget, replaces: boolean): Promise<ImportReport> {
  const report = new ImportReport();
  const entries = readList(data, 'calendars');
  const calendarsByIndex = new Map<number, CalendarRecord>();
  const addedCalendars: CalendarRecord[] = [];
  const calendarIds = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const { calendar, isNew } = await importCalendar(entry, index, calendarIds, target, report);
    if (calendar) calendarsByIndex.set(index, calendar);
    else if (!replaces) calendarsByIndex.set(index, await insertPlaceholder(index, target));
    if (calendar && isNew) addedCalendars.push(calendar);
  }
  await importAllEvents(entries, calendarsByIndex, target, report, replaces);
  // Runs after the import: new calendars also get the stored events that invited their owners before.
  for (const { id, owner } of replaces ? addedCalendars : [])
    await target.calendars.changeCalendar({ calendar: { id } }, ({ calendar }) => ({
      ...(calendar && { job: { kind: 'invite', calendarId: id, owner } }),
      result: undefined,
    }));
  const bucketNames = new Set<string>();
  for (const [index, entry] of readList(data, 'buckets').entries())
    await importBucket(entry, index, bucketNames, target, report, replaces);
  return report;
}

/** Returns a list of the seed, or [] if the value is not a list. */
function readList(data: unknown, name: string): readonly unknown[] {
  const list = isFields(data) ? data[name] : undefined;
  return Array.isArray(list) ? list : [];
}

/** Imports a calendar without its events. Returns the stored calendar; no calendar if the entry was refused. */
async function importCalendar(
  seedEntry: unknown,
  index: number,
  earlierCalendarIds: Set<string>,
  { calendars, eventTools }: SeedTarget,
  report: ImportReport,
): Promise<{ readonly calendar?: CalendarRecord; readonly isNew?: boolean }> {
  const path = ['calendars', index];
  const renameReport = new Report();
  const entry = renameSeedEntry(seedEntry, inputNamesOfEntries.calendars, path, renameReport);
  const { events: eventBodies, ...settings } = isFields(entry) ? entry : { events: undefined };
  const issues = zodIssuesOf(
    calendarSchema,
    isFields(entry) ? { ...settings, events: Array.isArray(eventBodies) ? [] : eventBodies } : entry,
    path,
  );
  const importedCalendar = issues.length === 0 ? toCalendarRecord(calendarSchema.parse(settings)) : undefined;
  if (importedCalendar && earlierCalendarIds.has(importedCalendar.id))
    issues.push(createDuplicateIssue([...path, 'id'], importedCalendar.id));
  if (!importedCalendar || issues.length > 0) {
    report.addOutcome('calendars', { state: 'refused', issues });
    return {};
  }
  earlierCalendarIds.add(importedCalendar.id);
  const now = new Date(eventTools.clock()).toISOString();
  const { state, calendar } = await calendars.changeCalendar(
    { calendar: { id: importedCalendar.id } },
    ({ calendar: storedCalendar }): CalendarDecision<{ state: EntryState; calendar?: CalendarRecord }> => {
      if (!storedCalendar)
        return { next: importedCalendar, result: { state: 'added', calendar: importedCalendar } };
      if (addressKey(storedCalendar.owner) !== addressKey(importedCalendar.owner))
        return { result: { state: 'refused' } };
      const created = importedCalendar.created ?? storedCalendar.created;
      const mergedCalendar = mergeRecord(storedCalendar, { ...importedCalendar, created }, now, [
        'version',
        'neverPrimary',
        'feedSeed',
      ]);
      if (mergedCalendar === storedCalendar)
        return { result: { state: 'unchanged', calendar: storedCalendar } };
      const next = { ...mergedCalendar, version: (storedCalendar.version ?? 0) + 1 };
      return { next, result: { state: 'changed', calendar: next } };
    },
  );
  if (state === 'refused') report.addOutcome('calendars', { state, issues: [ownerIssue] }, path);
  else report.addOutcome('calendars', { state, warnings: renameReport.warnings });
  return { calendar, isNew: state === 'added' };
}

const ownerIssue: Issue = {
  path: ['owner'],
  reason: 'immutable',
  message: 'The calendar belongs to somebody else, and its owner cannot be changed.',
};

/** Returns the imported record with the kept fields of the current one; `current` itself if nothing changes. */
function mergeRecord<T extends { readonly updated?: string }>(
  current: T,
  imported: T,
  now: string,
  keptNames: readonly (keyof T)[],
): T {
  // Unset fields stay undefined here, and JSON drops them.
  const keptFields = Object.fromEntries(keptNames.map((name) => [name, current[name]]));
  const updated = imported.updated ?? current.updated;
  const next = JSON.parse(JSON.stringify({ ...imported, ...keptFields, updated })) as T;
  if (isSameJson(next, JSON.parse(JSON.stringify(current)))) return current;
  return imported.updated === undefined ? { ...next, updated: now } : next;
}

/** Imports the events of all calendars, series before their exceptions. Only validates the events of refused calendars. */
async function importAllEvents(
  entries: readonly unknown[],
  calendarsByIndex: ReadonlyMap<number, CalendarRecord>,
  { events: store, eventTools, onProgress }: SeedTarget,
  report: ImportReport,
  replaces: boolean,
): Promise<void> {
  const calendars = new Set([...calendarsByIndex.values()].map(({ id }) => id));
  const total = entries.reduce<number>((sum, entry) => sum + readList(entry, 'events').length, 0);
  let importedCount = 0;
  for (const [calendarIndex, entry] of entries.entries()) {
    const [calendar, ids] = [calendarsByIndex.get(calendarIndex), new Set<string>()];
    const bodies = [...readList(entry, 'events').entries()].sort(
      ([, left], [, right]) => Number(isInstance(left)) - Number(isInstance(right)),
    );
    for (let start = 0; start < bodies.length; start += batchSize) {
      const batch = bodies.slice(start, start + batchSize);
      const uniqueBodies = replaces ? batch.filter(([, body]) => addIfNewId(body, ids)) : batch;
      const pathOf = (index: number): Path => ['calendars', calendarIndex, 'events', index];
      for (const [index, body] of batch.filter((indexed) => !uniqueBodies.includes(indexed)))
        report.addOutcome(
          'events',
          { state: 'refused', issues: [createDuplicateIssue(['id'], idOf(body))] },
          pathOf(index),
        );
      const events = uniqueBodies.map(([, body]) => body);
      const outcomes = calendar
        ? await importEvents(store, calendar, events, eventTools, { replaces, calendars })
        : validateBodies(placeholderCalendar, events, eventTools).map(
            (issues) => ({ state: 'refused', issues }) as const,
          );
      for (const [outcomeIndex, [index]] of uniqueBodies.entries())
        report.addOutcome('events', outcomes[outcomeIndex] as ImportOutcome, pathOf(index));
      importedCount += batch.length;
      onProgress?.(importedCount, total);
    }
  }
}

const isInstance = (body: unknown): boolean => isFields(body) && typeof body.recurringEventId === 'string';

/** Inserts a calendar in place of a refused one, so that issues of its events are found too. */
async function insertPlaceholder(index: number, { calendars }: SeedTarget): Promise<CalendarRecord> {
  const next = { ...placeholderCalendar, id: `calendar ${index}` };
  await calendars.changeCalendar({ calendar: { id: next.id } }, () => ({ next, result: undefined }));
  return next;
}

const placeholderCalendar: CalendarRecord = {
  id: 'nobodys',
  owner: 'nobody@example.com',
  timeZone: 'UTC',
  defaultReminders: [],
  acl: [],
};

/** Whether no earlier body has the same id. Adds the id to `ids`. */
function addIfNewId(body: unknown, ids: Set<string>): boolean {
  const id = idOf(body);
  if (id === undefined) return true;
  const isNew = !ids.has(id);
  ids.add(id);
  return isNew;
}

const idOf = (body: unknown): string | undefined =>
  isFields(body) && typeof body.id === 'string' ? body.id : undefined;

const createDuplicateIssue = (path: Path, name = ''): Issue => ({
  path,
  reason: 'duplicate',
  message: `${name} occurs twice.`,
});

async function importBucket(
  seedEntry: unknown,
  index: number,
  earlierNames: Set<string>,
  { buckets, notifications, hosts, eventTools }: SeedTarget,
  report: ImportReport,
  replaces: boolean,
): Promise<void> {
  const path = ['buckets', index];
  const renameReport = new Report();
  const entry = renameSeedEntry(seedEntry, inputNamesOfEntries.buckets, path, renameReport);
  const issues = zodIssuesOf(bucketSchema, entry, path);
  const importedBucket = issues.length === 0 ? toBucketRecord(bucketSchema.parse(entry)) : undefined;
  if (importedBucket && earlierNames.has(importedBucket.bucket.name))
    issues.push(createDuplicateIssue([...path, 'name'], importedBucket.bucket.name));
  const bodies = readList(entry, 'notifications');
  const reportNotification = (position: number, state: EntryState, bodyIssues: readonly Issue[]): void =>
    report.addOutcome('subscriptions', { state, issues: bodyIssues }, [...path, 'notifications', position]);
  if (!importedBucket || issues.length > 0) {
    report.addOutcome('buckets', { state: 'refused', issues });
    for (const [position, body] of bodies.entries())
      reportNotification(position, 'refused', findImportIssues(body));
    return;
  }
  const { bucket, lastId } = importedBucket;
  earlierNames.add(bucket.name);
  const now = new Date(eventTools.clock()).toISOString();
  const state = await buckets.changeBucket(
    { name: bucket.name },
    ({ bucket: storedBucket, lastId: storedLastId }): BucketChange<EntryState> => {
      if (!storedBucket) return { next: bucket, lastId, result: 'added' };
      const timeCreated = bucket.timeCreated ?? storedBucket.timeCreated;
      const next = mergeRecord(storedBucket, { ...bucket, timeCreated }, now, [
        'idsBefore',
        'metageneration',
      ]);
      if (next === storedBucket)
        return lastId > storedLastId ? { next, lastId, result: 'changed' } : { result: 'unchanged' };
      // Raises the metageneration, so that clients notice the change.
      const metageneration = Math.max(bucket.metageneration ?? 1, (storedBucket.metageneration ?? 1) + 1);
      return { next: { ...next, metageneration }, lastId, result: 'changed' };
    },
  );
  report.addOutcome('buckets', { state, warnings: renameReport.warnings });
  const earlierIds = new Set<string>();
  for (const [position, body] of bodies.entries()) {
    if (replaces && !addIfNewId(body, earlierIds)) {
      reportNotification(position, 'refused', [createDuplicateIssue(['id'], idOf(body))]);
      continue;
    }
    const outcome = await importNotification(notifications, bucket.name, body, hosts, {
      canReplace: replaces,
    });
    reportNotification(position, outcome.state, outcome.issues);
  }
}
