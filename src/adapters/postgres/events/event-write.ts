import type { ChangeTarget, Decision, SeriesState } from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import type { Statement } from '../database.ts';
import type { Loaded } from './event-load.ts';
import { additions, type ChangedException } from '../../../event/projection/projection.ts';
import { replaceable } from '../../../event/projection/replaceable.ts';
import { indexKey } from '../lookup.ts';
import { rowsFor, rowsOfAll, type Rows } from './entry-rows.ts';
import { replaceAtHome, replaceRecord, writeEntries, type StoredReplacement } from './entry-statements.ts';
import { toStored } from '../stored-json.ts';
import { counting } from '../transaction.ts';

/** The calendar with which a record is stored: its home, or that of its series. */
const storedAt = (record: EventRecord, series: EventRecord | undefined): string => (series ?? record).homeId;

/** What a change comes to in the database. */
export interface Write {
  readonly statements: readonly Statement[];
  /** The calendars on which something is to be seen of it. */
  readonly changed: readonly string[];
}

/** Replaces a record and all that is derived of it, unless what was loaded is stored otherwise by now. */
export function writeOf({ next, exception, added }: Omit<Decision<unknown>, 'outcome' | 'result'>, loaded: Loaded, target: ChangeTarget): Write {
  if (!next) return added ? additionOf(added, loaded.zones) : { statements: [], changed: [] };
  const { found, exceptionRevisions, exceptions: known, zones, uidKeys } = loaded;
  const { iCalUID } = target;
  const before = replaceable(found, target).find(({ key }) => key === next.key);
  const series = next.instance && found.series;
  const { exceptions, entries: own } = rowsFor({ before, next, series, exceptions: known.get(next.key) ?? [], exception }, zones);
  const entries = added ? rowsOfAll([own, ...additions(added).map((addition) => rowsFor(addition, zones).entries)]) : own;
  const home = storedAt(next, series);
  const changed = changedOf(entries);
  const [first, ...others] = entries;
  const replacement: StoredReplacement | undefined = before && [storedAt(before, series), next.key, before.version, next.version, toStored(next), exceptionRevisions.get(next.key) ?? 0];
  if (replacement?.[0] === home && first?.[0] === home && others.length === 0 && !series && !added && exceptions.length === 0 && iCalUID === undefined) {
    return { statements: [replaceAtHome(replacement, first[1], zones.get(home))], changed };
  }
  const statements = [
    ...(series ? [reviseExceptions(series)] : []),
    ...(replacement ? replace(replacement, home) : [insert(next, home, series)]),
    ...exceptions.filter((one) => one.next !== one.before).map((one) => replaceException(one, home)),
    ...(added ? [insertSeries(added, home)] : []),
    ...entries.map(([calendarId, rows]) => writeEntries({ calendarId, zone: zones.get(calendarId), home, rows })),
    ...(iCalUID === undefined || !found.calendar ? [] : [sameUids(found.calendar.id, iCalUID, next.key, uidKeys)]),
  ];
  return { statements, changed };
}

/** A new event by itself. */
function additionOf(added: SeriesState, zones: Loaded['zones']): Write {
  const entries = rowsOfAll(additions(added).map((addition) => rowsFor(addition, zones).entries));
  const home = added.record.homeId;
  return { statements: [insertSeries(added, home), ...entries.map(([calendarId, rows]) => writeEntries({ calendarId, zone: zones.get(calendarId), home, rows }))], changed: changedOf(entries) };
}

const changedOf = (entries: Rows['entries']): string[] =>
  entries.filter(([, rows]) => rows.some((row) => row.changed || row.changed_for.length > 0)).map(([calendarId]) => calendarId);

/** Counts a change of an exception at its series, so that a concurrent change of the series is decided again. */
const reviseExceptions = ({ homeId, key, version }: EventRecord): Statement => ({
  name: 'revise exceptions',
  text: counting('UPDATE events SET family = family + 1 WHERE home_id = $1 AND key = $2 AND version = $3 RETURNING 1', '1'),
  values: [homeId, key, version],
});

const insert = (next: EventRecord, home: string, series: EventRecord | undefined): Statement => ({
  name: 'insert event',
  text: 'INSERT INTO events (home_id, key, version, series_key, body) VALUES ($1, $2, $3, $4, $5)',
  values: [home, next.key, next.version, series?.key ?? null, toStored(next)],
});

const insertSeries = ({ record, exceptions }: SeriesState, home: string): Statement => ({
  name: 'insert series',
  text: 'INSERT INTO events (home_id, key, version, series_key, body) SELECT $1, * FROM unnest($2::text[], $3::int[], $4::text[], $5::jsonb[])',
  values: [
    home, [record, ...exceptions].map(({ key }) => key), [record, ...exceptions].map(({ version }) => version),
    [null, ...exceptions.map(() => record.key)], [record, ...exceptions].map((each) => toStored(each)),
  ],
});

function replace(replacement: StoredReplacement, home: string): Statement[] {
  const [oldHome, key] = replacement;
  const update = replaceRecord(replacement);
  if (home === oldHome) return [update];
  // An import that learns of the organizer's calendar later takes the event there, and what was changed of it.
  return [update, { text: 'UPDATE events SET home_id = $3 WHERE home_id = $1 AND (key = $2 OR series_key = $2)', values: [oldHome, key, home] }];
}

/** The series is locked by its own replacement: nobody else changes an exception of it meanwhile. */
const replaceException = ({ before, next }: ChangedException, home: string): Statement => ({
  name: 'replace exception',
  text: counting('UPDATE events SET version = $4, body = $5 WHERE home_id = $1 AND key = $2 AND version = $3 RETURNING 1', '1'),
  values: [home, next.key, before.version, next.version, toStored(next)],
});

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
  return [...(series ? [lock(series, undefined)] : []), ...(event ? [lock(event, event.instance && series)] : [])];
}
