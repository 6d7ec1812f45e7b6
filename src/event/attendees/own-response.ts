import { isSameFieldValue } from '../../core/fields/reduce-change.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { tooManyEntriesArguments } from '../../core/fields/validate.ts';
import type { Draft } from '../draft.ts';
import type { Attendee } from '../model/fields.ts';
import { alreadyListedMessage } from '../rules/duplicate-guests.ts';
import { type GuestListContext, sentGuestKey, setGuests, toStoredGuests } from './guest-list.ts';

/** Path of the guest list in the arguments. */
const guestsPath = ['event', 'attendees'];

/**
 * Applies a guest list sent with `attendeesOmitted: true`: only the response of the calendar's owner is taken
 * from it, and nobody is removed.
 */
export function applyOwnResponse(draft: Draft, node: FieldNode, guestList: GuestListContext): void {
  const { context, body, report } = draft;
  const sentGuests = body.attendees;
  const warnIgnored = (subPath: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...subPath], 'ignored', message);
  if (sentGuests === null)
    warnIgnored([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  if (sentGuests && sentGuests.length > guestList.maxGuests)
    return report.addIssue(
      guestsPath,
      ...tooManyEntriesArguments({ entries: guestList.maxGuests, label: 'attendees' }, sentGuests.length),
    );
  const firstIndexByKey = new Map<string | undefined, number>();
  for (const [index, entry] of (sentGuests ?? []).entries()) {
    const key = sentGuestKey(entry);
    const firstIndex = firstIndexByKey.get(key);
    if (firstIndex === undefined) firstIndexByKey.set(key, index);
    else if (key === context.owner)
      report.addIssue([...guestsPath, index, 'email'], 'invalid', alreadyListedMessage(firstIndex), {
        index: firstIndex,
      });
    const [shownEntry, storedEntry] = [guestList.findShownEntry(key), guestList.findStoredEntry(key)];
    // In types, `email` and `comment` stand for every field of an attendee.
    const changedFields = guestList.fields.filter(
      (field) =>
        entry[field.name as 'email'] !== undefined &&
        !isSameFieldValue(field, shownEntry?.[field.name as 'email'], entry[field.name as 'email']),
    );
    if (key !== context.owner) {
      if (!shownEntry || changedFields.length > 0)
        warnIgnored(
          [index],
          'With attendeesOmitted: true only your own entry is applied: this one was ignored.',
        );
    } else if (!shownEntry || !storedEntry) {
      warnIgnored(
        [index],
        'This calendar is not on the guest list, so with attendeesOmitted: true there is no entry to change.',
      );
    } else {
      for (const { name, change } of changedFields)
        if (change !== 'own' && name !== 'email') warnIgnored([index, name], onlyResponseMessage);
      const responseEntries = changedFields
        .filter(({ change }) => change === 'own')
        .map(({ name }) => [name, entry[name as 'comment'] ?? undefined] as const);
      if (responseEntries.length > 0)
        replaceOwnResponse(draft, node, guestList, {
          entry: storedEntry,
          response: Object.fromEntries(responseEntries),
          index,
        });
    }
  }
}

/** Adds the guest list to the draft's change, with the new response in the entry of the calendar's owner. */
function replaceOwnResponse(
  draft: Draft,
  node: FieldNode,
  guestList: GuestListContext,
  ownResponse: { entry: Attendee; response: object; index: number },
): void {
  const [entryWithResponse] = toStoredGuests(
    [{ ...ownResponse.entry, ...ownResponse.response }],
    guestList.fields,
  ) as [Attendee];
  const guests = guestList.storedList.map((entry) =>
    entry === ownResponse.entry
      ? { entry: entryWithResponse, index: ownResponse.index }
      : { entry, index: -1 },
  );
  setGuests(draft, node, guests, /* isNull */ false);
}

/** Warning for another changed field than those of a response. */
const onlyResponseMessage =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
