import { fetchStatement, type Fetch } from './look-statements.ts';
import type { Ask, Asked, Looked, Parts, Standing, Walked } from './walk-state.ts';

/** Asks the homes of events for what the calendars on which they stand did not have themselves. */
export function fetchesOf(
  { target, ids }: Asked,
  walked: Walked,
  { calendarId, looked, guests }: Parts,
): Ask[] {
  const fetches = new Map<string, Fetch>();
  const add = (
    kind: 'keys' | 'roots' | 'originalOf' | 'counts',
    home: string,
    key: string | null | undefined,
  ): void => {
    const what = `${kind} ${home} ${key}`;
    if (key === null || key === undefined || walked.asked.has(what)) return;
    walked.asked.add(what);
    const known = fetches.get(home) ?? {
      homeId: home,
      keys: [],
      roots: [],
      originalOf: [],
      original: ids.original,
      counts: [],
      waits: target.mailsBy !== undefined,
    };
    fetches.set(home, { ...known, [kind]: [...known[kind], key] });
  };
  const addEvent = ({ home, key, seriesKey }: Standing): void => {
    for (const one of [key, seriesKey]) if (one !== null && !walked.events.has(one)) add('keys', home, one);
  };
  /** Also of those that are known: an event and its exceptions are to be of one moment. */
  const addRoot = (on: string, { home, key }: Standing): void => {
    if (home === on || walked.looked.get(home)?.places.get(ids.event)?.key === key) return;
    add('keys', home, key);
    add('roots', home, key);
  };
  const addOriginal = (on: string, { places }: Looked): void => {
    const series = ids.named === undefined || places.has(ids.event) ? undefined : places.get(ids.named);
    if (!series || series.home === on || walked.originals.has(series.key)) return;
    addEvent(series);
    add('originalOf', series.home, series.key);
  };
  const [event, series] = [ids.event, ids.series].map((id) =>
    id === undefined ? undefined : looked.places.get(id),
  );
  if (calendarId !== undefined) {
    for (const standing of [...looked.places.values(), ...looked.uids])
      if (standing.home !== calendarId) addEvent(standing);
    for (const root of [event, target.divides ? series : undefined]) if (root) addRoot(calendarId, root);
    addOriginal(calendarId, looked);
    if (series && !event && series.home !== calendarId) add('counts', series.home, series.key);
  }
  for (const part of guests) {
    const own = part.looked.places.get(ids.event);
    if (own && own.home !== part.calendarId) addEvent(own);
    if (own) addRoot(part.calendarId, own);
    addOriginal(part.calendarId, part.looked);
  }
  return [...fetches.values()].map((fetch) => ({
    at: fetch.homeId,
    statement: fetchStatement(fetch),
    what: `fetch ${walked.asked.size}`,
  }));
}
