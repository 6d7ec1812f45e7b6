import type { ZodType } from 'zod';
import { type Issue, formatPath, StartError, zodIssuesOf, type Path, type Warning } from '../core/errors.ts';
import type { BucketStore, BucketChange, BucketRecord } from '../bucket/bucket.store.ts';
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
import { importEvents, refuseEvents, type ImportOutcome } from '../event/event.file-import.ts';
import {
  bucketSchema,
  calendarSchema,
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

/** Calendar of a seed with the bodies of its events. */
interface ImportedCalendar {
  /** Stored calendar; absent if the entry was refused. */
  readonly calendar?: CalendarRecord | undefined;
  /** The calendar, if it is new. */
  readonly added?: CalendarRecord | undefined;
  readonly bodies: readonly unknown[];
}

/** Imports all entries of a seed. `replaces`: entries may overwrite stored ones. */
async function importEntries(data: unknown, target: SeedTarget, replaces: boolean): Promise<ImportReport> {
  const report = new ImportReport();
  const importedCalendars: ImportedCalendar[] = [];
  const calendarIds = new Set<string>();
  for (const [index, entry] of readList(data, 'calendars').entries())
    importedCalendars.push({
      ...(await importCalendar(entry, index, calendarIds, target, report)),
      bodies: readList(entry, 'events'),
    });
  await importAllEvents(importedCalendars, target, report, replaces);
  // Runs after the import: new calendars also get the stored events that invited their owners before.
  for (const { id, owner } of replaces ? importedCalendars.flatMap(({ added }) => added ?? []) : [])
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

/** Reads a calendar or a bucket; undefined, with its issues in the report, if it is invalid or an earlier entry has its name. */
function readEntry<Entry>(
  kind: 'calendars' | 'buckets',
  schema: ZodType<Entry>,
  nameField: keyof Entry & string,
  seedEntry: unknown,
  index: number,
  earlierNames: Set<unknown>,
  report: ImportReport,
): { readonly entry: Entry; readonly warnings: readonly Warning[] } | undefined {
  const path = [kind, index];
  const renameReport = new Report();
  const renamedEntry = renameSeedEntry(seedEntry, inputNamesOfEntries[kind], path, renameReport);
  const issues = zodIssuesOf(schema, renamedEntry, path);
  if (issues.length === 0) {
    const entry = schema.parse(renamedEntry);
    if (addIfNew(entry[nameField], earlierNames)) return { entry, warnings: renameReport.warnings };
    issues.push(createDuplicateIssue([...path, nameField], String(entry[nameField])));
  }
  report.addOutcome(kind, { state: 'refused', issues });
  return undefined;
}

/** Imports a calendar without its events. Returns the stored calendar; no calendar if the entry was refused. */
async function importCalendar(
  seedEntry: unknown,
  index: number,
  earlierIds: Set<string>,
  { calendars, eventTools }: SeedTarget,
  report: ImportReport,
): Promise<Omit<ImportedCalendar, 'bodies'>> {
  const readResult = readEntry('calendars', calendarSchema, 'id', seedEntry, index, earlierIds, report);
  if (!readResult) return {};
  const { events: _events, ...settings } = readResult.entry;
  const importedCalendar: CalendarRecord = settings;
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
  if (state === 'refused')
    report.addOutcome('calendars', { state, issues: [ownerIssue] }, ['calendars', index]);
  else report.addOutcome('calendars', { state, warnings: readResult.warnings });
  return { calendar, added: state === 'added' ? calendar : undefined };
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
  importedCalendars: readonly ImportedCalendar[],
  { events: store, eventTools, onProgress }: SeedTarget,
  report: ImportReport,
  replaces: boolean,
): Promise<void> {
  const calendars = new Set(importedCalendars.flatMap(({ calendar }) => calendar?.id ?? []));
  const total = importedCalendars.reduce((sum, { bodies }) => sum + bodies.length, 0);
  let importedCount = 0;
  for (const [calendarIndex, { calendar, bodies }] of importedCalendars.entries()) {
    const ids = new Set<string>();
    const entries = [...bodies.entries()].sort(
      ([, left], [, right]) => Number(isInstance(left)) - Number(isInstance(right)),
    );
    for (let start = 0; start < entries.length; start += batchSize) {
      const batch = entries.slice(start, start + batchSize);
      const duplicates = batch.filter(([, body]) => (replaces || !calendar) && !addIfNew(idOf(body), ids));
      const uniqueEntries = batch.filter((entry) => !duplicates.includes(entry));
      const uniqueBodies = uniqueEntries.map(([, body]) => body);
      const outcomes = calendar
        ? await importEvents(store, calendar, uniqueBodies, eventTools, { replaces, calendars })
        : refuseEvents(uniqueBodies, eventTools);
      for (const [index, outcome] of [
        ...duplicates.map(([index, body]) => [index, refusedDuplicate(body)] as const),
        ...uniqueEntries.map(([index], position) => [index, outcomes[position] as ImportOutcome] as const),
      ])
        report.addOutcome('events', outcome, ['calendars', calendarIndex, 'events', index]);
      importedCount += batch.length;
      onProgress?.(importedCount, total);
    }
  }
}

const isInstance = (body: unknown): boolean => isFields(body) && typeof body.recurringEventId === 'string';

/** Adds a name to those of earlier entries. Returns whether it is a new one, or none. */
function addIfNew(name: unknown, earlierNames: Set<unknown>): boolean {
  if (name === undefined) return true;
  const isNew = !earlierNames.has(name);
  earlierNames.add(name);
  return isNew;
}

const idOf = (body: unknown): string | undefined =>
  isFields(body) && typeof body.id === 'string' ? body.id : undefined;

const createDuplicateIssue = (path: Path, name: string): Issue => ({
  path,
  reason: 'duplicate',
  message: `${name} occurs twice.`,
});

/** Outcome of a body whose id an earlier one has. */
const refusedDuplicate = (body: unknown): ImportOutcome => ({
  state: 'refused',
  issues: [createDuplicateIssue(['id'], String(idOf(body)))],
});

async function importBucket(
  seedEntry: unknown,
  index: number,
  earlierNames: Set<string>,
  { buckets, notifications, hosts, eventTools }: SeedTarget,
  report: ImportReport,
  replaces: boolean,
): Promise<void> {
  const bodies = readList(seedEntry, 'notifications');
  const reportNotification = (position: number, outcome: ImportOutcome): void =>
    report.addOutcome('subscriptions', outcome, ['buckets', index, 'notifications', position]);
  const readResult = readEntry('buckets', bucketSchema, 'name', seedEntry, index, earlierNames, report);
  if (!readResult) {
    for (const [position, body] of bodies.entries())
      reportNotification(position, { state: 'refused', issues: findImportIssues(body) });
    return;
  }
  const {
    notifications: _notifications,
    billing,
    requesterPays = billing?.requesterPays ?? false,
    lastId = 0,
    ...settings
  } = readResult.entry;
  const bucket: BucketRecord = { ...settings, requesterPays };
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
  report.addOutcome('buckets', { state, warnings: readResult.warnings });
  const earlierIds = new Set<string>();
  for (const [position, body] of bodies.entries())
    reportNotification(
      position,
      replaces && !addIfNew(idOf(body), earlierIds)
        ? refusedDuplicate(body)
        : await importNotification(notifications, bucket.name, body, hosts, { canReplace: replaces }),
    );
}
