import type { z } from 'zod';
import { type Issue, issuesOf, printPath, StartError, type Warning } from '../core/errors.ts';
import { isFields } from '../core/patch.ts';
import { Report } from '../core/report.ts';
import type { BucketStore } from '../bucket/bucket.store.ts';
import type { CalendarStore } from '../calendar/calendar.store.ts';
import type { EventStore } from '../event/event.store.ts';
import type { NotificationStore } from '../notification/notification.store.ts';
import { importEvents } from '../event/event.import.ts';
import type { EventTools } from '../event/event.find.ts';
import type { NotificationHosts } from '../notification/notification.create.ts';
import { importNotification } from '../notification/notification.import.ts';
import type { NotificationRecord } from '../notification/notification.ts';
import {
  bucketForm,
  bucketOf,
  calendarForm,
  calendarOf,
  entryNames,
  renameSeedEntry,
  seedForm,
  type CalendarForm,
} from './form.ts';

export interface SeedTarget {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<NotificationRecord>;
  readonly eventTools: EventTools;
  readonly hosts: NotificationHosts;
  /** Called with the number of events that were read so far, and of all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A seed that breaks rules: the message lists every issue with its path. */
export class SeedError extends StartError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(
      `The seed data is not valid:\n${issues.map(({ path, message }) => `  ${printPath(path) || '(top level)'}: ${message}`).join('\n')}`,
    );
    this.issues = issues;
  }
}

/** Fills an empty store; gives the warnings. Throws SeedError with all issues; what it stored by then is of no use. */
export async function loadSeed(data: unknown, target: SeedTarget): Promise<readonly Warning[]> {
  const issues = issuesOf(seedForm, data);
  const warnings: Warning[] = [];
  const calendars = wellFormed(
    calendarForm,
    namedIn(data, 'calendars', warnings),
    'calendars',
    issues,
    (at) => ({
      id: `calendar ${at}`,
      owner: 'nobody@example.com',
      timeZone: 'UTC',
    }),
  );
  const buckets = wellFormed(bucketForm, namedIn(data, 'buckets', warnings), 'buckets', issues, (at) => ({
    name: `bucket ${at}`,
    project: 'nobodys-project',
  }));
  issues.push(...duplicates(calendars, ({ id }) => id, 'calendars', 'id'));
  issues.push(...duplicates(buckets, ({ name }) => name, 'buckets', 'name'));
  for (const entry of firstOfEach(calendars, ({ id }) => id).values()) {
    const next = calendarOf(entry);
    await target.calendars.changeCalendar({ calendar: { id: next.id } }, () => ({ next, result: undefined }));
  }
  await loadEvents(calendars, target, issues, warnings);
  for (const entry of firstOfEach(buckets, ({ name }) => name).values()) {
    const { bucket, lastId } = bucketOf(entry);
    await target.buckets.changeBucket({ name: bucket.name }, () => ({
      next: bucket,
      lastId,
      result: undefined,
    }));
  }
  for (const [at, { notifications, ...record }] of buckets) {
    for (const [index, body] of notifications.entries()) {
      const found = await importNotification(target.notifications, record.name, body, target.hosts);
      issues.push(
        ...found.issues.map((issue) => ({
          ...issue,
          path: ['buckets', at, 'notifications', index, ...issue.path],
        })),
      );
    }
  }
  if (issues.length > 0) throw new SeedError(issues);
  return warnings;
}

/** The entries of a list in the names of a seed. */
const namedIn = (data: unknown, list: 'calendars' | 'buckets', warnings: Warning[]): readonly unknown[] =>
  listIn(data, list).map((entry, index) => {
    const report = new Report();
    const named = renameSeedEntry(entry, entryNames[list], [list, index], report);
    warnings.push(...report.warnings);
    return named;
  });

/** How many events are handed to the store together. */
const batch = 250;

/** Every calendar's events, series before what was changed of them. */
async function loadEvents(
  calendars: ReadonlyMap<number, CalendarForm>,
  { events: store, eventTools, onProgress }: SeedTarget,
  issues: Issue[],
  warnings: Warning[],
): Promise<void> {
  const total = [...calendars.values()].reduce((sum, { events }) => sum + events.length, 0);
  const inFile = new Set([...calendars.values()].map(({ id }) => id));
  let done = 0;
  for (const [at, { events, ...settings }] of calendars) {
    const record = calendarOf(settings);
    const entries = [...events.entries()].sort(
      ([, a], [, b]) => Number(isInstance(a)) - Number(isInstance(b)),
    );
    for (let first = 0; first < entries.length; first += batch) {
      const part = entries.slice(first, first + batch);
      const found = await importEvents(
        store,
        record,
        part.map(([, body]) => body),
        eventTools,
        { calendars: inFile },
      );
      for (const [place, outcome] of found.entries()) {
        const entry = ['calendars', at, 'events', part[place]?.[0] ?? 0];
        issues.push(...outcome.issues.map((issue) => ({ ...issue, path: [...entry, ...issue.path] })));
        for (const warning of outcome.warnings ?? [])
          warnings.push({ ...warning, path: [...entry, ...warning.path] });
      }
      done += part.length;
      onProgress?.(done, total);
    }
  }
}

export const isInstance = (body: unknown): boolean =>
  isFields(body) && typeof body.recurringEventId === 'string';

/** A list of the seed, none where something else stands in its place. */
export function listIn(data: unknown, name: string): readonly unknown[] {
  const list = isFields(data) ? data[name] : undefined;
  return Array.isArray(list) ? list : [];
}

/**
 * The entries of a list in the form asked for, fields that there are not aside, by their index; what is wrong with any of them
 * joins the issues. An entry with a fault is validated to its end: a stand-in replaces what is wrong.
 */
function wellFormed<Form extends z.ZodObject>(
  form: Form,
  entries: readonly unknown[],
  list: string,
  issues: Issue[],
  standIn: (index: number) => object,
): ReadonlyMap<number, z.infer<Form>> {
  issues.push(...entries.flatMap((entry, index) => issuesOf(form, entry, [list, index])));
  const known = form.strip();
  return new Map(
    entries.flatMap((entry, index) => {
      if (!isFields(entry)) return [];
      const wrong = new Set((known.safeParse(entry).error?.issues ?? []).map(({ path: [name] }) => name));
      const sound = Object.fromEntries(Object.entries(entry).filter(([name]) => !wrong.has(name)));
      const { success, data } = known.safeParse({ ...standIn(index), ...sound });
      return success ? [[index, data as z.infer<Form>] as const] : [];
    }),
  );
}

/** Entries by their name: of those that share one, the first. */
function firstOfEach<T>(
  entries: ReadonlyMap<number, T>,
  nameOf: (entry: T) => string,
): ReadonlyMap<string, T> {
  const first = new Map<string, T>();
  for (const entry of entries.values()) if (!first.has(nameOf(entry))) first.set(nameOf(entry), entry);
  return first;
}

/** An issue for each entry whose name an earlier one has. */
function duplicates<T>(
  entries: ReadonlyMap<number, T>,
  nameOf: (entry: T) => string,
  list: string,
  field: string,
): Issue[] {
  const first = firstOfEach(entries, nameOf);
  return [...entries].flatMap(([index, entry]): Issue[] => {
    const name = nameOf(entry);
    return first.get(name) === entry
      ? []
      : [{ path: [list, index, field], reason: 'duplicate', message: `${name} stands here twice.` }];
  });
}
