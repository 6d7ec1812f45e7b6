import { LRUCache } from 'lru-cache';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import type { CalendarState, EventPage, EventQuery, EventStore } from '../../../event/event.store.ts';
import { findStatement, foundCalendar, type FoundCalendar } from '../calendars/calendar-load.ts';
import type { Database, Row } from '../database.ts';
import { firstStatement, listPage } from './event-list.ts';

/** The numbers of changes behind revisions. */
export interface Revisions {
  readonly stateOf: (found: FoundCalendar | undefined) => CalendarState | undefined;
  /** The number behind which a query begins; false where this store cannot continue from it. */
  readonly sinceOf: (query: EventQuery) => number | undefined | false;
}

/** How many references to calendars are remembered. */
const mostGuesses = 10_000;

/**
 * Reads a calendar and its page in one round trip: a page is asked for that would be right if the calendar were what it was
 * last time, and it is used where the calendar is just that.
 */
export function createFirstPage(database: Database, { stateOf, sinceOf }: Revisions): EventStore['listCalendar'] {
  const guesses = new LRUCache<string, CalendarState>({ max: mostGuesses });
  const pageOf = async ({ calendar }: CalendarState, query: EventQuery, rows: readonly Row[] | undefined): Promise<EventPage | undefined> => {
    const since = sinceOf(query);
    return since === false ? undefined : listPage(database, calendar.id, query, since, rows);
  };

  return async (ref: CalendarRef, queryOf): Promise<EventPage | undefined> => {
    const key = JSON.stringify(ref);
    const guess = guesses.get(key);
    const guessed = guess && guessedQuery(guess, queryOf);
    const since = guessed && sinceOf(guessed);
    const isGuessed = guess && guessed && since !== false;
    const [[row] = [], rows] = await database.use(({ runAll }) => runAll([findStatement([ref]), ...(isGuessed ? [firstStatement(guess.calendar.id, guessed, since)] : [])]));
    const state = stateOf(foundCalendar(row));
    if (guessed && state?.calendar === guess.calendar && state.revision === guess.revision) return pageOf(state, guessed, rows);
    const query = queryOf(state);
    if (!state) return undefined;
    guesses.set(key, state);
    return pageOf(state, query, state.calendar === guess?.calendar ? rows : undefined);
  };
}

/** Undefined where the calendar, as it was, is not for this caller, or the request is a wrong one: the calendar as it is decides. */
function guessedQuery(guess: CalendarState, queryOf: (state: CalendarState) => EventQuery): EventQuery | undefined {
  try {
    return queryOf(guess);
  } catch {
    return undefined;
  }
}
