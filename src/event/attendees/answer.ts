import { sameValue } from '../../core/fields/changes.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { tooMany } from '../../core/fields/validate.ts';
import type { Draft } from '../draft.ts';
import type { Attendee } from '../model/fields.ts';
import { alreadyListed } from '../rules/duplicate-guests.ts';
import { type GuestListContext, sentGuestKey, setGuests, storedGuests } from './guest-list.ts';

const guestsPath = ['event', 'attendees'];

/** Applies a guest list sent with `attendeesOmitted: true`: only the owner's answer counts, and nobody is removed. */
export function applyOwnAnswer(draft: Draft, node: FieldNode, guestList: GuestListContext): void {
  const { context, body, report } = draft;
  const sent = body.attendees;
  const ignore = (steps: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...steps], 'ignored', message);
  if (sent === null)
    ignore([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  if (sent && sent.length > guestList.maxGuests)
    return report.issue(
      guestsPath,
      ...tooMany({ entries: guestList.maxGuests, called: 'attendees' }, sent.length),
    );
  const firstIndexes = new Map<string | undefined, number>();
  for (const [index, entry] of (sent ?? []).entries()) {
    const key = sentGuestKey(entry);
    const earlier = firstIndexes.get(key);
    if (earlier === undefined) firstIndexes.set(key, index);
    else if (key === context.owner)
      report.issue([...guestsPath, index, 'email'], 'invalid', alreadyListed(earlier), {
        index: earlier,
      });
    const [shown, stored] = [guestList.seenEntry(key), guestList.storedEntry(key)];
    const differing = guestList.fields.filter(
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
        if (change !== 'own' && name !== 'email') ignore([index, name], onlyAnswerApplies);
      const answer = differing
        .filter(({ change }) => change === 'own')
        .map(({ name }) => [name, entry[name as 'comment'] ?? undefined] as const);
      if (answer.length > 0)
        replaceAnswer(draft, node, guestList, { stored, answer: Object.fromEntries(answer), index });
    }
  }
}

function replaceAnswer(
  draft: Draft,
  node: FieldNode,
  guestList: GuestListContext,
  own: { stored: Attendee; answer: object; index: number },
): void {
  const [answered] = storedGuests([{ ...own.stored, ...own.answer }], guestList.fields) as [Attendee];
  const list = guestList.stored.map((entry) =>
    entry === own.stored ? { entry: answered, index: own.index } : { entry, index: -1 },
  );
  setGuests(draft, node, list, false);
}

const onlyAnswerApplies =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
