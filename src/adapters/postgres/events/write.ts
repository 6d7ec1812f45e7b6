import { sql, type Statement } from '../database.ts';
import { checked, indexKey, insertRows, type Writes } from '../transaction.ts';
import {
  byCalendar,
  type CalendarRow,
  entriesBefore,
  putEntries,
  rowsFor,
  storedAt,
  type StoredReplacement,
  writeEntries,
} from './entries.ts';
import { markedRecord } from './known-records.ts';
import type { Loaded } from './load.ts';
import { grouped } from '../../../core/patch.ts';
import type { ChangeTarget, Decision, SeriesState } from '../../../event/event.store.ts';
import { type EventRecord, idsByCalendar } from '../../../event/model/record.ts';
import { additions, type ChangedException, replaceable } from '../../../event/projection/projection.ts';

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
  if (!next) return additionOf(added ? [added] : [], loaded.zones);
  const { found, exceptionRevisions, exceptions: ofSeries, zones, uidKeys } = loaded;
  const { iCalUID } = target;
  const before = replaceable(found, target).find(({ key }) => key === next.key);
  const series = next.instance && found.series;
  const followers = ofSeries.get(next.key) ?? [];
  const { exceptions, dropped, rows } = rowsFor(
    { before, next, series, exceptions: followers, exception },
    zones,
  );
  const all = added ? [...rows, ...additions(added).flatMap((one) => rowsFor(one, zones).rows)] : rows;
  const home = storedAt(next, series);
  const replacement: StoredReplacement | undefined = before && [
    storedAt(before, series),
    next.key,
    before.version,
    next.version,
    markedRecord(next),
    exceptionRevisions.get(next.key) ?? 0,
  ];
  const staysHome = replacement?.[0] === home;
  // Nobody changes the entry of a record that stays what was loaded.
  const known = isAgain ? new Set<string>() : entriesBefore(before, series, followers);
  const written = writeEntries(byCalendar(all, zones), staysHome ? replacement : undefined, known);
  const isOne = !series && !added && exceptions.length === 0 && iCalUID === undefined;
  const { parts } = written;
  const statements = [
    ...(series ? [reviseExceptions(series)] : []),
    ...(written.record ? [written.record] : []),
    ...(staysHome
      ? exceptions.flatMap(({ before: old, next: one }) =>
          old && one !== old ? [replaceException(old, one, home)] : [],
        )
      : []),
    ...(replacement && !staysHome ? moveHome(replacement, { home, next, exceptions }) : []),
    ...insertEvents([
      ...(replacement ? [] : [{ home, record: next, seriesKey: series?.key ?? null }]),
      ...(staysHome
        ? exceptions.flatMap(({ before: old, next: record }) =>
            old ? [] : [{ home, record, seriesKey: next.key }],
          )
        : []),
      ...(added ? eventsOf(added, added.record.homeId) : []),
    ]),
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
    changed: changedOf(all),
  };
}

/** Adds events that are new by themselves. */
export function additionOf(added: readonly SeriesState[], zones: Loaded['zones']): Write {
  const rows = added.flatMap(additions).flatMap((one) => rowsFor(one, zones).rows);
  return {
    statements: [
      ...insertEvents(added.flatMap((one) => eventsOf(one, one.record.homeId))),
      ...byCalendar(rows, zones).flatMap(putEntries),
    ],
    changed: changedOf(rows),
  };
}

const eventsOf = ({ record, exceptions }: SeriesState, home: string): NewEvent[] => [
  { home, record, seriesKey: null },
  ...exceptions.map((exception) => ({ home, record: exception, seriesKey: record.key })),
];

const changedOf = (rows: readonly CalendarRow[]): string[] =>
  rows.flatMap(({ calendarId, row }) => (row.changed || row.changed_for.length > 0 ? [calendarId] : []));

/** Counts a change of an exception at its series, so that a concurrent change of the series is decided again. */
const reviseExceptions = ({ homeId, key, version }: EventRecord): Statement =>
  checked(
    sql`/* revise exceptions */ UPDATE events SET family = family + 1
      WHERE home_id = ${homeId} AND key = ${key} AND version = ${version} RETURNING 1`,
  );

/**
 * An import that learns of the organizer's calendar later takes the event there, and what was changed of it. The column that tables are
 * spread by is never updated. Who changes an exception counts that at the series first: all of them are as they were loaded.
 */
function moveHome(
  [oldHome, key, before, , , exceptionRevision]: StoredReplacement,
  { home, next, exceptions }: Moved,
): Statement[] {
  return [
    checked(
      sql`/* take event away */ DELETE FROM events WHERE home_id = ${oldHome} AND key = ${key} AND version = ${before}
        AND family = ${exceptionRevision} RETURNING 1`,
    ),
    sql`/* take exceptions away */ DELETE FROM events WHERE home_id = ${oldHome} AND series_key = ${key}`,
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
const replaceException = (before: EventRecord, next: EventRecord, home: string): Statement =>
  checked(sql`/* replace exception */ UPDATE events SET version = ${next.version}, body = ${markedRecord(next)}
    WHERE home_id = ${home} AND key = ${next.key} AND version = ${before.version} RETURNING 1`);

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
          sql`/* drop exceptions */ DELETE FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`,
        ]
      : []),
    ...[...calendars]
      .sort()
      .map(
        (calendarId) =>
          sql`/* drop entries of exceptions */ DELETE FROM places WHERE calendar_id = ${calendarId} AND key = ANY (${keys}::text[])`,
      ),
  ];
}

/** The calendar is locked by then: nobody else adds an event with the same iCalUID. */
const sameUids = (calendarId: string, iCalUID: string, key: string, known: readonly string[]): Statement =>
  checked(
    sql`/* same uids */ SELECT 1 FROM places WHERE calendar_id = ${calendarId} AND ical_uid = ${indexKey(iCalUID)} AND key <> ${key}`,
    known.filter((other) => other !== key).length,
  );

/** Locks the records on which a change failed, an event after its series. */
export function lockStatements({ found }: Loaded): Statement[] {
  const lock = (record: EventRecord, series: EventRecord | undefined): Statement =>
    sql`/* lock event */ SELECT FROM events WHERE home_id = ${storedAt(record, series)} AND key = ${record.key} FOR UPDATE`;
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

/** Rows of one statement, at most: its text grows with them. */
const maxRows = 200;

/** Inserts records of any homes: a statement is about one home. */
const insertEvents = (added: readonly NewEvent[]): Statement[] =>
  [...grouped(added, ({ home }) => home).values()].flatMap((own) =>
    chunks(own, maxRows).map((rows) =>
      insertRows(
        'insert events',
        'events (home_id, key, version, family, series_key, body)',
        rows,
        ({ home, record, seriesKey, exceptionRevision = 0 }, parameter) => [
          parameter(home, 'text'),
          parameter(record.key, 'text'),
          parameter(record.version, 'integer'),
          parameter(exceptionRevision, 'integer'),
          parameter(seriesKey, 'text'),
          parameter(markedRecord(record), 'jsonb'),
        ],
      ),
    ),
  );

const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
