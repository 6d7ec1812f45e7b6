import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type {
  EventPage,
  EventQuery,
  ListedEvent,
  SeriesState,
  StandingEvent,
} from '../../../event/event.store.ts';
import type { EventRecord, StoredEvent } from '../../../event/model/record.ts';
import type { Database, Row, Statement } from '../database.ts';
import { grouped } from '../grouped.ts';
import { lookupKey } from '../lookup.ts';
import { recordFrom } from './event-load.ts';
import { knownOf, nothingKnown, withRecords, type KnownPage, type RowWithRecords } from './known-records.ts';
import { spreadPage, spreadPageStatements } from '../spread/event-page.ts';
import { queryEach } from '../spread/by-keys.ts';
import { earlier } from '../spread/settled.ts';
import { behindOn, seriesOfHomes } from '../spread/standing.ts';
import { pageStatement, type AskedPage, type RowRange } from './page-statement.ts';

const fewestRows = 20;
const mostRows = 1000;

/** A page, and the number of the oldest change that does not show on it in full: another node has not brought it to light yet. */
export interface FoundPage extends EventPage {
  readonly unsettled?: number | undefined;
}

/**
 * The events of a calendar that a query finds: the database selects by all but `accepts`, which is applied here, to as many
 * rows at a time as may be needed. `since` is the number of the change behind which to begin; `firstAnswers` are those of
 * `firstStatements`, where they ran already. By start, all series come apart, beside the others.
 */
export async function listPage(
  database: Database,
  calendarId: string,
  query: EventQuery,
  since: number | undefined,
  firstAnswers?: readonly (readonly Row[])[],
): Promise<FoundPage> {
  const { limit, accepts } = query;
  const [entries, series]: [ListedEvent[], ListedEvent[]] = [[], []];
  let [range, seriesRange, read] = [...firstRanges(query), firstAnswers];
  let unsettled: number | undefined;
  // Each time twice as many: where little is found, the round trips stay few.
  for (let least = 2 * fewestRows; range || seriesRange; least *= 2) {
    const page = { calendarId, query, ranges: { since, range, seriesRange } };
    const { rows, unsettled: notYet } =
      (await readPage(database, page, knownOf(page), read)) ??
      (await readPage(database, page, nothingKnown)) ??
      unreadable();
    read = undefined;
    unsettled = earlier(unsettled, notYet);
    const found = rows.filter(({ row }) => row.apart !== true);
    const foundSeries = rows.filter(({ row }) => row.apart === true);
    entries.push(...(await acceptedOf(listedOf(found, query), accepts)));
    series.push(...(await acceptedOf(listedOf(foundSeries, query), accepts)));
    const isEnough: boolean = found.length < (range?.rows ?? Infinity) || entries.length > limit;
    range = isEnough
      ? undefined
      : {
          after: placeOf(found.at(-1)?.row, query),
          rows: Math.min(mostRows, Math.max(limit + 1 - entries.length, least)),
        };
    seriesRange =
      foundSeries.length < (seriesRange?.rows ?? Infinity)
        ? undefined
        : { after: placeOf(foundSeries.at(-1)?.row, query), rows: mostRows };
  }
  return { entries: entries.slice(0, limit), more: entries.length > limit, series, unsettled };
}

const firstRanges = ({
  order,
  limit,
  after,
}: EventQuery): [range: RowRange | undefined, seriesRange: RowRange | undefined] => [
  { after, rows: Math.min(mostRows, Math.max(limit + 1, fewestRows)) },
  order === 'start' ? { after: undefined, rows: mostRows } : undefined,
];

/** What `listPage` reads first. */
export function firstStatements(
  database: Database,
  calendarId: string,
  query: EventQuery,
  since: number | undefined,
): Statement[] {
  const [range, seriesRange] = firstRanges(query);
  const page = { calendarId, query, ranges: { since, range, seriesRange } };
  return statementsFor(database, page, knownOf(page));
}

const statementsFor = ({ isSpread }: Database, page: AskedPage, known: KnownPage): Statement[] =>
  isSpread ? spreadPageStatements(page, known) : [pageStatement(page, known.upTo)];

interface ReadPage {
  readonly rows: readonly RowWithRecords[];
  readonly unsettled?: number | undefined;
}

/** Reads without the bodies that are known. Undefined where one of them is needed. */
async function readPage(
  database: Database,
  page: AskedPage,
  known: KnownPage,
  answers?: readonly (readonly Row[])[],
): Promise<ReadPage | undefined> {
  const found = answers ?? (await queryEach(database, statementsFor(database, page, known)));
  const whole = database.isSpread
    ? await spreadPage(database, page, found, known)
    : { rows: found[0] ?? [], keys: undefined, unsettled: undefined };
  const rows = withRecords(page, whole.rows, whole.keys);
  return rows && { rows, unsettled: whole.unsettled };
}

function unreadable(): never {
  throw new Error('a page came without its bodies');
}

/** The events that `accepts` accepts; yields to other requests. */
async function acceptedOf(
  found: readonly ListedEvent[],
  accepts: EventQuery['accepts'],
): Promise<ListedEvent[]> {
  const accepted: ListedEvent[] = [];
  for (const entry of found) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    if (accepts(entry)) accepted.push(entry);
  }
  return accepted;
}

const placeOf = (row: Row | undefined, { order }: EventQuery): RowRange['after'] =>
  row && { position: row.position as number, at: order === 'position' ? 0 : (row.at as number) };

/** Without those whose record is not to be found. */
const listedOf = (rows: readonly RowWithRecords[], query: EventQuery): ListedEvent[] =>
  rows.flatMap(({ row, record, series }) => (record ? [listed(row, { record, series }, query)] : []));

const listed = (row: Row, { record, series }: StoredEvent, { order }: EventQuery): ListedEvent => ({
  position: row.position as number,
  at: order === 'position' ? 0 : (row.at as number),
  record,
  ...(series && { series }),
  ...(row.never_seen === true && { neverSeen: true }),
  ...(row.was_series === true && { wasSeries: true }),
});

/** What stands on a calendar, in the order of ids by code unit, whatever order the database has. */
export async function findBehind(
  database: Database,
  calendarId: string,
  eventId: string,
  limit: number,
): Promise<StandingEvent[]> {
  const rows = database.isSpread
    ? await behindOn(database, calendarId, eventId, limit)
    : await database.query({
        name: 'events behind',
        text: `SELECT p.event_id, e.body, s.body AS series FROM (
        SELECT event_id, home_id, key, series_key FROM places WHERE calendar_id = $1 AND event_id COLLATE "C" > $2 ORDER BY event_id COLLATE "C" LIMIT $3
      ) p JOIN events e ON e.home_id = p.home_id AND e.key = p.key
        LEFT JOIN events s ON s.home_id = p.home_id AND s.key = p.series_key
      ORDER BY p.event_id COLLATE "C"`,
        values: [lookupKey(calendarId), eventId, limit],
      });
  return rows.map(({ event_id: id, body, series }) => ({
    eventId: id as string,
    record: recordFrom(body),
    ...(series !== null && { series: recordFrom(series) }),
  }));
}

/** Series as they are now, with their exceptions, which are stored with them; one that has not changed is not read again. */
export async function findExceptions(
  database: Database,
  series: readonly EventRecord[],
): Promise<SeriesState[]> {
  const rows =
    series.length === 0
      ? []
      : database.isSpread
        ? await seriesOfHomes(database, series)
        : await database.query({
            name: 'exceptions',
            text: `SELECT asked.place, CASE WHEN s.version <> asked.version THEN s.body END AS series, x.body
      FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY AS asked (home_id, key, version, place)
      JOIN events s ON s.home_id = asked.home_id AND s.key = asked.key
      LEFT JOIN events x ON x.home_id = s.home_id AND x.series_key = s.key`,
            values: [
              series.map(({ homeId }) => homeId),
              series.map(({ key }) => key),
              series.map(({ version }) => version),
            ],
          });
  const byPlace = grouped(rows, ({ place }) => String(place));
  return series.map((record, index) => {
    const own = byPlace.get(String(index + 1)) ?? [];
    const [first] = own;
    return {
      record: first && first.series !== null ? recordFrom(first.series) : record,
      exceptions: own.flatMap(({ body }) => (body === null ? [] : recordFrom(body))),
    };
  });
}
