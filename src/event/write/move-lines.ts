import { sameJson } from '../../core/kernel/equal.ts';
import { withoutNulls } from '../../core/kernel/patch.ts';
import type { Draft } from '../draft/draft.ts';
import { changesAnything, originalStartOf } from '../model/record.ts';
import type { EventPatch, EventTime } from '../model/fields.ts';
import { movedLines } from '../recurrence/moved-lines.ts';
import { maxExcludedOccurrences, tooManyExcluded } from '../recurrence/stored-lines.ts';
import { kindOf, orderOf } from '../time/time.ts';

/** Moves the lines of a series with its start, where the body does not set them (contract, section 15). */
export function moveLines(draft: Draft): void {
  const { change, creating, before, at, report, exceptions } = draft;
  const { recurrence = [], start: old } = before.core;
  if (creating || at.record.instance || change.start === undefined || change.start === null) return;
  if (change.recurrence !== undefined || recurrence.length === 0 || !old) return;
  const after = withoutNulls({ ...old, ...(change.start as EventPatch['start']) }) as EventTime;
  // A broken time is reported by its rule.
  if (kindOf(after) === null || kindOf(old) === null || orderOf(after) === null) return;
  const full = exceptions.filter(changesAnything);
  draft.excludesCancelled = kindOf(after) !== kindOf(old);
  const { lines, isAdditional, tooMany } = movedLines({
    lines: recurrence,
    before: old,
    after,
    zone: at.calendar.timeZone,
    changed: full.map(originalStartOf),
    cancelled: full.filter(({ core }) => core.status === 'cancelled').map(originalStartOf),
  });
  if (tooMany)
    report.issue(['event', 'recurrence'], 'tooMany', tooManyExcluded, { max: maxExcludedOccurrences });
  if (!sameJson(lines, recurrence)) change.recurrence = lines;
  if (isAdditional)
    report.warn(
      ['event', 'recurrence'],
      'normalized',
      `The rules do not give the new start, which is an occurrence beside theirs. Stored as ${lines.join(' and ')}`,
    );
}
