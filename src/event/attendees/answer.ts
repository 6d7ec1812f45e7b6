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
  const sentGuests = body.attendees;
  const ignore = (subPath: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...subPath], 'ignored', message);
  if (sentGuests === null)
    ignore([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  if (sentGuests && sentGuests.length > guestList.maxGuests)
    return report.issue(
      guestsPath,
      ...tooMany({ entries: guestList.maxGuests, label: 'attendees' }, sentGuests.length),
    );
  const firstIndexes = new Map<string | undefined, number>();
  for (const [index, entry] of (sentGuests ?? []).entries()) {
    const key = sentGuestKey(entry);
    const firstIndex = firstIndexes.get(key);
    if (firstIndex === undefined) firstIndexes.set(key, index);
    else if (key === context.owner)
      report.issue([...guestsPath, index, 'email'], 'invalid', alreadyListed(firstIndex), {
        index: firstIndex,
      });
    const [shownEntry, storedEntry] = [guestList.shownEntry(key), guestList.storedEntry(key)];
    const changedFields = guestList.fields.filter(
      (field) =>
        entry[field.name as 'email'] !== undefined &&
        !sameValue(field, shownEntry?.[field.name as 'email'], entry[field.name as 'email']),
    );
    if (key !== context.owner) {
      if (!shownEntry || changedFields.length > 0)
        ignore([index], 'With attendeesOmitted: true only your own entry is applied: this one was ignored.');
    } else if (!shownEntry || !storedEntry) {
      ignore(
        [index],
        'This calendar is not on the guest list, so with attendeesOmitted: true there is no entry to change.',
      );
    } else {
      for (const { name, change } of changedFields)
        if (change !== 'own' && name !== 'email') ignore([index, name], onlyAnswerMessage);
      const answerFields = changedFields
        .filter(({ change }) => change === 'own')
        .map(({ name }) => [name, entry[name as 'comment'] ?? undefined] as const);
      if (answerFields.length > 0)
        replaceAnswer(draft, node, guestList, {
          stored: storedEntry,
          answer: Object.fromEntries(answerFields),
          index,
        });
    }
  }
}

function replaceAnswer(
  draft: Draft,
  node: FieldNode,
  guestList: GuestListContext,
  ownEntry: { stored: Attendee; answer: object; index: number },
): void {
  const [answeredEntry] = storedGuests([{ ...ownEntry.stored, ...ownEntry.answer }], guestList.fields) as [
    Attendee,
  ];
  const guests = guestList.storedList.map((entry) =>
    entry === ownEntry.stored ? { entry: answeredEntry, index: ownEntry.index } : { entry, index: -1 },
  );
  setGuests(draft, node, guests, false);
}

const onlyAnswerMessage =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
