import { maxInt32 } from '../../core/fields/value-schemas.ts';
import { type Draft, eventAfter, eventBefore } from '../draft.ts';
import type { EventBody, EventField } from '../model/fields.ts';

/** Merges a draft's normalized change into the parts that store its fields. */
export function mergeChange(draft: Draft): void {
  const { context, before, change, replacements } = draft;
  draft.after = context.model.merge(before, change);
  if (replacements) {
    const core: Record<string, unknown> = { ...draft.after.core, ...replacements };
    for (const name of Object.keys(replacements)) if (core[name] === undefined) delete core[name];
    draft.after = { ...draft.after, core };
  }
  if (
    !draft.isCreating &&
    Object.keys(change).some((name) => context.model.fields.get(name as EventField)?.raisesSequence)
  )
    raiseSequence(draft);
}

/** Increases the sequence after a change of time, recurrence or status (RFC 5546, section 2.1.4). */
function raiseSequence(draft: Draft): void {
  const storedSequence = eventBefore(draft).sequence ?? 0;
  // A sequence that the body sets stays.
  if ((eventAfter(draft).sequence ?? 0) !== storedSequence) return;
  draft.after = draft.context.model.merge(draft.after, {
    sequence: Math.min(storedSequence + 1, maxInt32),
  } satisfies EventBody);
}

/** Restores the sequence, which a split or an import must not increase unless the body sets it. */
export function restoreSequence(draft: Draft): void {
  const { change, before, after } = draft;
  if (change.sequence !== undefined || after.core.sequence === before.core.sequence) return;
  const { sequence: _sequence, ...core } = after.core;
  draft.after = {
    ...after,
    core: before.core.sequence === undefined ? core : { ...core, sequence: before.core.sequence },
  };
}
