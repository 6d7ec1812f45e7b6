import { LRUCache } from 'lru-cache';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import type { CalendarState, EventPage, EventQuery, EventStore } from '../../../event/event.store.ts';
import { findStatement, foundCalendar, type FoundCalendar } from '../calendars/calendar-load.ts';
import type { Database, Row, Statement } from '../database.ts';
import { findLikely } from '../spread/likely-calendar.ts';
import { firstStatements, listPage } from './event-list.ts';
import type { Revisions } from './revisions.ts';

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
    const first = isGuessed ? firstStatements(database, guess.calendar.id, guessed, since) : [];
    const [found, answers] = await (database.isSpread ? findLikely : findWith)(
      database,
      ref,
      guess?.calendar.id,
      first,
    );
    const state = stateOf(found);
    if (guessed && state?.calendar === guess.calendar && state.revision === guess.revision)
      return pageOf(database, revisions, state.calendar.id, guessed, answers);
    const query = queryOf(state);
    if (!state) return undefined;
    guesses.set(key, state);
    return pageOf(
      database,
      revisions,
      state.calendar.id,
      query,
      isGuessed && state.calendar === guess.calendar ? answers : undefined,
    );
  };
}

/** A page of a calendar, of which what it reads first may be known. */
export async function pageOf(
  database: Database,
  { sinceOf, settledOf }: Revisions,
  calendarId: string,
  query: EventQuery,
  answers?: readonly (readonly Row[])[],
): Promise<EventPage | undefined> {
  const since = sinceOf(query);
  if (since === false) return undefined;
  const { unsettled, ...page } = await listPage(database, calendarId, query, since, answers);
  return { ...page, ...settledOf(query, unsettled) };
}

/** A calendar, and the rows of statements about the one that it was last time. */
async function findWith(
  database: Database,
  ref: CalendarRef,
  _likely: string | undefined,
  next: readonly Statement[],
): Promise<[FoundCalendar | undefined, (readonly (readonly Row[])[])?]> {
  const [[row] = [], ...answers] = await database.use(({ runAll }) =>
    runAll([findStatement([ref]), ...next]),
  );
  return [foundCalendar(row), answers];
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
