import { sameValue } from '../../core/fields/changes.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { tooMany } from '../../core/fields/validate.ts';
import type { Draft } from '../draft.ts';
import type { Attendee } from '../model/fields.ts';
import { listedAlready } from '../rules/duplicate-guests.ts';
import { type GuestListLimits, keyOfSent, settle, storedGuests } from './guest-list.ts';

const guestsPath = ['event', 'attendees'];

/** With `attendeesOmitted: true` only the entry of the calendar's owner is applied, and nobody is removed. */
export function answerOnly(draft: Draft, node: FieldNode, facts: GuestListLimits): void {
  const {
    context,
    body: { attendees: sent },
    report,
  } = draft;
  const ignore = (steps: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...steps], 'ignored', message);
  if (sent === null)
    ignore([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  if (sent && sent.length > facts.most)
    return report.issue(guestsPath, ...tooMany({ entries: facts.most, called: 'attendees' }, sent.length));
  const first = new Map<string | undefined, number>();
  for (const [index, entry] of (sent ?? []).entries()) {
    const key = keyOfSent(entry);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else if (key === context.owner)
      report.issue([...guestsPath, index, 'email'], 'invalid', listedAlready(earlier), { index: earlier });
    const [shown, stored] = [facts.seenEntry(key), facts.storedEntry(key)];
    const differing = facts.fields.filter(
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
        replace(draft, node, facts, { stored, answer: Object.fromEntries(answer), index });
    }
  }
}

function replace(
  draft: Draft,
  node: FieldNode,
  facts: GuestListLimits,
  own: { stored: Attendee; answer: object; index: number },
): void {
  const [answered] = storedGuests([{ ...own.stored, ...own.answer }], facts.fields) as [Attendee];
  const entries = facts.stored.map((entry) => (entry === own.stored ? answered : entry));
  settle(
    draft,
    node,
    { entries, indexes: entries.map((entry) => (entry === answered ? own.index : -1)) },
    false,
  );
}

const onlyAnswer =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
