import type { Issue, Path } from '../../core/errors.ts';
import { tooManyEntriesArguments } from '../../core/fields/validate.ts';
import { isFields } from '../../core/json.ts';
import { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import type { Draft } from '../draft.ts';
import type { AttendeeChanges } from '../event.requests.ts';
import { attendeeKey, type EventBody, type EventPatch } from '../model/fields.ts';
import { alreadyListedMessage } from '../rules/duplicate-guests.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { type SentGuest, sentGuestKey } from './guest-list.ts';

/** Guest of the list that replaces `attendeeChanges`; `index` is that in `add`. */
type ListedGuest = SentGuest<NonNullable<EventPatch['attendees']>[number]>;

/** Event that `attendeeChanges` are applied to, also as the caller sees it. */
interface ChangesInput {
  readonly context: Pick<EventContext, 'model' | 'owner' | 'hasOrganizerRights'>;
  readonly view: Pick<EventBody, 'attendees'>;
}

const changesPath = ['attendeeChanges'];

/** Translates paths of the guest list, where rules report issues, to paths of `attendeeChanges`. */
const toChangesPath = (path: Path): Path => {
  const [argument, field, ...subPath] = path;
  if (argument !== 'event' || field !== 'attendees') return path;
  return subPath.length === 0 ? changesPath : [...changesPath, 'add', ...subPath];
};

/** Converts `attendeeChanges` to a guest list, so that later steps handle lists only. Issues keep the paths of the changes. */
export function convertAttendeeChanges(
  body: EventPatch,
  changes: AttendeeChanges | null | undefined,
  input: ChangesInput,
  issues: readonly Issue[] = [],
): Pick<Draft, 'body' | 'report' | 'sentIndexes'> {
  const hasListAndChanges =
    Boolean(changes) && (body.attendees !== undefined || body.attendeesOmitted === true);
  const report = new Report([], changes && !hasListAndChanges ? toChangesPath : undefined);
  report.addIssues(issues);
  if (hasListAndChanges) report.addIssue(changesPath, 'invalid', listAndChangesMessage);
  const guests = changes && !hasListAndChanges ? applyAttendeeChanges(changes, input, report) : undefined;
  if (!guests) return { body, report, sentIndexes: new Map() };
  return {
    body: { ...body, attendees: guests.map(({ entry }) => entry) },
    report,
    sentIndexes: new Map([['attendees', guests.map(({ index }) => index)]]),
  };
}

const listAndChangesMessage =
  'Send either attendeeChanges (the guests to add, change and remove) or event.attendees (the whole list), not both, and no attendeesOmitted: true.';
const ownAddressMessage =
  'Guests cannot remove themselves from the list. deleteEvent removes the event from their own calendar.';

/** Returns the guest list after the changes; undefined if they change nothing or are too many (an issue). */
function applyAttendeeChanges(
  { add, remove }: AttendeeChanges,
  input: ChangesInput,
  report: Report,
): readonly ListedGuest[] | undefined {
  const { max } = input.context.model.field('attendees');
  const count = (add?.length ?? 0) + (remove?.length ?? 0);
  if (max && count > max.entries) {
    const limit = { entries: max.entries, label: 'entries' };
    return void report.addIssue(changesPath, ...tooManyEntriesArguments(limit, count));
  }
  const addedGuests = (add ?? []).flatMap((entry, index): ListedGuest[] =>
    isFields(entry) ? [{ entry, index }] : [],
  );
  // Reversed, so that the first of several entries of one guest counts.
  const addedGuestByKey = new Map(
    addedGuests.map((guest) => [sentGuestKey(guest.entry), guest] as const).reverse(),
  );
  const removedKeys = collectRemovedKeys(remove ?? [], addedGuestByKey, input, report);
  const shownGuests = input.view.attendees ?? [];
  const unlistedGuests = new Set(addedGuests);
  const remainingGuests = shownGuests.flatMap((guest): ListedGuest[] => {
    const key = attendeeKey(guest);
    if (removedKeys.has(key)) return [];
    const addedGuest = addedGuestByKey.get(key);
    // Absent fields keep their values, so an address alone changes nothing.
    return addedGuest && unlistedGuests.delete(addedGuest)
      ? [addedGuest]
      : [{ entry: { email: guest.email, id: guest.id }, index: -1 }];
  });
  return addedGuests.length === 0 && remainingGuests.length === shownGuests.length
    ? undefined
    : [...remainingGuests, ...unlistedGuests];
}

/** Keys of the guests to remove. Reports addresses that cannot be removed or are listed twice. */
function collectRemovedKeys(
  removedAddresses: readonly string[],
  firstAddedByKey: ReadonlyMap<string | undefined, ListedGuest>,
  { context, view }: ChangesInput,
  report: Report,
): ReadonlySet<string | undefined> {
  const firstIndexByKey = new Map<string, number>();
  const removedKeys = new Set<string | undefined>();
  for (const [index, address] of removedAddresses.entries()) {
    if (typeof address !== 'string') continue;
    const key = addressKey(address);
    const [addIndex, removeIndex] = [firstAddedByKey.get(key)?.index, firstIndexByKey.get(key)];
    const firstIndex = addIndex ?? removeIndex;
    const removesOwnEntry =
      key === context.owner &&
      !context.hasOrganizerRights &&
      view.attendees?.some((guest) => attendeeKey(guest) === key) === true;
    if (removeIndex === undefined) firstIndexByKey.set(key, index);
    if (firstIndex !== undefined)
      report.addIssue(
        [...changesPath, 'remove', index],
        'invalid',
        alreadyListedMessage(firstIndex, addIndex === undefined ? '' : 'add'),
        { index: firstIndex },
      );
    else if (removesOwnEntry)
      report.refuse([...changesPath, 'remove', index], 'forbidden', ownAddressMessage);
    else removedKeys.add(key);
  }
  return removedKeys;
}
