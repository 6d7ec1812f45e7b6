import { LRUCache } from 'lru-cache';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import type { CalendarState, EventPage, EventQuery, EventStore } from '../../../event/event.store.ts';
import { findLikely } from '../find-calendars.ts';
import type { Database, Row } from '../database.ts';
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
    const first = isGuessed ? firstStatements(guess.calendar.id, guessed, since) : [];
    const [found, answers] = await findLikely(database, ref, guess?.calendar.id, first);
    const state = stateOf(found);
    if (guessed && state?.calendar === guess.calendar && state.revision === guess.revision)
      return pageOf(database, revisions, state.calendar.id, guessed, { newest: found?.changes, answers });
    const query = queryOf(state);
    if (!state) return undefined;
    guesses.set(key, state);
    return pageOf(database, revisions, state.calendar.id, query, {
      newest: found?.changes,
      answers: isGuessed && state.calendar === guess.calendar ? answers : undefined,
    });
  };
}

/** Values that were read before the page. */
interface ReadBefore {
  /** The number of the calendar's last change. */
  readonly newest?: number | undefined;
  /** Rows of the statements that the page sends first. */
  readonly answers?: readonly (readonly Row[])[] | undefined;
}

export async function pageOf(
  database: Database,
  { sinceOf, safeRevision }: Revisions,
  calendarId: string,
  query: EventQuery,
  { newest, answers }: ReadBefore = {},
): Promise<EventPage | undefined> {
  const since = sinceOf(query, newest);
  if (since === false) return undefined;
  const { unsettled, ...page } = await listPage(database, calendarId, query, since, answers);
  const { revision } = query;
  return { ...page, revision: revision === undefined ? undefined : safeRevision(revision, unsettled) };
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
