import type { CalendarState, EventQuery } from '../../../event/event.store.ts';
import type { CalendarSnapshot } from '../find-calendars.ts';

/** Converts between revisions and change numbers. */
export interface Revisions {
  readonly toCalendarState: (snapshot: CalendarSnapshot | undefined) => CalendarState | undefined;
  /** Returns the change number of a revision; undefined for one of another database. */
  readonly parseRevision: (revision: string) => number | undefined;
  /** Returns the change after which a query begins; false where the store cannot continue. `newestChange`: the calendar's last one. */
  readonly findStartChange: (query: EventQuery, newestChange?: number) => number | undefined | false;
  /** Returns the revision, or the one before an unsettled change if that is older. */
  readonly safeRevision: (revision: string, oldestUnsettled: number | undefined) => string;
}

/** `epoch` tells revisions of this database from those of others. */
export function createRevisions(epoch: string): Revisions {
  const formatRevision = (changes: number): string => `${epoch}.${String(changes).padStart(15, '0')}`;

  /** Undefined also for a number over `maxChange`, which a failover may have lost. */
  function parseChange(revision: string, maxChange = Infinity): number | undefined {
    const [of, number = '', ...rest] = revision.split('.');
    const isValid =
      of === epoch && rest.length === 0 && /^\d{1,15}$/.test(number) && Number(number) <= maxChange;
    return isValid ? Number(number) : undefined;
  }

  return {
    toCalendarState: (snapshot) =>
      snapshot && { calendar: snapshot.record, revision: formatRevision(snapshot.changes) },
    parseRevision: (revision) => parseChange(revision),
    findStartChange({ revision, since }, newestChange) {
      const maxChange = revision === undefined ? newestChange : parseChange(revision, newestChange);
      const start = since === undefined ? undefined : parseChange(since, maxChange);
      const isKnown =
        (revision === undefined || maxChange !== undefined) && (since === undefined || start !== undefined);
      return isKnown && start;
    },
    safeRevision(revision, oldestUnsettled = Infinity) {
      const safe = Math.max(0, oldestUnsettled - 1);
      return safe < (parseChange(revision) ?? 0) ? formatRevision(safe) : revision;
    },
  };
}
