import type { CalendarState, EventQuery } from '../../../event/event.store.ts';
import type { FoundCalendar } from '../calendars/calendar-load.ts';

/** The numbers of changes behind revisions. */
export interface Revisions {
  readonly revisionOf: (changes: number) => string;
  /** The number of a revision; undefined for one that is none of this database's. */
  readonly changeOf: (revision: string) => number | undefined;
  readonly stateOf: (found: FoundCalendar | undefined) => CalendarState | undefined;
  /** The number behind which a query begins; false where this store cannot continue from it. */
  readonly sinceOf: (query: EventQuery) => number | undefined | false;
  /** What a page says of a change that does not show on it in full: nothing, where that is newer than what the list knows of anyway. */
  readonly settledOf: (query: EventQuery, unsettled: number | undefined) => { readonly settled?: string };
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
    revisionOf,
    changeOf: (revision) => changeOf(revision),
    stateOf: (found) => found && { calendar: found.record, revision: revisionOf(found.changes) },
    sinceOf({ revision, since, knows }) {
      const last = changeOf(revision);
      const start = since === undefined ? undefined : changeOf(since, last);
      const isKnown =
        (since === undefined || start !== undefined) &&
        (knows === undefined || changeOf(knows, last) !== undefined);
      return isKnown && start;
    },
    settledOf({ revision, knows }, unsettled = Infinity) {
      const settled = Math.max(0, unsettled - 1);
      return settled < (changeOf(knows ?? revision) ?? 0) ? { settled: revisionOf(settled) } : {};
    },
  };
}
