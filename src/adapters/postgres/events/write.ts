import { sql, type Statement } from '../database.ts';
import { withRowCountCheck, type Writes } from '../transaction.ts';
import { indexKey, insertRows, splitIntoChunks } from '../statements.ts';
import {
  groupByCalendar,
  type CalendarRow,
  projectRows,
  homeOfRecord,
  type ZoneOf,
  putEntries,
  type WriteMode,
  writeEntries,
} from './entries.ts';
import { serializeMarked } from '../stored-json.ts';
import type { LoadedChange } from './load.ts';
import { groupByKey } from '../../../core/json.ts';
import type { ChangeTarget, Decision, SeriesState } from '../../../event/event.store.ts';
import { type EventRecord, idsByCalendar, isRetired } from '../../../event/model/record.ts';
import {
  replacementsForNewSeries,
  type ChangedException,
  replaceableRecords,
} from '../../../event/projection/projection.ts';

/** Statements of an event change, and the calendars that show it. */
export interface EventWrites extends Writes {
  /** Calendars on which the change is visible. */
  readonly changedCalendars: readonly string[];
}

/** Builds statements that replace a record and its entries and fail if the state is outdated. */
export function buildChange(
  { next, exceptions: decidedExceptions, added = [], replaced = [] }: Decision<unknown>,
  loadedChange: LoadedChange,
  target: ChangeTarget,
  mode: WriteMode,
): EventWrites {
  if (!next) return buildAdditions(added, loadedChange.state.zoneOf);
  const { state, exceptions: exceptionsBySeries, exceptionRevisions, uidKeys } = loadedChange;
  const { zoneOf } = state;
  const { iCalUID } = target;
  const storedRecords = replaceableRecords(state, target);
  const before = storedRecords.get(next.key);
  const series = next.instance && state.series;
  const previousExceptions = exceptionsBySeries.get(next.key) ?? [];
  const { exceptions, deletedExceptions, rows } = projectRows(
    { before, next, series, exceptions: previousExceptions, decidedExceptions },
    zoneOf,
  );
  const otherChanges = replaced.map((record) =>
    buildOtherReplacement(record, storedRecords.get(record.key), loadedChange),
  );
  const allRows = [
    ...rows,
    ...projectAdditions(added, zoneOf),
    ...otherChanges.flatMap((change) => change.rows),
  ];
  const home = homeOfRecord(next, series);
  const exceptionRevision = exceptionRevisions.get(next.key) ?? 0;
  const newExceptions = exceptions.filter(({ before: previous }) => !previous);
  const isSameHome = before !== undefined && homeOfRecord(before, series) === home;
  // Records precede entries, so that no transaction waits for a record while it holds a calendar's counter.
  const recordStatements = [
    ...(series ? [bumpExceptionRevision(series)] : []),
    ...(isSameHome ? [replaceRecord(home, before, next, exceptionRevision)] : []),
    ...otherChanges.map((change) => change.statement),
    ...(isSameHome
      ? exceptions.flatMap(({ before: previous, next: exception }) =>
          // The replaced series is locked, so no exception of it changes meanwhile.
          previous && exception !== previous ? [replaceRecord(home, previous, exception)] : [],
        )
      : []),
    ...(before && !isSameHome
      ? moveHome(homeOfRecord(before, series), before, exceptionRevision, home, next, exceptions)
      : []),
    ...insertEvents([
      ...(before ? [] : [{ home, record: next, seriesKey: series?.key ?? null }]),
      ...(isSameHome || !before
        ? newExceptions.map(({ next: record }) => ({ home, record, seriesKey: next.key }))
        : []),
      ...added.flatMap(toNewEvents),
    ]),
  ];
  const calendars = groupByCalendar(allRows, zoneOf);
  const entryStatements = writeEntries(calendars, mode);
  const exceptionKeys = new Set(previousExceptions.map(({ key }) => key));
  // The entries of retired events lose the iCalUID before it is checked.
  const retiredKeys = new Set(replaced.filter(isRetired).map(({ key }) => key));
  const otherStatements = [
    ...(before ? dropExceptions(deletedExceptions, before, home, isSameHome) : []),
    ...(iCalUID === undefined || !state.calendar
      ? []
      : [
          checkUids(
            target.destinationId ?? state.calendar.id,
            iCalUID,
            next.key,
            uidKeys.filter((key) => key !== next.key && !exceptionKeys.has(key) && !retiredKeys.has(key))
              .length + added.length,
          ),
        ]),
    ...[...loadedChange.importedKeys].flatMap(([calendarId, keys]) =>
      next.copies[calendarId] && next.core.iCalUID !== undefined && calendarId !== state.calendar?.id
        ? [checkImported(calendarId, next.core.iCalUID, keys.filter((key) => !retiredKeys.has(key)).length)]
        : [],
    ),
  ];
  const [recordStatement, ...otherRecordStatements] = recordStatements;
  const isOnlyOnHome = calendars.length === 1 && calendars[0]?.calendarId === home;
  const isSplittable = isOnlyOnHome && otherRecordStatements.length + otherStatements.length === 0;
  return {
    statements: [...recordStatements, ...entryStatements, ...otherStatements],
    splitWrites:
      isSameHome && recordStatement && isSplittable
        ? {
            recordKey: `${home} ${next.key}`,
            record: recordStatement,
            calendarId: home,
            entries: entryStatements,
          }
        : undefined,
    changedCalendars: changedCalendarIds(allRows),
  };
}

/** Writes that replace an imported event beside the event of the change. */
function buildOtherReplacement(
  next: EventRecord,
  before: EventRecord | undefined,
  { state, exceptions: exceptionsBySeries, exceptionRevisions }: LoadedChange,
) {
  if (!before) throw new Error('An event that was not loaded cannot be replaced.');
  const exceptions = exceptionsBySeries.get(next.key) ?? [];
  return {
    rows: projectRows({ before, next, series: undefined, exceptions }, state.zoneOf).rows,
    statement: replaceRecord(before.homeId, before, next, exceptionRevisions.get(next.key) ?? 0),
  };
}

/** Replaces a record; fails if it changed meanwhile, or with `exceptionRevision` if an exception of the series did. */
const replaceRecord = (
  home: string,
  before: EventRecord,
  next: EventRecord,
  exceptionRevision?: number,
): Statement =>
  withRowCountCheck(sql`/* replace event */ UPDATE events SET version = ${next.version}, body = ${serializeMarked(next)}
    WHERE home_id = ${home} AND key = ${next.key} AND version = ${before.version}
      AND family = coalesce(${exceptionRevision ?? null}::integer, family) RETURNING 1`);

const projectAdditions = (added: readonly SeriesState[], zoneOf: ZoneOf): CalendarRow[] =>
  added.flatMap(replacementsForNewSeries).flatMap((addition) => projectRows(addition, zoneOf).rows);

/** Builds statements that insert new events or series, which fail if an id is taken. */
export function buildAdditions(added: readonly SeriesState[], zoneOf: ZoneOf): EventWrites {
  const rows = projectAdditions(added, zoneOf);
  return {
    statements: [
      ...insertEvents(added.flatMap(toNewEvents)),
      ...groupByCalendar(rows, zoneOf).flatMap(putEntries),
    ],
    changedCalendars: changedCalendarIds(rows),
  };
}

const toNewEvents = ({ record, exceptions }: SeriesState): NewEvent[] => [
  { home: record.homeId, record, seriesKey: null },
  ...exceptions.map((exception) => ({ home: record.homeId, record: exception, seriesKey: record.key })),
];

/** Calendars whose readers see the change of a row. */
const changedCalendarIds = (rows: readonly CalendarRow[]): string[] =>
  rows.flatMap(({ calendarId, row }) => (row.changed || row.changed_for.length > 0 ? [calendarId] : []));

/** Counts a change of an exception at its series, so that a concurrent change of the series conflicts. */
const bumpExceptionRevision = ({ homeId, key, version }: EventRecord): Statement =>
  withRowCountCheck(
    sql`/* revise exceptions */ UPDATE events SET family = family + 1
      WHERE home_id = ${homeId} AND key = ${key} AND version = ${version} RETURNING 1`,
  );

/** Moves an event, as when an organizer's import follows a guest's. Citus cannot update a distribution column, so rows are deleted and inserted. */
function moveHome(
  oldHome: string,
  { key, version }: EventRecord,
  exceptionRevision: number,
  home: string,
  next: EventRecord,
  exceptions: readonly ChangedException[],
): Statement[] {
  return [
    withRowCountCheck(
      sql`/* take event away */ DELETE FROM events WHERE home_id = ${oldHome} AND key = ${key} AND version = ${version}
        AND family = ${exceptionRevision} RETURNING 1`,
    ),
    sql`/* take exceptions away */ DELETE FROM events WHERE home_id = ${oldHome} AND series_key = ${key}`,
    ...insertEvents([
      { home, record: next, seriesKey: null, exceptionRevision },
      ...exceptions.map((exception) => ({ home, record: exception.next, seriesKey: key })),
    ]),
  ];
}

/** Drops records of removed instances with their entries; if the series moved to another home, only entries are left. */
function dropExceptions(
  droppedExceptions: readonly EventRecord[],
  series: EventRecord | undefined,
  home: string,
  isSameHome: boolean,
): Statement[] {
  if (droppedExceptions.length === 0) return [];
  const keys = droppedExceptions.map(({ key }) => key);
  const calendars = new Set(
    droppedExceptions.flatMap((exception) => [...idsByCalendar(exception, series).keys()]),
  );
  const dropRecords = sql`/* drop exceptions */ DELETE FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
  return [
    ...(isSameHome ? [dropRecords] : []),
    ...[...calendars]
      .sort()
      .map(
        (calendarId) =>
          sql`/* drop entries of exceptions */ DELETE FROM places WHERE calendar_id = ${calendarId} AND key = ANY (${keys}::text[])`,
      ),
  ];
}

/** Fails unless `count` events have the iCalUID besides this one and its exceptions. The calendar is locked, so none is added afterwards. */
const checkUids = (calendarId: string, iCalUID: string, key: string, count: number): Statement =>
  withRowCountCheck(
    sql`/* same uids */ SELECT 1 FROM places WHERE calendar_id = ${calendarId} AND ical_uid = ${indexKey(iCalUID)} AND key <> ${key} AND series_key IS DISTINCT FROM ${key}`,
    count,
  );

/** Fails unless `count` events with the iCalUID are stored on a guest's calendar. The first copy there would replace an imported one. */
const checkImported = (calendarId: string, iCalUID: string, count: number): Statement =>
  withRowCountCheck(
    sql`/* same imports */ SELECT 1 FROM places WHERE calendar_id = ${calendarId} AND home_id = ${calendarId} AND ical_uid = ${indexKey(iCalUID)} AND series_key IS NULL`,
    count,
  );

/** Locks the records of a conflict, an event after its series. */
export function lockRecords({ state }: LoadedChange): Statement[] {
  const lockRecord = (record: EventRecord, series: EventRecord | undefined): Statement =>
    sql`/* lock event */ SELECT FROM events WHERE home_id = ${homeOfRecord(record, series)} AND key = ${record.key} FOR UPDATE`;
  const { series, event } = state;
  return [
    ...(series ? [lockRecord(series, undefined)] : []),
    ...(event ? [lockRecord(event, event.instance && series)] : []),
  ];
}

/** A new row of the table `events`. */
interface NewEvent {
  readonly home: string;
  readonly record: EventRecord;
  readonly seriesKey: string | null;
  readonly exceptionRevision?: number;
}

/** Maximum rows of one INSERT, whose text grows with them. */
const maxRowsPerInsert = 200;

const insertEvents = (added: readonly NewEvent[]): Statement[] =>
  [...groupByKey(added, ({ home }) => home).values()]
    .flatMap((homeEvents) => splitIntoChunks(homeEvents, maxRowsPerInsert))
    .map((rows) =>
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
          parameter(serializeMarked(record), 'jsonb'),
        ],
      ),
    );
