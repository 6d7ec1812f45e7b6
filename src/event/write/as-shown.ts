import type { ChangeClass } from '../../core/fields/table.ts';
import type { Draft } from '../draft/draft.ts';
import type { EventPatch } from '../model/fields.ts';
import { normalize } from './normalize.ts';

const fixed: ReadonlySet<ChangeClass | undefined> = new Set(['readOnly', 'immutable']);

/**
 * What a body changes of an instance as it is shown, to be applied to its series. One that names the series is the instance
 * as it was read: what is as it is shown, and `recurrence: null`, is left out. Any other body means all that it says, but for
 * what cannot be changed and is as it is shown.
 */
export function changesOf(draft: Draft): EventPatch {
  normalize(draft);
  const { change, replacements, guests, report, unapplied, body, sent, at } = draft;
  const wasRead = typeof body.recurringEventId === 'string';
  const said = [...report.issues, ...report.refusals, ...report.warnings, ...unapplied].map(
    ({ path }) => path[1],
  );
  const kept = new Set<unknown>([
    ...Object.keys(change),
    ...said,
    'attendeesOmitted',
    ...(wasRead && body.recurrence === null ? [] : ['recurrence']),
    ...(replacements ? ['conferenceData'] : []),
    ...(guests?.invites ? ['attendees'] : []),
  ]);
  const isMeant = (name: string): boolean =>
    kept.has(name) || (!wasRead && !fixed.has(at.model.fields.get(name as 'id')?.change));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => isMeant(name)));
}
