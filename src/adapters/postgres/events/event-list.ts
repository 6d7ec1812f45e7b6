import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { EventPage, EventQuery, ListedEvent } from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import type { Database, Row, Statement } from '../database.ts';
import { recordFrom } from './event-load.ts';
import { grouped } from '../grouped.ts';
import { indexKey } from '../lookup.ts';
import { longMs } from './place-rows.ts';
import { builder, type PlacesTable, type Schema } from '../schema.ts';

const mostRows = 1000;

type Places = SelectQueryBuilder<Schema, 'places', PlacesTable & { at: number }>;
type After = EventQuery['after'];

/**
 * The events of a calendar that a query finds, looked for in the database by all but `accepts`, and by that here, as many
 * rows at a time as may be needed. `since` is the number of the change behind which to begin.
 */
export async function listPage(database: Database, calendarId: string, query: EventQuery, since: number | undefined): Promise<Omit<EventPage, 'mark'>> {
  const { order, limit, accepts, expand } = query;
  const entries: ListedEvent[] = [];
  const ask = (kind: Kind, after: After, rows: number): Promise<ListedEvent[]> =>
    database.query(pageStatement(calendarId, query, { since, kind, after, rows })).then((found) => found.map((row) => listed(row, order)));
  const seriesApart = order === 'start' ? allOf((after) => ask('series', after, mostRows), accepts) : Promise.resolve([]);
  seriesApart.catch(() => undefined); // is told where it is waited for, unless the others fail first
  let { after } = query;
  for (;;) {
    const rows = Math.min(mostRows, Math.max(limit + 1 - entries.length, 20));
    const found = await ask(order === 'start' ? 'others' : 'all', after, rows);
    entries.push(...(await acceptedOf(found, accepts)));
    if (found.length < rows || entries.length > limit) break;
    after = found.at(-1);
  }
  const series = await seriesApart;
  const page = entries.slice(0, limit);
  const [withExceptions, apart] = expand ? await addExceptions(database, calendarId, [page, series]) : [page, series];
  return { entries: withExceptions, more: entries.length > limit, series: apart };
}

/** Looks at many in turns with other work. */
async function acceptedOf(found: readonly ListedEvent[], accepts: EventQuery['accepts']): Promise<ListedEvent[]> {
  const accepted: ListedEvent[] = [];
  for (const entry of found) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    if (accepts(entry)) accepted.push(entry);
  }
  return accepted;
}

async function allOf(ask: (after: After) => Promise<ListedEvent[]>, accepts: EventQuery['accepts']): Promise<ListedEvent[]> {
  const all: ListedEvent[] = [];
  let after: After;
  for (;;) {
    const found = await ask(after);
    all.push(...(await acceptedOf(found, accepts)));
    if (found.length < mostRows) return all;
    after = found.at(-1);
  }
}

type Kind = 'all' | 'series' | 'others';

interface Part {
  readonly since: number | undefined;
  readonly kind: Kind;
  readonly after: After;
  readonly rows: number;
}

/** By what each order goes. The sum keeps the planner from walking the calendar in this order where something narrower is asked for. */
function orderOf({ order, identity, between, iCalUID }: EventQuery, since: number | undefined): { readonly at: RawBuilder<number>; readonly position: RawBuilder<number> } {
  const position = between || iCalUID !== undefined || since !== undefined ? sql<number>`places.position + 0` : sql<number>`places.position`;
  if (order === 'start') return { at: sql<number>`places.start_ms`, position: sql<number>`places.position` };
  if (order === 'position') return { at: sql<number>`0::float8`, position };
  return { at: sql<number>`greatest(places.updated_ms, (places.viewers ->> ${identity})::float8)`, position: sql<number>`places.position` };
}

function pageStatement(calendarId: string, query: EventQuery, part: Part): Statement {
  const { since, rows, kind } = part;
  const { order, between, expand } = query;
  const { at, position } = orderOf(query, since);
  const arm = (length: 'short' | 'long' | 'any'): Places => {
    let places = selected(calendarId, query, part, { at, position }).select(at.as('at'));
    if (length !== 'any') places = places.where('places.long', '=', length === 'long');
    if (length === 'short' && between) places = places.where('start_ms', '>', between.from - longMs).where('start_ms', '<', between.to + longMs);
    const ordered = order === 'position' ? places.orderBy(position) : places.orderBy(at).orderBy(position);
    return ordered.limit(rows);
  };
  /** Series of which a changed instance takes place in the time, though they do not. */
  const moved = ({ from, to }: NonNullable<typeof between>): Places => {
    const isWithin = sql`from_ms < ${to}::float8 AND to_ms > ${from}::float8`;
    const places = selected(calendarId, { ...query, between: undefined }, part, { at, position }).select(at.as('at')).where('recurs', '=', true).where(sql<boolean>`NOT (${isWithin})`);
    const keys = (length: RawBuilder<unknown>) => sql`SELECT series_key FROM places WHERE calendar_id = ${calendarId} AND series_key IS NOT NULL AND along AND ${isWithin} AND ${length}`;
    const short = sql`NOT long AND start_ms > ${from - longMs}::float8 AND start_ms < ${to + longMs}::float8`;
    const bringing = sql<boolean>`places.key IN (${keys(short)} UNION ALL ${keys(sql`long`)})`;
    return places.where(bringing).orderBy(at).orderBy(position).limit(rows);
  };
  // What is short is found by its start, the rest by its end: two indexes.
  const apart = order === 'start' || between !== undefined;
  const bringing = between && expand && order !== 'updated' && kind !== 'others' ? sql` UNION ALL (${moved(between)})` : sql``;
  const found = apart ? sql`(${arm('short')}) UNION ALL (${arm('long')})${bringing}` : sql`${arm('any')}`;
  const { sql: text, parameters } = sql`
    SELECT p.position, p.at, p.recurs, e.body, s.body AS series FROM (SELECT * FROM (${found}) AS f ORDER BY f.at, f.position LIMIT ${rows}) AS p
    JOIN events e ON e.home_id = p.home_id AND e.key = p.key
    LEFT JOIN events s ON s.home_id = p.home_id AND s.key = p.series_key ORDER BY p.at, p.position`.compile(builder);
  return { text, values: parameters };
}

function selected(calendarId: string, query: EventQuery, { since, kind, after }: Part, order: ReturnType<typeof orderOf>) {
  const { cancelled, between, iCalUID, updatedMin, identity, expand } = query;
  let places = builder.selectFrom('places').selectAll('places').where('places.calendar_id', '=', calendarId);
  if (kind !== 'all') places = places.where('recurs', '=', kind === 'series');
  if (since !== undefined) {
    const concerns = sql<boolean>`(places.shared_change > ${since} OR (places.viewer_changes ->> ${identity})::bigint > ${since})`;
    places = places.where('change', '>', since).where(concerns);
  }
  if (expand && query.order !== 'updated') places = places.where('along', '=', false);
  if (!cancelled) places = places.where('cancelled', '=', false);
  if (between) places = places.where('from_ms', '<', between.to).where('to_ms', '>', between.from);
  if (iCalUID !== undefined) places = places.where('ical_uid', '=', indexKey(iCalUID));
  if (updatedMin !== undefined) {
    places = places.where('latest_ms', '>=', updatedMin).where(sql<boolean>`greatest(places.updated_ms, (places.viewers ->> ${identity})::float8) >= ${updatedMin}`);
  }
  if (!after) return places;
  if (query.order === 'position') return places.where(sql<boolean>`places.position > ${after.position}`);
  return places.where(sql<boolean>`(${order.at}, ${order.position}) > (${after.at}::float8, ${after.position}::bigint)`);
}

const listed = ({ position, at, body, series }: Row, order: EventQuery['order']): ListedEvent => ({
  position: position as number,
  at: order === 'position' ? 0 : (at as number),
  record: recordFrom(body),
  ...(series !== null && { series: recordFrom(series) }),
});

const isSeries = ({ record }: ListedEvent): boolean => (record.core.recurrence ?? []).length > 0;

/** Each series with its exceptions on this calendar, in the order in which they came. */
async function addExceptions(database: Database, calendarId: string, lists: readonly [ListedEvent[], ListedEvent[]]): Promise<[ListedEvent[], ListedEvent[]]> {
  const keys = lists.flat().filter(isSeries).map(({ record }) => record.key);
  const rows = keys.length === 0 ? [] : await database.query({
    name: 'exceptions',
    text: `SELECT p.series_key, e.body FROM places p JOIN events e ON e.home_id = p.home_id AND e.key = p.key
      WHERE p.calendar_id = $1 AND p.series_key = ANY ($2::text[]) ORDER BY p.position`,
    values: [calendarId, keys],
  });
  const bySeries = grouped(rows, ({ series_key: key }) => key as string);
  const exceptionsOf = ({ record: { key } }: ListedEvent): EventRecord[] => (bySeries.get(key) ?? []).map(({ body }) => recordFrom(body));
  const add = (entry: ListedEvent): ListedEvent => (isSeries(entry) ? { ...entry, exceptions: exceptionsOf(entry) } : entry);
  return [lists[0].map(add), lists[1].map(add)];
}
