import type { CalendarState, EventQuery } from '../../../event/event.store.ts';
import type { CalendarSnapshot } from '../find-calendars.ts';

/** Converts between revisions and change numbers. */
export interface Revisions {
  readonly toCalendarState: (snapshot: CalendarSnapshot | undefined) => CalendarState | undefined;
  /** Returns the change number of a revision; undefined for one of another database. */
  readonly parseRevision: (revision: string) => number | undefined;
  /** Returns the change after which a query begins; false if the store cannot continue. `newestChange`: the calendar's last one. */
  readonly findStartChange: (query: EventQuery, newestChange?: number) => number | undefined | false;
  /** Returns the revision, or the one before an unsettled change if that is older. */
  readonly safeRevision: (revision: string, oldestUnsettled: number | undefined) => string;
}

/** Digits of the change number in a revision: a fixed number, which does not reveal how many changes there were. */
const revisionDigits = 15;

/** Creates the conversions. `revisionPrefix`: differs for each database. */
export function createRevisions(revisionPrefix: string): Revisions {
  const formatRevision = (changeNumber: number): string =>
    `${revisionPrefix}.${String(changeNumber).padStart(revisionDigits, '0')}`;

  /** Returns the change number of a revision; undefined too if it is over `maxChange`, as after a failover that lost changes. */
  function parseChange(revision: string, maxChange = Infinity): number | undefined {
    const [prefix, digits = '', ...otherParts] = revision.split('.');
    const isValid =
      prefix === revisionPrefix &&
      otherParts.length === 0 &&
      /^\d+$/.test(digits) &&
      digits.length <= revisionDigits &&
      Number(digits) <= maxChange;
    return isValid ? Number(digits) : undefined;
  }

  return {
    toCalendarState: (snapshot) =>
      snapshot && { calendar: snapshot.record, revision: formatRevision(snapshot.changes) },
    parseRevision: (revision) => parseChange(revision),
    findStartChange({ revision, since }, newestChange) {
      const maxChange = revision === undefined ? newestChange : parseChange(revision, newestChange);
      const startChange = since === undefined ? undefined : parseChange(since, maxChange);
      const areRevisionsKnown =
        (revision === undefined || maxChange !== undefined) &&
        (since === undefined || startChange !== undefined);
      return areRevisionsKnown && startChange;
    },
    safeRevision(revision, oldestUnsettled = Infinity) {
      const safeChange = Math.max(0, oldestUnsettled - 1);
      return safeChange < (parseChange(revision) ?? 0) ? formatRevision(safeChange) : revision;
    },
  };
}
