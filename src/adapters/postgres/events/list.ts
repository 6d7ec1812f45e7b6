import { type Database, type Row, sql, type Statement } from '../database.ts';
import { LRUCache } from 'lru-cache';
import { lookupKey } from '../transaction.ts';
import {
  type AtHome,
  earlier,
  eventsOf,
  exceptionEntries,
  exceptionVersionsAt,
  keysByHome,
  markedAt,
  oldestUnsettled,
  readAtHomes,
} from './events-by-id.ts';
import { knownOf, type KnownPage, nothingKnown, type RowWithRecords, withRecords } from './known-records.ts';
import { recordFrom } from '../stored-json.ts';
import {
  type AskedPage,
  comesWithSeries,
  elsewhereColumns,
  isAtOnce,
  maxAtOnce,
  pageByParts,
  pageStatement,
  parentSeries,
  type RowRange,
} from './page-statement.ts';
import type { Revisions } from './revisions.ts';
import { findLikely } from '../find-calendars.ts';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import { grouped } from '../../../core/patch.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type {
  CalendarState,
  EventPage,
  EventQuery,
  EventStore,
  ListedEvent,
  SeriesState,
  StandingEvent,
} from '../../../event/event.store.ts';
import type { EventRecord, StoredEvent } from '../../../event/model/record.ts';

const minRows = 20;
const maxRows = 1000;

/** Values that were read before the page. */
interface ReadBefore {
  /** The number of the calendar's last change. */
  readonly newest?: number | undefined;
  /** Rows of the statements that the page sends first. */
  readonly answers?: readonly (readonly Row[])[] | undefined;
}

/**
 * The events of a calendar that a query finds: the database selects by all but `accepts`, which is applied here, to as many
 * rows at a time as may be needed. By start, all series come apart, beside the others.
 */
export async function listPage(
  database: Database,
  { sinceOf, safeRevision }: Revisions,
  calendarId: string,
  query: EventQuery,
  { newest, answers }: ReadBefore = {},
): Promise<EventPage | undefined> {
  const since = sinceOf(query, newest);
  if (since === false) return undefined;
  const { limit, revision } = query;
  const [entries, series]: [ListedEvent[], ListedEvent[]] = [[], []];
  let [range, seriesRange, read] = [...firstRanges(query), answers];
  /** The oldest change that does not show in full: another node has not brought it to light yet. */
  let unsettled: number | undefined;
  // Each time twice as many: where little is found, the round trips stay few.
  for (let least = 2 * minRows; range || seriesRange; least *= 2) {
    const page = { calendarId, query, ranges: { since, range, seriesRange } };
    const { rows, unsettled: notYet } =
      (await readPage(database, page, knownOf(page), read)) ??
      (await readPage(database, page, nothingKnown)) ??
      unreadable();
    read = undefined;
    unsettled = earlier(unsettled, notYet);
    const found = rows.filter(({ row }) => row.apart !== true);
    const foundSeries = rows.filter(({ row }) => row.apart === true);
    entries.push(...(await acceptedOf(found, query)));
    series.push(...(await acceptedOf(foundSeries, query)));
    const isEnough: boolean = found.length < (range?.rows ?? Infinity) || entries.length > limit;
    range = isEnough
      ? undefined
      : {
          after: lastOf(found, query),
          rows: Math.min(maxRows, Math.max(limit + 1 - entries.length, least)),
        };
    seriesRange =
      foundSeries.length < (seriesRange?.rows ?? Infinity)
        ? undefined
        : { after: lastOf(foundSeries, query), rows: maxRows };
  }
  return {
    entries: entries.slice(0, limit),
    more: entries.length > limit,
    series,
    revision: revision === undefined ? undefined : safeRevision(revision, unsettled),
  };
}

const firstRanges = ({
  order,
  limit,
  after,
}: EventQuery): [range: RowRange | undefined, seriesRange: RowRange | undefined] => [
  { after, rows: Math.min(maxRows, Math.max(limit + 1, minRows)) },
  order === 'start' ? { after: undefined, rows: maxRows } : undefined,
];

/** Statements that `listPage` sends first. */
function firstStatements(calendarId: string, query: EventQuery, since: number | undefined): Statement[] {
  const [range, seriesRange] = firstRanges(query);
  const page = { calendarId, query, ranges: { since, range, seriesRange } };
  return statementsFor(page, knownOf(page));
}

/** The entries of a page, and behind them the versions of records that other calendars kept the last time: these are likely to be asked for. */
const statementsFor = (page: AskedPage, { upTo, keys }: KnownPage): Statement[] => [
  pageStatement(page, upTo),
  ...[...keys].map(([home, own]) => markedAt(noBodies)(home, own)),
];

const noBodies = (): boolean => false;

interface ReadPage {
  readonly rows: readonly RowWithRecords[];
  readonly unsettled: number | undefined;
}

/** Reads without the bodies that are known. Undefined where one of them is needed. */
async function readPage(
  database: Database,
  page: AskedPage,
  known: KnownPage,
  answers?: readonly (readonly Row[])[],
): Promise<ReadPage | undefined> {
  const [first = [], ...came] = answers ?? (await database.read(statementsFor(page, known)));
  const found = isAtOnce(page) ? await entriesOfPage(database, page, first, known.upTo) : first;
  const elsewhere = found.flatMap((row) => (row.elsewhere === null ? [] : [entryOf(row)]));
  if (elsewhere.length === 0) {
    const rows = withRecords(page, found);
    return rows && { rows, unsettled: undefined };
  }
  const { recordOf, unsettled } = await recordsElsewhere(database, page, elsewhere, came.flat(), known.upTo);
  const entries = elsewhere.values();
  const rows = withRecords(
    page,
    found.map((row) =>
      row.elsewhere === null ? row : withRecord(row, entries.next().value as Row, recordOf),
    ),
    keysByHome(elsewhere.filter(({ home_id: home }) => home !== page.calendarId)),
  );
  return rows && { rows, unsettled };
}

/** The entries of a page among all that there are at once, and the series of exceptions that come with these. */
async function entriesOfPage(
  database: Database,
  page: AskedPage,
  found: readonly Row[],
  upTo: number,
): Promise<readonly Row[]> {
  const { range, seriesRange } = page.ranges;
  if (found.length === maxAtOnce) return (await database.read([pageByParts(page, upTo)])).flat();
  let entries = found;
  if (comesWithSeries(page.query)) {
    entries = found.filter(({ along }) => along !== true);
    const here = new Set(entries.map(({ of_series: key }) => key));
    const missing = new Set(
      found.flatMap(({ along, of_series: key }) => (along === true && !here.has(key) ? [key as string] : [])),
    );
    if (missing.size > 0) {
      const series = await database.read([parentSeries(page, upTo, [...missing])]);
      entries = [...entries, ...series.flat()].sort(inOrder);
    }
  }
  return [
    ...entries.filter(({ apart }) => apart !== true).slice(0, range?.rows),
    ...entries.filter(({ apart }) => apart === true).slice(0, seriesRange?.rows),
  ];
}

/** Times may be infinite. */
const inOrder = (a: Row, b: Row): number =>
  a.at === b.at
    ? (a.position as number) - (b.position as number)
    : (a.at as number) < (b.at as number)
      ? -1
      : 1;

const entryOf = ({ elsewhere, change }: Row): Row => {
  const values = JSON.parse(elsewhere as string) as readonly unknown[];
  return Object.fromEntries([
    ['change', change],
    ...elsewhereColumns.map((column, index) => [column, values[index]] as const),
  ]);
};

/**
 * The records of entries that are kept with other calendars: one more round trip, unless all of them came along. Records are read later
 * than their entries, and so are the versions of exceptions that come along with their series: what an entry tells of must show.
 */
async function recordsElsewhere(
  database: Database,
  { calendarId, query }: AskedPage,
  entries: readonly Row[],
  came: readonly Row[],
  upTo: number,
) {
  const likely = new Map(came.map((row) => [`${row.home_id as string} ${row.key as string}`, row]));
  const changed = new Set(
    entries.flatMap(({ key, series_key: series, change }) =>
      (change as number) > upTo ? [key, series] : [],
    ),
  );
  const known = (home: string, key: string): Row | undefined =>
    changed.has(key) ? undefined : likely.get(`${home} ${key}`);
  const others = entries.filter(({ home_id: home }) => home !== calendarId);
  const missing = [...keysByHome(others)]
    .map(([home, keys]) => [home, keys.filter((key) => !known(home, key))] as const)
    .filter(([, keys]) => keys.length > 0);
  const settles = hasSafeRevision(query);
  const series =
    settles && query.expand && query.order !== 'updated'
      ? keysByHome(others.filter(({ recurs }) => recurs === true))
      : new Map<string, string[]>();
  const asked = (at: Iterable<readonly [string, readonly string[]]>, statement: AtHome) =>
    [...at].map(([home, keys]) => [home, keys, statement] as const);
  const read = await readAtHomes(
    database.read,
    [
      ...asked(
        missing,
        markedAt((key) => changed.has(key)),
      ),
      ...asked(series, exceptionVersionsAt),
    ],
    series.size === 0 ? [] : [exceptionEntries(calendarId, [...series.values()].flat())],
  );
  const recordOf = (home: string, key: string): Row | undefined => known(home, key) ?? read.of(home, key);
  return {
    recordOf,
    unsettled: settles ? oldestUnsettled([...entries, ...read.first.flat()], recordOf) : undefined,
  };
}

/** Whether changes may be followed from the page's revision on (`EventPage.revision`). */
const hasSafeRevision = ({ revision, between, iCalUID, updatedMin }: EventQuery): boolean =>
  revision !== undefined && between === undefined && iCalUID === undefined && updatedMin === undefined;

/** A row with the records of its entry, as if they had come with it; without a version where one is missing. */
function withRecord(
  row: Row,
  { home_id: home, key, series_key: seriesKey }: Row,
  recordOf: (home: string, key: string) => Row | undefined,
): Row {
  const record = recordOf(home as string, key as string);
  const series = seriesKey === null ? none : recordOf(home as string, seriesKey as string);
  if (!record || !series) return row;
  return {
    ...row,
    version: record.version,
    mark: record.mark,
    body: record.body,
    series_version: series.version,
    series_mark: series.mark,
    series: series.body,
  };
}

const none: Row = { version: null, mark: null, body: null };

function unreadable(): never {
  throw new Error('a page came without its bodies');
}

/** The events that the query accepts, without those whose record is not to be found; yields to other requests. */
async function acceptedOf(
  rows: readonly RowWithRecords[],
  { order, accepts }: EventQuery,
): Promise<ListedEvent[]> {
  const accepted: ListedEvent[] = [];
  for (const { row, record, series } of rows) {
    if (!record) continue;
    const turn = eventLoop.enter();
    if (turn) await turn;
    const entry = listed(row, { record, series }, order);
    if (accepts(entry)) accepted.push(entry);
  }
  return accepted;
}

// Not made in the loop above: V8 optimizes an async function worse, and a page of a week took 15 % more CPU.
const listed = (row: Row, { record, series }: StoredEvent, order: EventQuery['order']): ListedEvent => ({
  position: row.position as number,
  at: momentOf(row, order),
  record,
  ...(series && { series }),
  ...(row.never_seen === true && { neverSeen: true }),
  ...(row.was_series === true && { wasSeries: true }),
});

/** The second part of a sort key: the start, where entries are not in the order of their positions. */
const momentOf = (row: Row, order: EventQuery['order']): number =>
  order === 'position' ? 0 : (row.at as number);

const lastOf = (rows: readonly RowWithRecords[], { order }: EventQuery): RowRange['after'] => {
  const last = rows.at(-1);
  return last && { position: last.row.position as number, at: momentOf(last.row, order) };
};

/** Events on a calendar in the order of ids by code unit, whatever order the database has. */
export async function findBehind(
  database: Database,
  calendarId: string,
  eventId: string,
  limit: number,
): Promise<StandingEvent[]> {
  const entries =
    await database.query(sql`/* entries behind */ SELECT event_id, home_id, key, series_key FROM places
    WHERE calendar_id = ${lookupKey(calendarId)} AND event_id COLLATE "C" > ${eventId} ORDER BY event_id COLLATE "C" LIMIT ${limit}`);
  const events = await eventsOf(database.read, entries);
  return events.map(({ entry, ...event }) => ({ eventId: entry.event_id as string, ...event }));
}

/** Series as they are now, with their exceptions, which are stored with them; one that has not changed is not read again. */
export async function findExceptions(
  database: Database,
  series: readonly EventRecord[],
): Promise<SeriesState[]> {
  const homes = grouped(
    series.map((record, place) => ({ record, place })),
    ({ record }) => record.homeId,
  );
  const rows = await database.read(
    [...homes].map(([home, own]) => {
      const [keys, versions] = [own.map(({ record }) => record.key), own.map(({ record }) => record.version)];
      return sql`/* exceptions at home */ SELECT asked.place, CASE WHEN s.version <> asked.version THEN s.body END AS series, x.body
      FROM unnest(${keys}::text[], ${versions}::int[], ${own.map(({ place }) => place)}::int[]) AS asked (key, version, place)
      JOIN events s ON s.home_id = ${home} AND s.key = asked.key
      LEFT JOIN events x ON x.home_id = $4 AND x.series_key = s.key`;
    }),
  );
  const byPlace = grouped(rows.flat(), ({ place }) => String(place));
  return series.map((record, index) => {
    const own = byPlace.get(String(index)) ?? [];
    const [first] = own;
    return {
      record: first && first.series !== null ? recordFrom(first.series) : record,
      exceptions: own.flatMap(({ body }) => (body === null ? [] : recordFrom(body))),
    };
  });
}

/** How many references to calendars are remembered. */
const mostGuesses = 10_000;

/**
 * Reads a calendar and its page in one round trip: a page is asked for that would be right if the calendar were what it was
 * last time, and it is used where the calendar is just that.
 */
export function createFirstPage(database: Database, revisions: Revisions): EventStore['listCalendar'] {
  const { stateOf, sinceOf } = revisions;
  const guesses = new LRUCache<string, CalendarState>({ max: mostGuesses });

  return async (ref: CalendarRef, queryOf): Promise<EventPage | undefined> => {
    const key = JSON.stringify(ref);
    const guess = guesses.get(key);
    const guessed = guess && guessedQuery(guess, queryOf);
    const since = guessed && sinceOf(guessed);
    const isGuessed = guess && guessed && since !== false;
    const first = isGuessed ? firstStatements(guess.calendar.id, guessed, since) : [];
    const [found, answers] = await findLikely(database, ref, guess?.calendar.id, first);
    const state = stateOf(found);
    if (guessed && state?.calendar === guess.calendar && state.revision === guess.revision)
      return listPage(database, revisions, state.calendar.id, guessed, { newest: found?.changes, answers });
    const query = queryOf(state);
    if (!state) return undefined;
    guesses.set(key, state);
    return listPage(database, revisions, state.calendar.id, query, {
      newest: found?.changes,
      answers: isGuessed && state.calendar === guess.calendar ? answers : undefined,
    });
  };
}

/** Undefined where the calendar, as it was, is not for this caller, or the request is a wrong one: the calendar as it is decides. */
function guessedQuery(
  guess: CalendarState,
  queryOf: (state: CalendarState) => EventQuery,
): EventQuery | undefined {
  try {
    return queryOf(guess);
  } catch {
    return undefined;
  }
}
