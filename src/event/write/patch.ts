import { requireAllowed } from '../../calendar/calendar.access.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { GuestReferences } from '../attendees/copies.ts';
import type { Draft } from '../draft.ts';
import type { EventRecord } from '../model/record.ts';
import { authorize } from './authorize.ts';
import { checkDraft } from './check.ts';
import { moveLines, normalize } from './normalize.ts';
import { stampRecord } from './stamp.ts';
import { mergeChange, restoreSequence } from './merge-change.ts';

/**
 * Returns the record after a draft's change; the record itself if nothing changes. Throws AppError with all
 * issues.
 */
export function patchRecord(draft: Draft, clock: Clock, references: GuestReferences): EventRecord {
  assertValid(draft);
  return stampRecord(draft, clock, references);
}

/**
 * Returns the record like `patchRecord`, but keeps the sequence unless the body sets it: for a part of a
 * series, or an import.
 */
export function patchKeepingSequence(draft: Draft, clock: Clock, references: GuestReferences): EventRecord {
  assertValid(draft);
  restoreSequence(draft);
  return stampRecord(draft, clock, references);
}

/** Runs all steps but `stampRecord`. Throws AppError with all issues and refusals. */
export function assertValid(draft: Draft): void {
  runSteps(draft);
  requireAllowed(draft.report.refusals, draft.report.issues);
}

/** Runs all steps but `stampRecord`. Leaves issues and refusals in the draft's report. */
export function runSteps(draft: Draft): void {
  normalize(draft);
  moveLines(draft);
  authorize(draft);
  mergeChange(draft);
  checkDraft(draft);
}
