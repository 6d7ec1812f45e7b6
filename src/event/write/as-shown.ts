import type { Draft } from '../draft/draft.ts';
import type { EventPatch } from '../model/fields.ts';
import { normalize } from './normalize.ts';

/** What a body changes of an event as it is shown, to be applied to another one: the rest is left out, and what is said of it. */
export function changesOf(draft: Draft): EventPatch {
  normalize(draft);
  const { change, replacements, guests, report, unapplied, body } = draft;
  const said = [...report.issues, ...report.refusals, ...report.warnings, ...unapplied].map(({ path }) => path[1]);
  const kept = new Set<unknown>([
    ...Object.keys(change), ...said, 'attendeesOmitted',
    // An instance has none: null says something of its series, unless the body names that, as it is read.
    ...(body.recurrence !== null || typeof body.recurringEventId !== 'string' ? ['recurrence'] : []),
    ...(replacements ? ['conferenceData'] : []), ...(guests?.invites ? ['attendees'] : []),
  ]);
  return Object.fromEntries(Object.entries(body).filter(([name]) => kept.has(name)));
}
