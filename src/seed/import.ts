import type { BucketChange } from '../bucket/bucket.store.ts';
import type { CalendarChange } from '../calendar/calendar.store.ts';
import type { CalendarRecord } from '../calendar/calendar.ts';
import { isFields, sameJson } from '../core/patch.ts';
import { type Issue, issuesOf, type Path, type Warning } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { addressKey } from '../core/text/email.ts';
import { importEvents, issuesOfEvents, type ImportOutcome } from '../event/event.import.ts';
import { importNotification, issuesOfNotification } from '../notification/notification.import.ts';
import {
  bucketForm,
  bucketOf,
  calendarForm,
  calendarOf,
  entryNames,
  renameSeedEntry,
  seedForm,
} from './form.ts';
import { ImportReport, type EntryState } from './report.ts';
import { SeedError, type SeedTarget } from './seed.ts';

/** How many events are handed to the store together. */
const batch = 250;

/** Fills an empty store; gives the warnings. Throws SeedError with all issues; what it stored by then is of no use. */
export async function loadSeed(data: unknown, target: SeedTarget): Promise<readonly Warning[]> {
  const { issues, warnings } = await takeEntries(data, target, false);
  const all = [...issuesOf(seedForm, data), ...issues];
  if (all.length > 0) throw new SeedError(all);
  return warnings;
}

/**
 * Loads a seed into a store that holds something already: what it names is replaced, the rest stays. An entry that breaks a rule
 * is refused, and the others are taken. Throws SeedError for what is no seed at all.
 */
export async function importData(data: unknown, target: SeedTarget): Promise<ImportReport> {
  const issues = issuesOf(seedForm, data);
  if (issues.length > 0) throw new SeedError(issues);
  return takeEntries(data, target, true);
}

/** `replaces`: entries may take the place of stored ones. */
async function takeEntries(data: unknown, target: SeedTarget, replaces: boolean): Promise<ImportReport> {
  const report = new ImportReport();
  const entries = listIn(data, 'calendars');
  const placed = new Map<number, CalendarRecord>();
  const added: CalendarRecord[] = [];
  const names = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    const { calendar, isNew } = await importCalendar(entry, at, names, target, report);
    if (calendar) placed.set(at, calendar);
    else if (!replaces) placed.set(at, await standIn(at, target));
    if (calendar && isNew) added.push(calendar);
  }
  await importAllEvents(entries, placed, target, report, replaces);
  // Behind what the file itself has on them, events that invited their owners before come to calendars that are new.
  for (const { id, owner } of replaces ? added : [])
    await target.calendars.changeCalendar({ calendar: { id } }, ({ calendar }) => ({
      ...(calendar && { job: { kind: 'invite', calendarId: id, owner } }),
      result: undefined,
    }));
  const bucketNames = new Set<string>();
  for (const [at, entry] of listIn(data, 'buckets').entries())
    await importBucket(entry, at, bucketNames, target, report, replaces);
  return report;
}

/** A list of the seed, none where something else stands in its place. */
function listIn(data: unknown, name: string): readonly unknown[] {
  const list = isFields(data) ? data[name] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The calendar as it is stored; none where it was refused. */
async function importCalendar(
  sent: unknown,
  at: number,
  names: Set<string>,
  { calendars, eventTools }: SeedTarget,
  report: ImportReport,
): Promise<{ readonly calendar?: CalendarRecord; readonly isNew?: boolean }> {
  const path = ['calendars', at];
  const named = new Report();
  const entry = renameSeedEntry(sent, entryNames.calendars, path, named);
  // Events are held against their rules by themselves.
  const { events: _events, ...settings } = isFields(entry) ? entry : { events: undefined };
  const issues = issuesOf(
    calendarForm,
    isFields(entry) ? { ...settings, events: Array.isArray(_events) ? [] : _events } : entry,
    path,
  );
  const given = issues.length === 0 ? calendarOf(calendarForm.parse(settings)) : undefined;
  if (given && names.has(given.id)) issues.push(twice([...path, 'id'], given.id));
  if (!given || issues.length > 0) {
    report.note('calendars', { state: 'refused', issues });
    return {};
  }
  names.add(given.id);
  const now = new Date(eventTools.clock()).toISOString();
  const { state, calendar } = await calendars.changeCalendar(
    { calendar: { id: given.id } },
    ({ calendar: current }): CalendarChange<{ state: EntryState; calendar?: CalendarRecord }> => {
      if (!current) return { next: given, result: { state: 'added', calendar: given } };
      if (addressKey(current.owner) !== addressKey(given.owner)) return { result: { state: 'refused' } };
      const next = replaced(current, { ...given, created: given.created ?? current.created }, now, [
        'version',
        'neverPrimary',
      ]);
      if (next === current) return { result: { state: 'unchanged', calendar: current } };
      const counted = { ...next, version: (current.version ?? 0) + 1 };
      return { next: counted, result: { state: 'changed', calendar: counted } };
    },
  );
  if (state === 'refused') report.note('calendars', { state, issues: [othersCalendar] }, path);
  else report.note('calendars', { state, warnings: named.warnings });
  return { calendar, isNew: state === 'added' };
}

const othersCalendar: Issue = {
  path: ['owner'],
  reason: 'immutable',
  message: 'The calendar belongs to somebody else, and its owner cannot be changed.',
};

/** The given record, with those fields of the current one that a file does not set; the current one where nothing changes. */
function replaced<T extends { readonly updated?: string }>(
  current: T,
  given: T,
  now: string,
  kept: readonly (keyof T)[],
): T {
  const own = Object.fromEntries(
    kept.filter((name) => current[name] !== undefined).map((name) => [name, current[name]]),
  );
  const unset = Object.fromEntries(kept.map((name) => [name, undefined]));
  const next = JSON.parse(
    JSON.stringify({ ...given, ...unset, ...own, updated: given.updated ?? current.updated }),
  ) as T;
  if (sameJson(next, JSON.parse(JSON.stringify(current)))) return current;
  return given.updated === undefined ? { ...next, updated: now } : next;
}

/** Every calendar's events, series before what was changed of them; those of a refused calendar are held against their rules. */
async function importAllEvents(
  entries: readonly unknown[],
  placed: ReadonlyMap<number, CalendarRecord>,
  { events: store, eventTools, onProgress }: SeedTarget,
  report: ImportReport,
  replaces: boolean,
): Promise<void> {
  const calendars = new Set([...placed.values()].map(({ id }) => id));
  const total = entries.reduce<number>((sum, entry) => sum + listIn(entry, 'events').length, 0);
  let done = 0;
  for (const [at, entry] of entries.entries()) {
    const [calendar, ids] = [placed.get(at), new Set<string>()];
    const bodies = [...listIn(entry, 'events').entries()].sort(
      ([, a], [, b]) => Number(isInstance(a)) - Number(isInstance(b)),
    );
    for (let first = 0; first < bodies.length; first += batch) {
      const part = bodies.slice(first, first + batch);
      const fresh = replaces ? part.filter(([, body]) => isFirst(body, ids)) : part;
      const pathOf = (index: number): Path => ['calendars', at, 'events', index];
      for (const [index, body] of part.filter((one) => !fresh.includes(one)))
        report.note('events', { state: 'refused', issues: [twice(['id'], idOf(body))] }, pathOf(index));
      const sent = fresh.map(([, body]) => body);
      const outcomes = calendar
        ? await importEvents(store, calendar, sent, eventTools, { replaces, calendars })
        : issuesOfEvents(nobodys, sent, eventTools).map((issues) => ({ state: 'refused', issues }) as const);
      for (const [place, [index]] of fresh.entries())
        report.note('events', outcomes[place] as ImportOutcome, pathOf(index));
      done += part.length;
      onProgress?.(done, total);
    }
  }
}

const isInstance = (body: unknown): boolean => isFields(body) && typeof body.recurringEventId === 'string';

/** A calendar in place of a refused one, so that what is wrong among its events is found too. */
async function standIn(at: number, { calendars }: SeedTarget): Promise<CalendarRecord> {
  const next = { ...nobodys, id: `calendar ${at}` };
  await calendars.changeCalendar({ calendar: { id: next.id } }, () => ({ next, result: undefined }));
  return next;
}

const nobodys: CalendarRecord = {
  id: 'nobodys',
  owner: 'nobody@example.com',
  timeZone: 'UTC',
  defaultReminders: [],
  acl: [],
};

/** Whether no earlier body of the calendar has its id. */
function isFirst(body: unknown, ids: Set<string>): boolean {
  const id = idOf(body);
  if (id === undefined) return true;
  const isNew = !ids.has(id);
  ids.add(id);
  return isNew;
}

const idOf = (body: unknown): string | undefined =>
  isFields(body) && typeof body.id === 'string' ? body.id : undefined;

const twice = (path: Path, name = ''): Issue => ({
  path,
  reason: 'duplicate',
  message: `${name} stands here twice.`,
});

async function importBucket(
  sent: unknown,
  at: number,
  names: Set<string>,
  { buckets, notifications, hosts, eventTools }: SeedTarget,
  report: ImportReport,
  replaces: boolean,
): Promise<void> {
  const path = ['buckets', at];
  const named = new Report();
  const entry = renameSeedEntry(sent, entryNames.buckets, path, named);
  const issues = issuesOf(bucketForm, entry, path);
  const given = issues.length === 0 ? bucketOf(bucketForm.parse(entry)) : undefined;
  if (given && names.has(given.bucket.name)) issues.push(twice([...path, 'name'], given.bucket.name));
  const bodies = listIn(entry, 'notifications');
  const noteBody = (index: number, state: EntryState, found: readonly Issue[]): void =>
    report.note('subscriptions', { state, issues: found }, [...path, 'notifications', index]);
  if (!given || issues.length > 0) {
    report.note('buckets', { state: 'refused', issues });
    for (const [index, body] of bodies.entries()) noteBody(index, 'refused', issuesOfNotification(body));
    return;
  }
  const { bucket, lastId } = given;
  names.add(bucket.name);
  const now = new Date(eventTools.clock()).toISOString();
  const state = await buckets.changeBucket(
    { name: bucket.name },
    ({ bucket: current, lastId: last }): BucketChange<EntryState> => {
      if (!current) return { next: bucket, lastId, result: 'added' };
      const timeCreated = bucket.timeCreated ?? current.timeCreated;
      const next = replaced(current, { ...bucket, timeCreated }, now, ['idsBefore', 'metageneration']);
      if (next === current)
        return lastId > last ? { next, lastId, result: 'changed' } : { result: 'unchanged' };
      // A client that knows the bucket sees that it is another one.
      const metageneration = Math.max(bucket.metageneration ?? 1, (current.metageneration ?? 1) + 1);
      return { next: { ...next, metageneration }, lastId, result: 'changed' };
    },
  );
  report.note('buckets', { state, warnings: named.warnings });
  const ids = new Set<string>();
  for (const [index, body] of bodies.entries()) {
    if (replaces && !isFirst(body, ids)) {
      noteBody(index, 'refused', [twice(['id'], idOf(body))]);
      continue;
    }
    const outcome = await importNotification(notifications, bucket.name, body, hosts, { replaces });
    noteBody(index, outcome.state, outcome.issues);
  }
}
