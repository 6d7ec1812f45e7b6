import type { EventQuery } from '../../../event/event.store.ts';
import type { Statement } from '../database.ts';
import { indexKey } from '../lookup.ts';
import { namedByText, type Parameter } from '../named-by-text.ts';
import { longMs } from './entry-rows.ts';

/** Rows behind a place in the query's order. */
export interface RowRange {
  readonly after: EventQuery['after'];
  readonly rows: number;
}

/** What one statement reads. */
export interface PageRanges {
  /** The number of the change behind which to begin. */
  readonly since: number | undefined;
  /** Of all entries; where series are read apart, of the others. */
  readonly range: RowRange | undefined;
  /** Of series apart. */
  readonly seriesRange: RowRange | undefined;
}

/** What the conditions of all arms are made of. */
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
 * The entries of a calendar that a query asks for, with their records, in one statement. What a query asks for at all
 * stands in the text, the values are parameters: a query of the same form has the same name, and is planned once.
 */
export const pageStatement = (calendarId: string, query: EventQuery, ranges: PageRanges): Statement =>
  namedByText('list events', (parameter) => textFor(calendarId, query, ranges, parameter));

function textFor(calendarId: string, query: EventQuery, { since, range, seriesRange }: PageRanges, parameter: Parameter): string {
  const terms = termsOf(calendarId, query, since, parameter);
  const isApart = query.order === 'start';
  const parts = [
    ...(range ? [part(query, terms, range, isApart ? 'NOT recurs' : 'true')] : []),
    ...(seriesRange ? [part(query, terms, seriesRange, 'recurs')] : []),
  ];
  return `SELECT p.position, p.at, p.apart, p.seen_change = 0 AS never_seen, ${terms.since ? `p.series_change > ${terms.since}` : 'false'} AS was_series, e.body, s.body AS series
FROM (${parts.join('\nUNION ALL ')}) AS p JOIN events e ON e.home_id = p.home_id AND e.key = p.key
LEFT JOIN events s ON s.home_id = p.home_id AND s.key = p.series_key ORDER BY p.at, p.position`;
}

function termsOf(calendarId: string, query: EventQuery, since: number | undefined, parameter: Parameter): Terms {
  const { order, between, iCalUID, updatedMin, seesHidden } = query;
  const identity = parameter(query.identity, 'text');
  /** One of two columns, by whether guests are hidden from the caller whom the calendar shows to others. */
  const seenBy = (column: string, open: string): string => (seesHidden ? column : `CASE WHEN jsonb_exists(hidden_from, ${identity}) THEN ${open} ELSE ${column} END`);
  const updated = `greatest(${seenBy('updated_ms', 'open_updated_ms')}, (viewers ->> ${identity})::float8)`;
  const [from, to] = between ? [parameter(between.from, 'float8'), parameter(between.to, 'float8')] : [];
  const changedLate = updatedMin === undefined ? undefined : parameter(updatedMin, 'float8');
  const asked = [...(between ? [`from_ms < ${to} AND to_ms > ${from}`] : []), ...(changedLate === undefined ? [] : [`latest_ms >= ${changedLate} AND ${updated} >= ${changedLate}`])];
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

/** The first rows of a range, of the entries of a kind. What is short is found by its start, the rest by its end: two indexes. */
function part(query: EventQuery, terms: Terms, { after, rows }: RowRange, kind: 'true' | 'recurs' | 'NOT recurs'): string {
  const { order, expand } = query;
  const { parameter, calendar, at, position, askedFor, starts } = terms;
  const limit = parameter(rows, 'bigint');
  const behind = after && (order === 'position'
    ? `position > ${parameter(after.position, 'bigint')}`
    : `(${at}, ${position}) > (${parameter(after.at, 'float8')}, ${parameter(after.position, 'bigint')})`);
  const everywhere = [...common(query, terms), behind];
  const arm = (...conditions: readonly (string | undefined)[]): string => {
    const all = [kind, ...conditions, ...everywhere].filter((condition) => condition !== undefined && condition !== 'true');
    return `(SELECT home_id, key, series_key, position, series_change, ${at} AS at, ${kind === 'recurs'} AS apart, ${terms.seenChange} AS seen_change
  FROM places WHERE ${[`calendar_id = ${calendar}`, ...all].join(' AND ')} ORDER BY ${order === 'position' ? position : `${at}, ${position}`} LIMIT ${limit})`;
  };
  const long = arm(askedFor, 'long');
  const arms = order !== 'start' && !starts ? [arm(askedFor)] : kind === 'recurs' ? [long] : [arm(askedFor, 'NOT long', starts), long];
  if (askedFor && expand && order !== 'updated' && kind !== 'NOT recurs') {
    // Series of which the query asks for a changed instance, though not for them.
    const keys = (...more: readonly string[]): string =>
      `SELECT series_key FROM places WHERE ${[`calendar_id = ${calendar}`, 'series_key IS NOT NULL', 'along', askedFor, ...more].join(' AND ')}`;
    const bringing = starts ? `${keys('NOT long', starts)} UNION ALL ${keys('long')}` : keys();
    arms.push(arm(`recurs AND NOT (${askedFor}) AND key IN (${bringing})`));
  }
  return arms.length === 1 ? arms.join() : `(SELECT * FROM (${arms.join(' UNION ALL ')}) AS f ORDER BY at, position LIMIT ${limit})`;
}

/** What all entries of a list have to be. */
function common({ order, cancelled, expand, iCalUID }: EventQuery, { since, seenChange, parameter }: Terms): string[] {
  return [
    ...(since === undefined ? [] : [`change > ${since}`, `${seenChange} > ${since}`]),
    ...(expand && order !== 'updated' ? ['NOT along'] : []),
    ...(cancelled ? [] : ['NOT cancelled']),
    ...(iCalUID === undefined ? [] : [`ical_uid = ${parameter(indexKey(iCalUID), 'text')}`]),
  ];
}
