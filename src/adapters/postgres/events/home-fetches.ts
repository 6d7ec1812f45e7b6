import type {
  Ask,
  CalendarEntries,
  EntryRef,
  LoadedCalendars,
  LoadedRows,
  LoadRequest,
} from './load-rows.ts';
import { fetchStatement, type Fetch } from './load-statements.ts';

/** Statements for the homes of events whose records the calendars on which they stand did not have themselves. */
export function fetchesOf(
  { target, ids }: LoadRequest,
  rows: LoadedRows,
  { calendarId, entries, guests }: LoadedCalendars,
): Ask[] {
  const fetches = new Map<string, Fetch>();
  const add = (
    kind: 'keys' | 'roots' | 'originalOf' | 'counts',
    home: string,
    key: string | null | undefined,
  ): void => {
    const what = `${kind} ${home} ${key}`;
    if (key === null || key === undefined || rows.sent.has(what)) return;
    rows.sent.add(what);
    const known = fetches.get(home) ?? {
      homeId: home,
      keys: [],
      roots: [],
      originalOf: [],
      original: ids.original,
      counts: [],
    };
    fetches.set(home, { ...known, [kind]: [...known[kind], key] });
  };
  const addEvent = ({ home, key, seriesKey }: EntryRef): void => {
    for (const one of [key, seriesKey]) if (one !== null && !rows.events.has(one)) add('keys', home, one);
  };
  /** Also of those that are known: an event and its exceptions are to be of one moment. */
  const addRoot = (on: string, { home, key }: EntryRef): void => {
    if (home === on || rows.entries.get(home)?.byId.get(ids.event)?.key === key) return;
    add('keys', home, key);
    add('roots', home, key);
  };
  const addOriginal = (on: string, { byId }: CalendarEntries): void => {
    const series = ids.named === undefined || byId.has(ids.event) ? undefined : byId.get(ids.named);
    if (!series || series.home === on || rows.originals.has(series.key)) return;
    addEvent(series);
    add('originalOf', series.home, series.key);
  };
  const [event, series] = [ids.event, ids.series].map((id) =>
    id === undefined ? undefined : entries.byId.get(id),
  );
  if (calendarId !== undefined) {
    for (const entry of [...entries.byId.values(), ...entries.uids])
      if (entry.home !== calendarId) addEvent(entry);
    for (const root of [event, target.divides ? series : undefined]) if (root) addRoot(calendarId, root);
    addOriginal(calendarId, entries);
    if (series && series.home !== calendarId) add('counts', series.home, series.key);
  }
  for (const guest of guests) {
    const own = guest.entries.byId.get(ids.event);
    if (own && own.home !== guest.calendarId) addEvent(own);
    if (own) addRoot(guest.calendarId, own);
    addOriginal(guest.calendarId, guest.entries);
  }
  return [...fetches.values()].map((fetch) => ({
    at: fetch.homeId,
    statement: fetchStatement(fetch),
    what: `fetch ${rows.sent.size}`,
  }));
}
