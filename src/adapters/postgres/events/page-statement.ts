import type { EventQuery } from '../../../event/event.store.ts';
import type { Statement } from '../database.ts';
import { indexKey, namedByText, type Parameter } from '../transaction.ts';
import { longMs } from './entries.ts';

/** Rows behind a place in the query's order. */
export interface RowRange {
  readonly after: EventQuery['after'];
  readonly rows: number;
}

/** What one statement reads. */
interface PageRanges {
  /** The number of the change behind which to begin. */
  readonly since: number | undefined;
  /** Of all entries; where series are read apart, of the others. */
  readonly range: RowRange | undefined;
  /** Of series apart. */
  readonly seriesRange: RowRange | undefined;
}

type Kind = 'true' | 'recurs' | 'NOT recurs';

/** A page that is asked for. */
export interface AskedPage {
  readonly calendarId: string;
  readonly query: EventQuery;
  readonly ranges: PageRanges;
}

/** Terms that the conditions of all branches are made of. */
interface Terms {
  readonly parameter: Parameter;
  readonly calendar: string;
  /** By what the order goes, and then by the position. */
  readonly at: string;
  readonly position: string;
  /** The number of the last change of an entry that the caller sees; 0: of none. */
  readonly seenChange: string;
  /** Whether an entry is within the query's time, and was changed late enough; undefined where that is not asked. */
  readonly askedFor: string | undefined;
  /** Between which starts a short event within the query's time lies. */
  readonly starts: string | undefined;
  readonly since: string | undefined;
}

/**
 * The entries of a calendar that a query asks for, with the records that are kept with that calendar: one shard of a cluster has all of
 * it. Where a record is kept elsewhere, `elsewhere` has what it is found by. Bodies come of entries that changed later than `knownUpTo`.
 */
export const pageStatement = (page: AskedPage, knownUpTo: number): Statement =>
  isAtOnce(page)
    ? joinRecords('list events at once', page, knownUpTo, (terms) => atOnceText(page.query, terms))
    : pageByParts(page, knownUpTo);

/** The page of `pageStatement`, by a query for the entries of each kind. */
export const pageByParts = (page: AskedPage, knownUpTo: number): Statement =>
  joinRecords('list events', page, knownUpTo, (terms) =>
    partsOf(page)
      .map(([kind, range]) => part(page.query, terms, range, kind))
      .join('\nUNION ALL '),
  );

/** Series that the query does not ask for, by the keys in changed instances that it asks for. */
export const parentSeries = (page: AskedPage, knownUpTo: number, keys: readonly string[]): Statement =>
  joinRecords('list series', page, knownUpTo, (terms) => {
    const brought = `recurs AND NOT (${terms.askedFor}) AND key = ANY (${terms.parameter(keys, 'text[]')})`;
    return partsOf(page)
      .filter(([kind]) => includesParentSeries(page.query, terms, kind))
      .map(([kind, range]) => unionBranches(page.query, terms, range, kind).branch([brought]))
      .join('\nUNION ALL ');
  });

/**
 * Entries with their records. The conditions that a query has stand in the text, its values are parameters: a query of the same form has
 * the same name, and is planned once.
 */
const joinRecords = (
  title: string,
  page: AskedPage,
  knownUpTo: number,
  entriesWith: (terms: Terms) => string,
): Statement =>
  namedByText(title, (parameter) => {
    const terms = termsOf(page, parameter);
    const { calendar, since } = terms;
    const isChanged = `p.change > ${parameter(knownUpTo, 'bigint')}`;
    const ofHome = `ON p.home_id = ${calendar} AND`;
    return `SELECT p.position, p.at, p.apart, p.seen_change = 0 AS never_seen, ${since ? `p.series_change > ${since}` : 'false'} AS was_series, p.change,
  ${isAtOnce(page) ? 'p.along, CASE WHEN p.along THEN p.series_key WHEN p.recurs THEN p.key END AS of_series, ' : ''}CASE WHEN e.version IS NULL THEN jsonb_build_array(${elsewhereColumns.map((column) => `p.${column}`).join(', ')}) END AS elsewhere,
  e.version, e.body ->> 'w' AS mark, CASE WHEN ${isChanged} THEN e.body END AS body,
  s.version AS series_version, s.body ->> 'w' AS series_mark, CASE WHEN ${isChanged} THEN s.body END AS series
FROM (${entriesWith(terms)}) AS p LEFT JOIN events e ${ofHome} e.home_id = ${calendar} AND e.key = p.key
LEFT JOIN events s ${ofHome} s.home_id = ${calendar} AND s.key = p.series_key ORDER BY p.at, p.position`;
  });

/** Milliseconds. Few events lie within so long a time. */
const shortTime = 45 * 86_400_000;
/** Entries of a short time that are read at once; where there are more, those of each kind are read by themselves. */
export const maxAtOnce = 500;

/** Whether one query reads all that there is, exceptions too: a cluster takes longer to plan a union than to read some more rows. */
export const isAtOnce = ({
  query: { between, iCalUID },
  ranges: { since, range, seriesRange },
}: AskedPage): boolean =>
  between !== undefined &&
  between.to - between.from <= shortTime &&
  iCalUID === undefined &&
  since === undefined &&
  [range, seriesRange].every((one) => one?.after === undefined) &&
  range !== undefined;

/** All entries that a query asks for, whatever their kind; exceptions that come with their series stand for these. */
function atOnceText(query: EventQuery, terms: Terms): string {
  const { calendar, askedFor, starts, parameter } = terms;
  const { order, cancelled } = query;
  const conditions = [
    `calendar_id = ${calendar}`,
    askedFor,
    `(NOT long AND ${starts} OR long)`,
    ...(cancelled ? [] : [comesWithSeries(query) ? '(along OR NOT cancelled)' : 'NOT cancelled']),
  ];
  return `SELECT ${columnsOf(terms, order === 'start' ? 'recurs' : 'false')}
  FROM places WHERE ${conditions.join(' AND ')} LIMIT ${parameter(maxAtOnce, 'bigint')}`;
}

/** Whether exceptions come with their series alone. */
export const comesWithSeries = ({ expand, order }: EventQuery): boolean => expand && order !== 'updated';

const columnsOf = ({ at, seenChange }: Terms, apart: string): string =>
  `${elsewhereColumns.join(', ')}, position, change, series_change, along, ${at} AS at, ${apart} AS apart, ${seenChange} AS seen_change`;

/** Columns of an entry whose record has not come with it. */
export const elsewhereColumns = [
  'home_id',
  'key',
  'series_key',
  'version',
  'series_version',
  'recurs',
] as const;

/** By start, series come apart from the others. */
const partsOf = ({
  query: { order },
  ranges: { range, seriesRange },
}: AskedPage): (readonly [Kind, RowRange])[] => [
  ...(range ? [[order === 'start' ? 'NOT recurs' : 'true', range] as const] : []),
  ...(seriesRange ? [['recurs', seriesRange] as const] : []),
];

function termsOf({ calendarId, query, ranges: { since } }: AskedPage, parameter: Parameter): Terms {
  const { order, between, iCalUID, updatedMin, seesHidden } = query;
  const identity = parameter(query.identity, 'text');
  /** One of two columns, by whether guests are hidden from the caller whom the calendar shows to others. */
  const seenBy = (column: string, open: string): string =>
    seesHidden ? column : `CASE WHEN jsonb_exists(hidden_from, ${identity}) THEN ${open} ELSE ${column} END`;
  const updated = `greatest(${seenBy('updated_ms', 'open_updated_ms')}, (viewers ->> ${identity})::float8)`;
  const [from, to] = between ? [parameter(between.from, 'float8'), parameter(between.to, 'float8')] : [];
  const changedLate = updatedMin === undefined ? undefined : parameter(updatedMin, 'float8');
  const asked = [
    ...(between ? [`from_ms < ${to} AND to_ms > ${from}`] : []),
    ...(changedLate === undefined ? [] : [`latest_ms >= ${changedLate} AND ${updated} >= ${changedLate}`]),
  ];
  // The sum keeps the planner from walking the calendar in this order where something narrower is asked for.
  const isNarrow = between !== undefined || iCalUID !== undefined || since !== undefined;
  return {
    parameter,
    calendar: parameter(calendarId, 'text'),
    at: { start: 'start_ms', position: '0::float8', updated }[order],
    position: order === 'position' && isNarrow ? 'position + 0' : 'position',
    seenChange: `greatest(${seenBy('shared_change', 'open_change')}, (viewer_changes ->> ${identity})::bigint)`,
    askedFor: asked.length === 0 ? undefined : asked.join(' AND '),
    starts: between && `start_ms > ${from} - ${longMs} AND start_ms < ${to} + ${longMs}`,
    since: since === undefined ? undefined : parameter(since, 'bigint'),
  };
}

/** The first rows of a range, of the entries of a kind. */
function part(query: EventQuery, terms: Terms, range: RowRange, kind: Kind): string {
  const { starts, askedFor } = terms;
  const { branch, limit } = unionBranches(query, terms, range, kind);
  const branches = conditionsOf(query, terms, kind).map(branch);
  if (includesParentSeries(query, terms, kind)) {
    const keys = starts
      ? `${keysText(terms, `NOT long AND ${starts}`)} UNION ALL ${keysText(terms, 'long')}`
      : keysText(terms);
    branches.push(branch([`recurs AND NOT (${askedFor}) AND key IN (${keys})`]));
  }
  return branches.length === 1
    ? branches.join()
    : `(SELECT * FROM (${branches.join(' UNION ALL ')}) AS f ORDER BY at, position LIMIT ${limit})`;
}

type Conditions = readonly (string | undefined)[];

/** Makes queries for the first rows of a range, of the entries of a kind that meet more conditions. */
function unionBranches(
  query: EventQuery,
  terms: Terms,
  { after, rows }: RowRange,
  kind: Kind,
): { readonly branch: (conditions: Conditions) => string; readonly limit: string } {
  const { order } = query;
  const { parameter, calendar, at, position } = terms;
  const limit = parameter(rows, 'bigint');
  const behind =
    after &&
    (order === 'position'
      ? `position > ${parameter(after.position, 'bigint')}`
      : `(${at}, ${position}) > (${parameter(after.at, 'float8')}, ${parameter(after.position, 'bigint')})`);
  const everywhere = [...common(query, terms), behind];
  const branch = (conditions: Conditions): string => {
    const all = [kind, ...conditions, ...everywhere].filter(
      (condition) => condition !== undefined && condition !== 'true',
    );
    return `(SELECT ${columnsOf(terms, String(kind === 'recurs'))}
  FROM places WHERE ${[`calendar_id = ${calendar}`, ...all].join(' AND ')} ORDER BY ${order === 'position' ? position : `${at}, ${position}`} LIMIT ${limit})`;
  };
  return { branch, limit };
}

/** The conditions of each branch. What is short is found by its start, the rest by its end: two indexes. */
function conditionsOf({ order }: EventQuery, { askedFor, starts }: Terms, kind: Kind): Conditions[] {
  if (order !== 'start' && !starts) return [[askedFor]];
  return kind === 'recurs'
    ? [[askedFor, 'long']]
    : [
        [askedFor, 'NOT long', starts],
        [askedFor, 'long'],
      ];
}

/** Whether there may be series of which the query asks for a changed instance, though not for them. */
const includesParentSeries = (query: EventQuery, { askedFor }: Terms, kind: Kind): boolean =>
  askedFor !== undefined && comesWithSeries(query) && kind !== 'NOT recurs';

/** The keys of series of which the query asks for a changed instance. */
const keysText = ({ calendar, askedFor }: Terms, ...more: readonly string[]): string =>
  `SELECT series_key FROM places WHERE ${[`calendar_id = ${calendar}`, 'series_key IS NOT NULL', 'along', askedFor, ...more].join(' AND ')}`;

/** What all entries of a list have to be. */
function common(query: EventQuery, { since, seenChange, parameter }: Terms): string[] {
  const { cancelled, iCalUID } = query;
  return [
    ...(since === undefined ? [] : [`change > ${since}`, `${seenChange} > ${since}`]),
    ...(comesWithSeries(query) ? ['NOT along'] : []),
    ...(cancelled ? [] : ['NOT cancelled']),
    ...(iCalUID === undefined ? [] : [`ical_uid = ${parameter(indexKey(iCalUID), 'text')}`]),
  ];
}
