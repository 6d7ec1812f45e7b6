import type { EventQuery } from '../../../event/event.store.ts';
import type { Statement } from '../database.ts';
import { buildStatement, indexKey, type Parameter } from '../statements.ts';
import { minLongMs } from './entries.ts';

/** Rows to read: those after a cursor, up to a limit. */
export interface RowRange {
  readonly after: EventQuery['after'];
  readonly maxRows: number;
}

/** SQL condition for the kind of entries that a query selects: all, series, or the others. */
type EntryKind = 'true' | 'recurs' | 'NOT recurs';

/** A page to read: its query, and how far earlier batches came. */
export interface PageRequest {
  readonly calendarId: string;
  readonly query: EventQuery;
  /** Number of the change after which a sync begins. */
  readonly since: number | undefined;
  /** Range of all entries, or of single events where series are read separately. */
  readonly range: RowRange | undefined;
  readonly seriesRange: RowRange | undefined;
}

/** Selects a page of entries with their records on the same shard; `elsewhere` identifies others. Omits bodies unchanged since `maxKnownChange`. */
export const pageStatement = (page: PageRequest, maxKnownChange: number): Statement =>
  isSingleQuery(page)
    ? buildPageStatement('list events at once', page, maxKnownChange, (terms) =>
        selectOfAllKinds(page.query, terms),
      )
    : pageStatementByKind(page, maxKnownChange);

/** Selects the page of `pageStatement` by a query for each kind of entry. */
export const pageStatementByKind = (page: PageRequest, maxKnownChange: number): Statement =>
  buildPageStatement('list events', page, maxKnownChange, (terms) =>
    rangesByKind(page)
      .map(([kind, range]) => selectOfKind(page.query, terms, range, kind))
      .join('\nUNION ALL '),
  );

/** Selects series outside the query's range, by the keys of their exceptions in the range. */
export const parentSeriesStatement = (
  page: PageRequest,
  maxKnownChange: number,
  keys: readonly string[],
): Statement =>
  buildPageStatement('list series', page, maxKnownChange, (terms) => {
    const parentCondition = `recurs AND NOT (${terms.inRange}) AND key = ANY (${terms.parameter(keys, 'text[]')})`;
    return rangesByKind(page)
      .filter(([kind]) => includesParentSeries(page.query, terms, kind))
      .map(([kind, range]) => unionBranches(page.query, terms, range, kind).branch([parentCondition]))
      .join('\nUNION ALL ');
  });

/**
 * Joins entries (`p`) with their records (`e`) and series (`s`). Values are parameters, so that queries of one
 * form share a name and are planned once.
 */
const buildPageStatement = (
  title: string,
  page: PageRequest,
  maxKnownChange: number,
  buildEntriesSql: (terms: Terms) => string,
): Statement =>
  buildStatement(title, (parameter) => {
    const terms = createTerms(page, parameter);
    const { calendar, since } = terms;
    const changedCondition = `p.change > ${parameter(maxKnownChange, 'bigint')}`;
    const onHome = `ON p.home_id = ${calendar} AND`;
    return `SELECT p.position, p.at, p.apart, p.seen_change = 0 AS never_seen, ${since ? `p.series_change > ${since}` : 'false'} AS was_series, p.change,
  ${isSingleQuery(page) ? 'p.along, CASE WHEN p.along THEN p.series_key WHEN p.recurs THEN p.key END AS of_series, ' : ''}CASE WHEN e.version IS NULL THEN jsonb_build_object(${otherHomeColumns.map((column) => `'${column}', p.${column}`).join(', ')}) END AS elsewhere,
  e.version, e.body ->> 'w' AS mark, CASE WHEN ${changedCondition} THEN e.body END AS body,
  s.version AS series_version, s.body ->> 'w' AS series_mark, CASE WHEN ${changedCondition} THEN s.body END AS series
FROM (${buildEntriesSql(terms)}) AS p LEFT JOIN events e ${onHome} e.home_id = ${calendar} AND e.key = p.key
LEFT JOIN events s ${onHome} s.home_id = ${calendar} AND s.key = p.series_key ORDER BY p.at, p.position`;
  });

/** Maximum range of a single query, as it contains few events. */
const maxSingleQueryMs = 45 * 86_400_000;
/** Maximum entries of a single query; with more, each kind is read by its own query. */
export const maxSingleQueryRows = 500;

/** Whether a single query reads all kinds: a cluster takes longer to plan a union than to read some rows too many. */
export const isSingleQuery = ({
  query: { between, iCalUID },
  since,
  range,
  seriesRange,
}: PageRequest): boolean =>
  between !== undefined &&
  between.to - between.from <= maxSingleQueryMs &&
  iCalUID === undefined &&
  since === undefined &&
  [range, seriesRange].every((rowRange) => rowRange?.after === undefined) &&
  range !== undefined;

/** Selects entries of all kinds; exceptions are included to find their series. */
function selectOfAllKinds(query: EventQuery, terms: Terms): string {
  const { calendar, inRange, startRange, parameter } = terms;
  const { order, includesCancelled } = query;
  const conditions = [
    `calendar_id = ${calendar}`,
    inRange,
    `(NOT long AND ${startRange} OR long)`,
    ...(includesCancelled
      ? []
      : [returnsSeriesForExceptions(query) ? '(along OR NOT cancelled)' : 'NOT cancelled']),
  ];
  return `SELECT ${selectedColumns(terms, order === 'start' ? 'recurs' : 'false')}
  FROM places WHERE ${conditions.join(' AND ')} LIMIT ${parameter(maxSingleQueryRows, 'bigint')}`;
}

/** Whether a query returns series in place of the exceptions that follow them. */
export const returnsSeriesForExceptions = ({ expandsSeries, order }: EventQuery): boolean =>
  expandsSeries && order !== 'updated';

/** Columns that a branch selects. `apart`: SQL for whether an entry is a series that the page returns separately. */
const selectedColumns = ({ orderTime, visibleChange }: Terms, apart: string): string =>
  `${otherHomeColumns.join(', ')}, position, series_change, along, ${orderTime} AS at, ${apart} AS apart, ${visibleChange} AS seen_change`;

/** Columns by which a record on another shard is found and checked. */
const otherHomeColumns = ['home_id', 'key', 'series_key', 'change', 'version', 'series_version', 'recurs'];

/** Kinds that a page reads by their own queries, each with its range. */
const rangesByKind = ({
  query: { order },
  range,
  seriesRange,
}: PageRequest): (readonly [EntryKind, RowRange])[] => [
  ...(range ? [[order === 'start' ? 'NOT recurs' : 'true', range] as const] : []),
  ...(seriesRange ? [['recurs', seriesRange] as const] : []),
];

/** SQL terms that all conditions use. */
type Terms = ReturnType<typeof createTerms>;

function createTerms({ calendarId, query, since }: PageRequest, parameter: Parameter) {
  const { order, between, iCalUID, updatedMin, seesHidden } = query;
  const identity = parameter(query.identity, 'text');
  /** Column as the caller sees it, since guests may be hidden from the caller. */
  const visibleColumn = (column: string, publicColumn: string): string =>
    seesHidden
      ? column
      : `CASE WHEN jsonb_exists(hidden_from, ${identity}) THEN ${publicColumn} ELSE ${column} END`;
  const updated = `greatest(${visibleColumn('updated_ms', 'open_updated_ms')}, (viewers ->> ${identity})::float8)`;
  const [from, to] = between ? [parameter(between.from, 'float8'), parameter(between.to, 'float8')] : [];
  const minUpdated = updatedMin === undefined ? undefined : parameter(updatedMin, 'float8');
  const rangeConditions = [
    ...(between ? [`from_ms < ${to} AND to_ms > ${from}`] : []),
    ...(minUpdated === undefined ? [] : [`latest_ms >= ${minUpdated} AND ${updated} >= ${minUpdated}`]),
  ];
  // `position + 0` keeps the planner from scanning the index on positions where a more selective index applies.
  const isSelective = between !== undefined || iCalUID !== undefined || since !== undefined;
  return {
    parameter,
    calendar: parameter(calendarId, 'text'),
    /** Sort key: a time, then the position. */
    orderTime: { start: 'start_ms', position: '0::float8', updated }[order],
    position: order === 'position' && isSelective ? 'position + 0' : 'position',
    /** Number of the last change visible to the caller; 0 for none. */
    visibleChange: `greatest(${visibleColumn('shared_change', 'open_change')}, (viewer_changes ->> ${identity})::bigint)`,
    /** Condition of `between` and `updatedMin`; undefined without both. */
    inRange: rangeConditions.length === 0 ? undefined : rangeConditions.join(' AND '),
    /** Index condition for the start of short events within `between`. */
    startRange: between && `start_ms > ${from} - ${minLongMs} AND start_ms < ${to} + ${minLongMs}`,
    since: since === undefined ? undefined : parameter(since, 'bigint'),
  };
}

/** Selects entries of one kind, by a branch for each index that finds some of them. */
function selectOfKind(query: EventQuery, terms: Terms, range: RowRange, kind: EntryKind): string {
  const { startRange, inRange } = terms;
  const { branch, limit } = unionBranches(query, terms, range, kind);
  const branches = branchConditionsOf(query, terms, kind).map(branch);
  if (includesParentSeries(query, terms, kind)) {
    const keys = startRange
      ? `${parentKeysText(terms, `NOT long AND ${startRange}`)} UNION ALL ${parentKeysText(terms, 'long')}`
      : parentKeysText(terms);
    branches.push(branch([`recurs AND NOT (${inRange}) AND key IN (${keys})`]));
  }
  return branches.length === 1
    ? branches.join()
    : `(SELECT * FROM (${branches.join(' UNION ALL ')}) AS f ORDER BY at, position LIMIT ${limit})`;
}

type Conditions = readonly (string | undefined)[];

/**
 * Builds branches of a UNION. Each sorts and limits on its own, so that it reads no more rows than the page
 * needs.
 */
function unionBranches(
  query: EventQuery,
  terms: Terms,
  { after, maxRows: rows }: RowRange,
  kind: EntryKind,
): { readonly branch: (conditions: Conditions) => string; readonly limit: string } {
  const { order } = query;
  const { parameter, calendar, orderTime, position } = terms;
  const limit = parameter(rows, 'bigint');
  const afterCursor =
    after &&
    (order === 'position'
      ? `position > ${parameter(after.position, 'bigint')}`
      : `(${orderTime}, ${position}) > (${parameter(after.at, 'float8')}, ${parameter(after.position, 'bigint')})`);
  const commonConditions = [...commonConditionsOf(query, terms), afterCursor];
  const branch = (conditions: Conditions): string => {
    const allConditions = [kind, ...conditions, ...commonConditions].filter(
      (condition) => condition !== undefined && condition !== 'true',
    );
    return `(SELECT ${selectedColumns(terms, String(kind === 'recurs'))}
  FROM places WHERE ${[`calendar_id = ${calendar}`, ...allConditions].join(' AND ')} ORDER BY ${order === 'position' ? position : `${orderTime}, ${position}`} LIMIT ${limit})`;
  };
  return { branch, limit };
}

/** Conditions of each branch: two indexes find short events by start and others by end. */
function branchConditionsOf(
  { order }: EventQuery,
  { inRange, startRange }: Terms,
  kind: EntryKind,
): Conditions[] {
  if (order !== 'start' && !startRange) return [[inRange]];
  return kind === 'recurs'
    ? [[inRange, 'long']]
    : [
        [inRange, 'NOT long', startRange],
        [inRange, 'long'],
      ];
}

const includesParentSeries = (query: EventQuery, { inRange }: Terms, kind: EntryKind): boolean =>
  inRange !== undefined && returnsSeriesForExceptions(query) && kind !== 'NOT recurs';

/** Keys of series whose exceptions are in the query's range. */
const parentKeysText = ({ calendar, inRange }: Terms, ...extraConditions: readonly string[]): string =>
  `SELECT series_key FROM places WHERE ${[`calendar_id = ${calendar}`, 'series_key IS NOT NULL', 'along', inRange, ...extraConditions].join(' AND ')}`;

/** Conditions that every branch has. */
function commonConditionsOf(query: EventQuery, { since, visibleChange, parameter }: Terms): string[] {
  const { includesCancelled, iCalUID } = query;
  return [
    ...(since === undefined ? [] : [`change > ${since}`, `${visibleChange} > ${since}`]),
    ...(returnsSeriesForExceptions(query) ? ['NOT along'] : []),
    ...(includesCancelled ? [] : ['NOT cancelled']),
    ...(iCalUID === undefined ? [] : [`ical_uid = ${parameter(indexKey(iCalUID), 'text')}`]),
  ];
}
