import type { EventQuery } from '../../../event/event.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import type { KnownPage } from '../events/known-records.ts';
import {
  armsFor,
  bringsSeries,
  broughtBy,
  conditionsOf,
  keysText,
  partsOf,
  termsOf,
  type AskedPage,
  type Terms,
} from '../events/page-statement.ts';
import { namedByText, namedByTexts, type Parameter } from '../named-by-text.ts';
import { queryEach } from './by-keys.ts';
import { exceptionVersionsAt, keysByHome, markedAt, readAtHomes, type AtHome } from './records-at-home.ts';
import { oldestUnsettled, settlingColumns } from './settled.ts';

const termsFor = (page: AskedPage, parameter: Parameter): Terms =>
  termsOf(page, parameter, ['recurs', ...settlingColumns.slice(3)]);

/**
 * The entries of a calendar that a query asks for, and then the keys of series of which it asks for changed instances. Each statement
 * names one table, once: those Citus plans in no time. All that there is in a short time is read by one, and behind it, as they are
 * likely to be asked for, the versions of the records that were there last time.
 */
export const spreadPageStatements = (page: AskedPage, { keys }: KnownPage): Statement[] =>
  isAtOnce(page)
    ? [atOnceStatement(page), ...[...keys].map(([home, own]) => markedAt(noBodies)(home, own))]
    : partStatements(page);

const noBodies = (): boolean => false;

/** Rows of a short time at once; where there are more, each kind is read by itself. */
const mostAtOnce = 500;

/** On a cluster a statement more costs what many rows cost. */
const isAtOnce = ({ query, ranges: { since, range, seriesRange } }: AskedPage): boolean =>
  query.order === 'start' &&
  isShort(query) &&
  query.iCalUID === undefined &&
  since === undefined &&
  [range, seriesRange].every((one) => one !== undefined && one.after === undefined);

const atOnceStatement = (page: AskedPage): Statement =>
  namedByText('list events at once', (parameter) => {
    const { columns, calendar, askedFor, starts, at, seenChange } = termsFor(page, parameter);
    return `SELECT home_id, key, series_key, position, series_change, ${at} AS at, recurs AS apart, ${seenChange} AS seen_change, along, cancelled${columns}
  FROM places WHERE calendar_id = ${calendar} AND ${askedFor} AND (NOT long AND ${starts} OR long) LIMIT ${parameter(mostAtOnce, 'bigint')}`;
  });

/** What the statements of each kind would have found. */
const chosenOf = (rows: readonly Row[], { cancelled, expand }: EventQuery): Row[] =>
  rows.flatMap((row) => {
    if (expand && row.along === true) return row.series_key === null ? [] : [{ series_key: row.series_key }];
    return cancelled || row.cancelled !== true ? [row] : [];
  });

const partStatements = (page: AskedPage): Statement[] =>
  namedByTexts('list events', (parameter) => {
    const { query } = page;
    const terms = termsFor(page, parameter);
    const within = terms.starts === undefined ? [] : [`(NOT long AND ${terms.starts} OR long)`];
    const parts = partsOf(page);
    return [
      ...parts.flatMap(([kind, range]) =>
        (isWalked(query) || kind === 'recurs'
          ? conditionsOf(query, terms, kind)
          : [[terms.askedFor, ...within]]
        ).map(armsFor(query, terms, range, kind).arm),
      ),
      ...(parts.some(([kind]) => bringsSeries(query, terms, kind)) ? [keysText(terms, ...within)] : []),
    ];
  });

/** Milliseconds. What lies within so long a time is few. */
const shortTime = 45 * 86_400_000;

/** Whether an index is walked in its order until there are enough; else all is sorted, and may be found by two indexes at once. */
const isWalked = (query: EventQuery): boolean => query.order === 'start' && !isShort(query);

const isShort = ({ between }: EventQuery): boolean =>
  between !== undefined && between.to - between.from <= shortTime;

/** Series of which the query asks for changed instances, though not for them. */
const broughtStatements = (page: AskedPage, keys: readonly string[]): Statement[] =>
  namedByTexts('list series', (parameter) => {
    const terms = termsFor(page, parameter);
    const brought = broughtBy(terms, `= ANY (${parameter(keys, 'text[]')})`);
    return partsOf(page)
      .filter(([kind]) => bringsSeries(page.query, terms, kind))
      .map(([kind, range]) => armsFor(page.query, terms, range, kind).arm([brought]));
  });

/** Rows of a page with the versions and marks of their records, and the bodies that were asked for; `version` is null where one is missing. */
export interface WholeRows {
  readonly rows: readonly Row[];
  readonly keys?: KnownPage['keys'];
  /** The number of the oldest change that the rows do not show in full. */
  readonly unsettled: number | undefined;
}

/**
 * The page that `spreadPageStatements` found the entries of, with their records: one more round trip, unless all of them came along.
 * They are read later than the entries, and so are the versions of exceptions that come along with their series: what an entry tells of
 * must show. Bodies come of entries that changed later than what is known.
 */
export async function spreadPage(
  database: Database,
  page: AskedPage,
  answers: readonly (readonly Row[])[],
  { upTo }: KnownPage,
): Promise<WholeRows> {
  const {
    calendarId,
    query,
    ranges: { since },
  } = page;
  const rows = await entriesOf(database, page, await foundOf(database, page, answers));
  if (rows.length === 0) return { rows, unsettled: undefined };
  const keys = keysByHome(rows);
  const came = recordsIn(isAtOnce(page) ? answers.slice(1).flat() : []);
  const changed = new Set(
    rows.flatMap(({ key, series_key: series, change }) => ((change as number) > upTo ? [key, series] : [])),
  );
  const missing = [...keys]
    .map(([home, own]) => [home, own.filter((key) => changed.has(key) || !came(home, key))] as const)
    .filter(([, own]) => own.length > 0);
  const series =
    query.settles && query.expand && query.order !== 'updated'
      ? keysByHome(rows.filter(({ recurs, home_id: home }) => recurs === true && home !== calendarId))
      : new Map<string, string[]>();
  const asked = (at: Iterable<readonly [string, readonly string[]]>, statement: AtHome) =>
    [...at].map(([home, own]) => [home, own, statement] as const);
  const read = await readAtHomes(
    database,
    [
      ...asked(
        missing,
        markedAt((key) => changed.has(key)),
      ),
      ...asked(series, exceptionVersionsAt),
    ],
    series.size === 0 ? [] : [exceptionEntries(calendarId, [...series.values()].flat())],
  );
  const recordOf = (home: string, key: string): Row | undefined =>
    (changed.has(key) ? undefined : came(home, key)) ?? read.of(home, key);
  const versionRead = (home: string, key: string): number | undefined =>
    recordOf(home, key)?.version as number | undefined;
  // Entries are written together with records of their calendar, which may only be taken to another home meanwhile.
  const isDoubtful = ({ home_id: home, key }: Row): boolean =>
    home !== calendarId || recordOf(home, key as string) === undefined;
  return {
    rows: rows.map((row) => rowOf(row, since, recordOf)),
    keys,
    unsettled: query.settles
      ? oldestUnsettled([...rows.filter(isDoubtful), ...read.first.flat()], versionRead)
      : undefined,
  };
}

function recordsIn(found: readonly Row[]): (home: string, key: string) => Row | undefined {
  const records = new Map(found.map((row) => [`${row.home_id as string} ${row.key as string}`, row]));
  return (home, key) => records.get(`${home} ${key}`);
}

/** The entries that statements found; where there are too many to be read at once, those of each kind. */
async function foundOf(
  database: Database,
  page: AskedPage,
  answers: readonly (readonly Row[])[],
): Promise<readonly Row[]> {
  const [first = []] = answers;
  if (!isAtOnce(page)) return answers.flat();
  return first.length < mostAtOnce
    ? chosenOf(first, page.query)
    : (await queryEach(database, partStatements(page))).flat();
}

/** The entries of a page in order, and the series apart. One that changed between two statements came by both. */
async function entriesOf(
  database: Database,
  page: AskedPage,
  found: readonly Row[],
): Promise<readonly Row[]> {
  const { range, seriesRange } = page.ranges;
  const entries = new Map<unknown, Row>(
    found.flatMap((row) => (row.key === undefined ? [] : [[row.key, row] as const])),
  );
  const missing = new Set(
    found.flatMap(({ key, series_key: series }) =>
      key === undefined && !entries.has(series) ? [series as string] : [],
    ),
  );
  const brought = missing.size === 0 ? [] : await queryEach(database, broughtStatements(page, [...missing]));
  const all = [...entries.values(), ...brought.flat()].sort(inOrder);
  return [
    ...all.filter(({ apart }) => apart !== true).slice(0, range?.rows),
    ...all.filter(({ apart }) => apart === true).slice(0, seriesRange?.rows),
  ];
}

/** Times may be infinite. */
const inOrder = (a: Row, b: Row): number =>
  a.at === b.at
    ? (a.position as number) - (b.position as number)
    : (a.at as number) < (b.at as number)
      ? -1
      : 1;

/** A row as that of `pageStatement`; without a version where a record is missing. */
function rowOf(row: Row, since: number | undefined, of: (home: string, key: string) => Row | undefined): Row {
  const { home_id: home, series_key: seriesKey, position, at, apart, change } = row;
  const [found, foundSeries] = [
    of(home as string, row.key as string),
    seriesKey === null ? none : of(home as string, seriesKey as string),
  ];
  const [record, series] = found && foundSeries ? [found, foundSeries] : [none, none];
  return {
    position,
    at,
    apart,
    change,
    never_seen: row.seen_change === 0,
    was_series: since !== undefined && (row.series_change as number) > since,
    version: record.version,
    mark: record.mark,
    body: record.body,
    series_version: series.version,
    series_mark: series.mark,
    series: series.body,
  };
}

const none: Row = { version: null, mark: null, body: null };

/** The entries of exceptions on a calendar, which lists of instances do not read. */
const exceptionEntries = (calendarId: string, series: readonly string[]): Statement => ({
  name: 'entries of exceptions',
  text: `SELECT ${settlingColumns.join(', ')} FROM places WHERE calendar_id = $1 AND series_key = ANY ($2::text[])`,
  values: [calendarId, series],
});
