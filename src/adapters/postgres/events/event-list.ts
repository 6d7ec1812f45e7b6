import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { EventPage, EventQuery, ListedEvent, SeriesState } from '../../../event/event.store.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import type { Database, Row, Statement } from '../database.ts';
import { recordFrom } from './event-load.ts';
import { grouped } from '../grouped.ts';
import { indexKey } from '../lookup.ts';
import { longMs } from './entry-rows.ts';
import { builder, type PlacesTable, type Schema } from '../schema.ts';

const fewestRows = 20;
const mostRows = 1000;

type Places = SelectQueryBuilder<Schema, 'places', PlacesTable & { at: number }>;
type After = EventQuery['after'];

/**
 * The events of a calendar that a query finds: the database selects by all but `accepts`, which is applied here, to as many
 * rows at a time as may be needed. `since` is the number of the change behind which to begin.
 */
export async function listPage(database: Database, calendarId: string, query: EventQuery, since: number | undefined): Promise<EventPage> {
  const { order, limit, accepts } = query;
  const entries: ListedEvent[] = [];
  const ask = (kind: Kind, after: After, rows: number): Promise<ListedEvent[]> =>
    database.query(pageStatement(calendarId, query, { since, kind, after, rows })).then((found) => found.map((row) => listed(row, query)));
  const seriesApart = order === 'start' ? allOf((after) => ask('series', after, mostRows), accepts) : Promise.resolve([]);
  seriesApart.catch(() => undefined); // thrown where it is awaited, unless the others fail first
  let { after } = query;
  // Each time twice as many: where little is found, the round trips stay few.
  for (let least = fewestRows; ; least *= 2) {
    const rows = Math.min(mostRows, Math.max(limit + 1 - entries.length, least));
    const found = await ask(order === 'start' ? 'others' : 'all', after, rows);
    entries.push(...(await acceptedOf(found, accepts)));
    if (found.length < rows || entries.length > limit) break;
    after = found.at(-1);
  }
  const series = await seriesApart;
  return { entries: entries.slice(0, limit), more: entries.length > limit, series };
}

/** The events that `accepts` accepts; yields to other requests. */
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
function orderOf(query: EventQuery, since: number | undefined): { readonly at: RawBuilder<number>; readonly position: RawBuilder<number> } {
  const { order, between, iCalUID } = query;
  const position = between || iCalUID !== undefined || since !== undefined ? sql<number>`places.position + 0` : sql<number>`places.position`;
  if (order === 'start') return { at: sql<number>`places.start_ms`, position: sql<number>`places.position` };
  if (order === 'position') return { at: sql<number>`0::float8`, position };
  return { at: updatedOf(query), position: sql<number>`places.position` };
}

/** One of two columns, by whether guests are hidden from the caller whom the calendar shows to others. */
const seenBy = ({ identity, seesHidden }: EventQuery, column: string, open: string): RawBuilder<number> =>
  seesHidden ? sql<number>`${sql.ref(column)}` : sql<number>`CASE WHEN jsonb_exists(places.hidden_from, ${identity}) THEN ${sql.ref(open)} ELSE ${sql.ref(column)} END`;

/** The number of the last change of an event that the caller sees; 0: of none. */
const seenChangeOf = (query: EventQuery): RawBuilder<number> =>
  sql<number>`greatest(${seenBy(query, 'places.shared_change', 'places.open_change')}, (places.viewer_changes ->> ${query.identity})::bigint)`;

/** When an event was last changed as the caller sees it. */
const updatedOf = (query: EventQuery): RawBuilder<number> =>
  sql<number>`greatest(${seenBy(query, 'places.updated_ms', 'places.open_updated_ms')}, (places.viewers ->> ${query.identity})::float8)`;

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
  /** Series of which the query asks for a changed instance, though not for them. */
  const brought = (): Places => {
    const places = selected(calendarId, { ...query, between: undefined, updatedMin: undefined }, part, { at, position }).select(at.as('at')).where('recurs', '=', true);
    const keys = (more: RawBuilder<unknown>) => sql`SELECT series_key FROM places WHERE calendar_id = ${calendarId} AND series_key IS NOT NULL AND along AND ${askedFor(query)} AND ${more}`;
    const short = between && sql`NOT long AND start_ms > ${between.from - longMs}::float8 AND start_ms < ${between.to + longMs}::float8`;
    const bringing = sql<boolean>`NOT (${askedFor(query)}) AND places.key IN (${short ? sql`${keys(short)} UNION ALL ${keys(sql`long`)}` : keys(sql`true`)})`;
    return places.where(bringing).orderBy(at).orderBy(position).limit(rows);
  };
  // What is short is found by its start, the rest by its end: two indexes.
  const apart = order === 'start' || between !== undefined;
  const isNarrow = between !== undefined || query.updatedMin !== undefined;
  const bringing = isNarrow && expand && order !== 'updated' && kind !== 'others' ? sql` UNION ALL (${brought()})` : sql``;
  const found = apart ? sql`(${arm('short')}) UNION ALL (${arm('long')})${bringing}` : sql`(${arm('any')})${bringing}`;
  const { sql: text, parameters } = sql`
    SELECT p.position, p.at, p.seen_change = 0 AS never_seen, p.series_change > ${since ?? null}::bigint AS was_series, e.body, s.body AS series FROM (SELECT * FROM (${found}) AS f ORDER BY f.at, f.position LIMIT ${rows}) AS p
    JOIN events e ON e.home_id = p.home_id AND e.key = p.key
    LEFT JOIN events s ON s.home_id = p.home_id AND s.key = p.series_key ORDER BY p.at, p.position`.compile(builder);
  return { title: 'list events', text, values: parameters };
}

function selected(calendarId: string, query: EventQuery, { since, kind, after }: Part, order: ReturnType<typeof orderOf>) {
  const { cancelled, between, iCalUID, updatedMin, expand } = query;
  let places = builder.selectFrom('places').selectAll('places').select(seenChangeOf(query).as('seen_change')).where('places.calendar_id', '=', calendarId);
  if (kind !== 'all') places = places.where('recurs', '=', kind === 'series');
  if (since !== undefined) places = places.where('change', '>', since).where(sql<boolean>`${seenChangeOf(query)} > ${since}`);
  if (expand && query.order !== 'updated') places = places.where('along', '=', false);
  if (!cancelled) places = places.where('cancelled', '=', false);
  if (between !== undefined || updatedMin !== undefined) places = places.where(askedFor(query));
  if (iCalUID !== undefined) places = places.where('ical_uid', '=', indexKey(iCalUID));
  if (!after) return places;
  if (query.order === 'position') return places.where(sql<boolean>`places.position > ${after.position}`);
  return places.where(sql<boolean>`(${order.at}, ${order.position}) > (${after.at}::float8, ${after.position}::bigint)`);
}

/** Whether a row is within the query's time, and was changed late enough. */
function askedFor(query: EventQuery): RawBuilder<boolean> {
  const { between, updatedMin } = query;
  const isWithin = between ? sql`from_ms < ${between.to}::float8 AND to_ms > ${between.from}::float8` : sql`true`;
  return updatedMin === undefined ? sql<boolean>`${isWithin}` : sql<boolean>`${isWithin} AND latest_ms >= ${updatedMin}::float8 AND ${updatedOf(query)} >= ${updatedMin}::float8`;
}

const listed = ({ position, at, never_seen: neverSeen, was_series: wasSeries, body, series }: Row, { order }: EventQuery): ListedEvent => ({
  position: position as number,
  at: order === 'position' ? 0 : (at as number),
  record: recordFrom(body),
  ...(series !== null && { series: recordFrom(series) }),
  ...(neverSeen === true && { neverSeen: true }),
  ...(wasSeries === true && { wasSeries: true }),
});

/** Series as they are now, with their exceptions, which are stored with them; one that has not changed is not read again. */
export async function findExceptions(database: Database, series: readonly EventRecord[]): Promise<SeriesState[]> {
  const rows = series.length === 0 ? [] : await database.query({
    name: 'exceptions',
    text: `SELECT asked.place, CASE WHEN s.version <> asked.version THEN s.body END AS series, x.body
      FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY AS asked (home_id, key, version, place)
      JOIN events s ON s.home_id = asked.home_id AND s.key = asked.key
      LEFT JOIN events x ON x.home_id = s.home_id AND x.series_key = s.key`,
    values: [series.map(({ homeId }) => homeId), series.map(({ key }) => key), series.map(({ version }) => version)],
  });
  const byPlace = grouped(rows, ({ place }) => String(place));
  return series.map((record, index) => {
    const own = byPlace.get(String(index + 1)) ?? [];
    const [first] = own;
    return { record: first && first.series !== null ? recordFrom(first.series) : record, exceptions: own.flatMap(({ body }) => (body === null ? [] : recordFrom(body))) };
  });
}
