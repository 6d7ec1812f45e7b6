import { requireAllowed } from '../../calendar/calendar.access.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { GuestReferences } from '../attendees/replicas.ts';
import type { Draft } from '../draft.ts';
import type { EventRecord } from '../model/record.ts';
import { authorize } from './authorize.ts';
import { check } from './check.ts';
import { moveLines, normalize } from './normalize.ts';
import { stamp } from './stamp.ts';
import { merge } from './merge.ts';

/** One write, in one direction: the record as it becomes, the very same one when nothing changes. Stores nothing. */
export function patchRecord(draft: Draft, clock: Clock, references: GuestReferences): EventRecord {
  assertValid(draft);
  return stamp(draft, clock, references);
}

/** All steps but the last; throws AppError with everything that stands against the change. */
export function assertValid(draft: Draft): void {
  runSteps(draft);
  requireAllowed(draft.report.refusals, draft.report.issues);
}

/** The same without a verdict: what stands against the change is in the report. */
export function runSteps(draft: Draft): void {
  normalize(draft);
  moveLines(draft);
  authorize(draft);
  merge(draft);
  check(draft);
}
