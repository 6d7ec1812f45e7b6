import type { Statement } from '../database.ts';
import {
  entriesBefore,
  putEntries,
  type Rows,
  rowsFor,
  rowsOfAll,
  type StoredReplacement,
  writeEntries,
} from './entries.ts';
import { markedRecord } from './known-records.ts';
import type { Loaded } from './load.ts';
import { indexKey } from '../statements.ts';
import { counting, type Writes } from '../transaction.ts';
import { grouped } from '../../../core/kernel/plain-data.ts';
import type { ChangeTarget, Decision, SeriesState } from '../../../event/event.store.ts';
import { type EventRecord, idsByCalendar } from '../../../event/model/record.ts';
import { additions, type ChangedException, replaceable } from '../../../event/projection/projection.ts';

/** The calendar with which a record is stored: its home, or that of its series. */
const storedAt = (record: EventRecord, series: EventRecord | undefined): string => (series ?? record).homeId;

/** What a change comes to in the database. */
export interface Write extends Writes {
  /** The calendars on which something is to be seen of it. */
  readonly changed: readonly string[];
}

/**
 * Replaces a record and all that is derived of it, unless what was loaded is stored otherwise by now. `isAgain`: an attempt before found
 * what it did not expect, so nothing is taken for granted any more.
 */
export function writeOf(
  { next, exception, added }: Omit<Decision<unknown>, 'outcome' | 'result'>,
  loaded: Loaded,
  target: ChangeTarget,
  isAgain: boolean,
): Write {
  if (!next) return added ? additionOf(added, loaded.zones) : { statements: [], changed: [] };
  const { found, exceptionRevisions, exceptions: ofSeries, zones, uidKeys } = loaded;
  const { iCalUID } = target;
  const before = replaceable(found, target).find(({ key }) => key === next.key);
  const series = next.instance && found.series;
  const followers = ofSeries.get(next.key) ?? [];
  const {
    exceptions,
    dropped,
    entries: own,
  } = rowsFor({ before, next, series, exceptions: followers, exception }, zones);
  const entries = added
    ? rowsOfAll([own, ...additions(added).map((addition) => rowsFor(addition, zones).entries)])
    : own;
  const home = storedAt(next, series);
  const changed = changedOf(entries);
  const replacement: StoredReplacement | undefined = before && [
    storedAt(before, series),
    next.key,
    before.version,
    next.version,
    markedRecord(next),
    exceptionRevisions.get(next.key) ?? 0,
  ];
  const staysHome = replacement?.[0] === home;
  const writes = entries.map(([calendarId, rows]) => ({
    calendarId,
    zone: zones.get(calendarId),
    home,
    rows,
  }));
  // Nobody changes the entry of a record that stays what was loaded.
  const known = isAgain ? new Set<string>() : entriesBefore(before, series, followers);
  const written = writeEntries(writes, staysHome ? replacement : undefined, known);
  const isOne = !series && !added && exceptions.length === 0 && iCalUID === undefined;
  const { parts } = written;
  const statements = [
    ...(series ? [reviseExceptions(series)] : []),
    ...(!replacement ? [insertEvent({ home, record: next, seriesKey: series?.key ?? null })] : []),
    ...(written.record ? [written.record] : []),
    ...(replacement && staysHome
      ? exceptions.flatMap(({ before: old, next: one }) =>
          old && one !== old ? [replaceException(old, one, home)] : [],
        )
      : []),
    ...(replacement && staysHome
      ? insertEvents(
          exceptions.flatMap(({ before: old, next: record }) =>
            old ? [] : [{ home, record, seriesKey: next.key }],
          ),
        )
      : []),
    ...(replacement && !staysHome ? moveHome(replacement, { home, next, exceptions }) : []),
    ...(added ? insertEvents(eventsOf(added, home)) : []),
    ...written.entries,
    ...(replacement ? dropExceptions(dropped, before, home, staysHome) : []),
    ...(iCalUID === undefined || !found.calendar
      ? []
      : [sameUids(found.calendar.id, iCalUID, next.key, uidKeys)]),
  ];
  return {
    statements,
    parts:
      isOne && parts ? () => ({ recordKey: `${home} ${next.key}`, calendarId: home, ...parts() }) : undefined,
    changed,
  };
}

/** A new event by itself. */
function additionOf(added: SeriesState, zones: Loaded['zones']): Write {
  const entries = rowsOfAll(additions(added).map((addition) => rowsFor(addition, zones).entries));
  const home = added.record.homeId;
  return {
    statements: [
      ...insertEvents(eventsOf(added, home)),
      ...entries.flatMap(([calendarId, rows]) =>
        putEntries({ calendarId, zone: zones.get(calendarId), home, rows }),
      ),
    ],
    changed: changedOf(entries),
  };
}

const eventsOf = ({ record, exceptions }: SeriesState, home: string): NewEvent[] => [
  { home, record, seriesKey: null },
  ...exceptions.map((exception) => ({ home, record: exception, seriesKey: record.key })),
];

const changedOf = (entries: Rows['entries']): string[] =>
  entries
    .filter(([, rows]) => rows.some((row) => row.changed || row.changed_for.length > 0))
    .map(([calendarId]) => calendarId);

/** Counts a change of an exception at its series, so that a concurrent change of the series is decided again. */
const reviseExceptions = ({ homeId, key, version }: EventRecord): Statement => ({
  name: 'revise exceptions',
  text: counting(
    'UPDATE events SET family = family + 1 WHERE home_id = $1 AND key = $2 AND version = $3 RETURNING 1',
    '1',
  ),
  values: [homeId, key, version],
});

/**
 * An import that learns of the organizer's calendar later takes the event there, and what was changed of it. The column that tables are
 * spread by is never updated. Who changes an exception counts that at the series first: all of them are as they were loaded.
 */
function moveHome(
  [oldHome, key, before, , , exceptionRevision]: StoredReplacement,
  { home, next, exceptions }: Moved,
): Statement[] {
  return [
    {
      name: 'take event away',
      text: counting(
        'DELETE FROM events WHERE home_id = $1 AND key = $2 AND version = $3 AND family = $4 RETURNING 1',
        '1',
      ),
      values: [oldHome, key, before, exceptionRevision],
    },
    {
      name: 'take exceptions away',
      text: 'DELETE FROM events WHERE home_id = $1 AND series_key = $2',
      values: [oldHome, key],
    },
    ...insertEvents([
      { home, record: next, seriesKey: null, exceptionRevision },
      ...exceptions.map((one) => ({ home, record: one.next, seriesKey: key })),
    ]),
  ];
}

interface Moved {
  readonly home: string;
  readonly next: EventRecord;
  readonly exceptions: readonly ChangedException[];
}

/** The series is locked by its own replacement: nobody else changes an exception of it meanwhile. */
const replaceException = (before: EventRecord, next: EventRecord, home: string): Statement => ({
  name: 'replace exception',
  text: counting(
    'UPDATE events SET version = $4, body = $5 WHERE home_id = $1 AND key = $2 AND version = $3 RETURNING 1',
    '1',
  ),
  values: [home, next.key, before.version, next.version, markedRecord(next)],
});

/** Drops records of removed instances with their entries; where the series moves to another home, only the entries are still there. */
function dropExceptions(
  dropped: readonly EventRecord[],
  series: EventRecord | undefined,
  home: string,
  staysHome: boolean,
): Statement[] {
  if (dropped.length === 0) return [];
  const keys = dropped.map(({ key }) => key);
  const calendars = new Set(dropped.flatMap((old) => [...idsByCalendar(old, series).keys()]));
  return [
    ...(staysHome
      ? [
          {
            name: 'drop exceptions',
            text: 'DELETE FROM events WHERE home_id = $1 AND key = ANY ($2::text[])',
            values: [home, keys],
          },
        ]
      : []),
    ...[...calendars].sort().map((calendarId) => ({
      name: 'drop entries of exceptions',
      text: 'DELETE FROM places WHERE calendar_id = $1 AND key = ANY ($2::text[])',
      values: [calendarId, keys],
    })),
  ];
}

/** The calendar is locked by then: nobody else adds an event with the same iCalUID. */
const sameUids = (calendarId: string, iCalUID: string, key: string, known: readonly string[]): Statement => ({
  name: 'same uids',
  text: counting('SELECT 1 FROM places WHERE calendar_id = $1 AND ical_uid = $2 AND key <> $3', '$4'),
  values: [calendarId, indexKey(iCalUID), key, known.filter((other) => other !== key).length],
});

/** Locks the records on which a change failed, an event after its series. */
export function lockStatements({ found }: Loaded): Statement[] {
  const lock = (record: EventRecord, series: EventRecord | undefined): Statement => ({
    name: 'lock event',
    text: 'SELECT FROM events WHERE home_id = $1 AND key = $2 FOR UPDATE',
    values: [storedAt(record, series), record.key],
  });
  const { series, event } = found;
  return [
    ...(series ? [lock(series, undefined)] : []),
    ...(event ? [lock(event, event.instance && series)] : []),
  ];
}

/** A record that is new where it comes. */
interface NewEvent {
  readonly home: string;
  readonly record: EventRecord;
  readonly seriesKey: string | null;
  /** How often the exceptions of a series had changed where it comes from. */
  readonly exceptionRevision?: number;
}

const columns = 'home_id, key, version, family, series_key, body';
const valuesOf = ({ home, record, seriesKey, exceptionRevision = 0 }: NewEvent): unknown[] => [
  home,
  record.key,
  record.version,
  exceptionRevision,
  seriesKey,
  markedRecord(record),
];

const oneText = `INSERT INTO events (${columns}) VALUES ($1, $2, $3, $4, $5, $6)`;
const insertEvent = (added: NewEvent): Statement => ({
  name: 'insert event',
  text: oneText,
  values: valuesOf(added),
});

/** A statement has so many rows at most: its text grows with them. */
const mostRows = 200;

/** Inserts records of any homes: a statement is about one home, which it has to name itself. */
export function insertEvents(added: readonly NewEvent[]): Statement[] {
  if (added.length <= 1) return added.map(insertEvent);
  const rows = added.map(valuesOf);
  return [...grouped(rows, ([home]) => home as string).values()].flatMap((own) =>
    chunks(own, mostRows).map(insertRows),
  );
}

function insertRows(rows: readonly (readonly unknown[])[]): Statement {
  const [[home] = []] = rows;
  const others = rows.flatMap((row) => row.slice(1));
  const texts = rows.map(
    (_row, index) => `($1, ${[2, 3, 4, 5, 6].map((column) => `$${index * 5 + column}`).join(', ')})`,
  );
  return {
    title: 'insert events',
    text: `INSERT INTO events (${columns}) VALUES ${texts.join(', ')}`,
    values: [home, ...others],
  };
}

const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
