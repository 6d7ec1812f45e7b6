import { sameValue } from '../../core/fields/changes.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { tooMany } from '../../core/fields/validate.ts';
import type { Draft } from '../draft.ts';
import type { Attendee } from '../model/fields.ts';
import { listedAlready } from '../rules/duplicate-guests.ts';
import { type GuestListContext, keyOfSent, settle, storedGuests } from './guest-list.ts';

const guestsPath = ['event', 'attendees'];

/** With `attendeesOmitted: true` only the entry of the calendar's owner is applied, and nobody is removed. */
export function answerOnly(draft: Draft, node: FieldNode, known: GuestListContext): void {
  const { context, body, report } = draft;
  const sent = body.attendees;
  const ignore = (steps: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...steps], 'ignored', message);
  if (sent === null)
    ignore([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  if (sent && sent.length > known.maxGuests)
    return report.issue(
      guestsPath,
      ...tooMany({ entries: known.maxGuests, called: 'attendees' }, sent.length),
    );
  const first = new Map<string | undefined, number>();
  for (const [index, entry] of (sent ?? []).entries()) {
    const key = keyOfSent(entry);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else if (key === context.owner)
      report.issue([...guestsPath, index, 'email'], 'invalid', listedAlready(earlier), { index: earlier });
    const [shown, stored] = [known.seenEntry(key), known.storedEntry(key)];
    const differing = known.fields.filter(
      (field) =>
        entry[field.name as 'email'] !== undefined &&
        !sameValue(field, shown?.[field.name as 'email'], entry[field.name as 'email']),
    );
    if (key !== context.owner) {
      if (!shown || differing.length > 0)
        ignore([index], 'With attendeesOmitted: true only your own entry is applied: this one was ignored.');
    } else if (!shown || !stored) {
      ignore(
        [index],
        'This calendar is not on the guest list, so with attendeesOmitted: true there is no entry to change.',
      );
    } else {
      for (const { name, change } of differing)
        if (change !== 'own' && name !== 'email') ignore([index, name], onlyAnswer);
      const answer = differing
        .filter(({ change }) => change === 'own')
        .map(({ name }) => [name, entry[name as 'comment'] ?? undefined] as const);
      if (answer.length > 0)
        replace(draft, node, known, { stored, answer: Object.fromEntries(answer), index });
    }
  }
}

function replace(
  draft: Draft,
  node: FieldNode,
  known: GuestListContext,
  own: { stored: Attendee; answer: object; index: number },
): void {
  const [answered] = storedGuests([{ ...own.stored, ...own.answer }], known.fields) as [Attendee];
  const list = known.stored.map((entry) =>
    entry === own.stored ? { entry: answered, index: own.index } : { entry, index: -1 },
  );
  settle(draft, node, list, false);
}

const onlyAnswer =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
