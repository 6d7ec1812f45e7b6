import type { CalendarState, EventQuery } from '../../../event/event.store.ts';
import type { FoundCalendar } from '../find-calendars.ts';

/** The numbers of changes behind revisions. */
export interface Revisions {
  readonly stateOf: (found: FoundCalendar | undefined) => CalendarState | undefined;
  /** The number of a revision; undefined for one that is none of this database's. */
  readonly changeOf: (revision: string) => number | undefined;
  /** The number behind which a query begins; false where this store cannot continue from it. `newest`: that of the calendar. */
  readonly sinceOf: (query: EventQuery, newest?: number) => number | undefined | false;
  /** A revision, or the one before an unsettled change where that is older. */
  readonly safeRevision: (revision: string, unsettled: number | undefined) => string;
}

/** `epoch` sets the revisions of a database apart from those of others. */
export function createRevisions(epoch: string): Revisions {
  const revisionOf = (changes: number): string => `${epoch}.${String(changes).padStart(15, '0')}`;

  /** Undefined also for one that is newer than `last`. */
  function changeOf(revision: string, last = Infinity): number | undefined {
    const [of, number = '', ...rest] = revision.split('.');
    const known = of === epoch && rest.length === 0 && /^\d{1,15}$/.test(number) && Number(number) <= last;
    return known ? Number(number) : undefined;
  }

  return {
    stateOf: (found) => found && { calendar: found.record, revision: revisionOf(found.changes) },
    changeOf: (revision) => changeOf(revision),
    sinceOf({ revision, since }, newest) {
      const last = revision === undefined ? newest : changeOf(revision, newest);
      const start = since === undefined ? undefined : changeOf(since, last);
      const isKnown =
        (revision === undefined || last !== undefined) && (since === undefined || start !== undefined);
      return isKnown && start;
    },
    safeRevision(revision, unsettled = Infinity) {
      const safe = Math.max(0, unsettled - 1);
      return safe < (changeOf(revision) ?? 0) ? revisionOf(safe) : revision;
    },
  };
}
