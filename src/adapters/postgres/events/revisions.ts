import type { CalendarState, EventQuery } from '../../../event/event.store.ts';
import type { CalendarSnapshot } from '../find-calendars.ts';

export type Revisions = ReturnType<typeof createRevisions>;

/** Digits of the change number in a revision: a fixed number, which does not reveal how many changes there were. */
const revisionDigits = 15;

/** Creates conversions between revisions and change numbers. `revisionPrefix`: differs for each database. */
export function createRevisions(revisionPrefix: string) {
  const formatRevision = (changeNumber: number): string =>
    `${revisionPrefix}.${String(changeNumber).padStart(revisionDigits, '0')}`;

  /** Returns the change number of a revision; undefined too if it is over `maxChange`, as after a failover that lost changes. */
  function parseRevision(revision: string, maxChange = Infinity): number | undefined {
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
    parseRevision,
    toCalendarState: (snapshot: CalendarSnapshot | undefined): CalendarState | undefined =>
      snapshot && { calendar: snapshot.record, revision: formatRevision(snapshot.changes) },
    /** Returns the change after which a query begins; false if the store cannot continue. `newestChange`: the calendar's last one. */
    findStartChange: ({ revision, since }: EventQuery, newestChange?: number): number | undefined | false => {
      const maxChange = revision === undefined ? newestChange : parseRevision(revision, newestChange);
      const startChange = since === undefined ? undefined : parseRevision(since, maxChange);
      const hasUnknownRevision =
        (revision !== undefined && maxChange === undefined) ||
        (since !== undefined && startChange === undefined);
      return hasUnknownRevision ? false : startChange;
    },
    /** Returns the revision, or the one before an unsettled change if that is older. */
    safeRevision: (revision: string, oldestUnsettled = Infinity): string => {
      const safeChange = Math.max(0, oldestUnsettled - 1);
      return safeChange < (parseRevision(revision) ?? 0) ? formatRevision(safeChange) : revision;
    },
  };
}
