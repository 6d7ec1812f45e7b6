import { requireAllowed } from '../../calendar/calendar.access.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type GuestReferences, updateCopies } from '../attendees/copies.ts';
import { type Draft, mergeChange } from '../draft.ts';
import { type EventRecord, type EventCopy, hidesGuests, type Stamp, nextStamp } from '../model/record.ts';
import { authorize } from './authorize.ts';
import { checkDraft } from './check.ts';
import { moveLines, normalize } from './normalize.ts';
import { frozenCopy, isSameJson, mapValues } from '../../core/json.ts';
import { attendeeKey, type EventBody, guestsAheadOf } from '../model/fields.ts';
import { seesGuests } from '../visibility/event-context.ts';

/** Returns the record after a draft's change, or the record itself if nothing changes. Throws AppError with all issues. */
export function patchRecord(draft: Draft, clock: Clock, references: GuestReferences): EventRecord {
  assertValid(draft);
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

/** Record with a draft's change and new stamps of changed parts; the record itself if nothing changed. */
export function stampRecord(draft: Draft, clock: Clock, references: GuestReferences): EventRecord {
  const { context, before, after, copyState, guestChange } = draft;
  const { record, copy, calendar, identity } = context;
  const isCoreChanged = after.core !== before.core;
  const isStateChanged = copyState !== copy.state;
  const isViewerChanged = after.viewer !== before.viewer;
  // An unchanged etag after the repeated invitation of a hidden guest would reveal the guest.
  const invitesHiddenGuest = guestChange?.invitesUnseenGuest === true && !seesGuests(context);
  const isCopyChanged = after.copy !== before.copy || isStateChanged || invitesHiddenGuest;
  if (!isCoreChanged && !isCopyChanged && !isViewerChanged) return record;

  const version = record.version + 1;
  const newStamp = nextStamp(clock, record);
  const isPublicChanged = isCoreChanged && changesPublicPart(after.core, before.core, context.organizer);
  const ownCopy: EventCopy = {
    ...copy,
    state: copyState,
    own: after.copy,
    ...(isCopyChanged && { stamp: newStamp }),
    ...(isViewerChanged && {
      viewers: { ...copy.viewers, [identity]: { stamp: newStamp, own: after.viewer } },
    }),
  };
  const copies =
    isCopyChanged || isViewerChanged ? { ...record.copies, [calendar.id]: ownCopy } : record.copies;
  const next: EventRecord = {
    ...record,
    version,
    core: after.core,
    // A guest who removes the event counts as declined, which all readers of the guest list see.
    coreStamp: isCoreChanged || isStateChanged ? newStamp : record.coreStamp,
    openStamp: isPublicChanged ? newStamp : record.openStamp,
    copies,
  };
  if (after.core.attendees === before.core.attendees) return frozenCopy(next);
  const stampedCopies = stampChangedEntries(next, before.core, newStamp, context.organizer);
  return frozenCopy({
    ...next,
    copies: updateCopies({ ...next, copies: stampedCopies }, before.core, references, newStamp),
  });
}

/** Whether readers from whom guests are hidden see a change of the core: anything but other guests' entries. */
function changesPublicPart(after: EventBody, before: EventBody, organizer: string | undefined): boolean {
  if (after.guestsCanSeeOtherGuests !== false) return true;
  const names = new Set([...Object.keys(after), ...Object.keys(before)]) as Set<keyof EventBody>;
  names.delete('attendees');
  for (const name of names) if (after[name] !== before[name]) return true;
  const organizerEntryOf = (event: EventBody) =>
    event.attendees?.find((entry) => attendeeKey(entry) === organizer);
  return organizer !== undefined && !isSameJson(organizerEntryOf(after), organizerEntryOf(before));
}

/** Copies of a record; those of guests from whom others are hidden are stamped if their own entry or its order to the organizer's changed. */
function stampChangedEntries(
  record: EventRecord,
  before: EventBody,
  newStamp: Stamp,
  organizer: string | undefined,
): EventRecord['copies'] {
  if (!hidesGuests({ record })) return record.copies;
  const [listBefore, list] = [before.attendees ?? [], record.core.attendees ?? []];
  const keysAheadBefore = guestsAheadOf(organizer, listBefore);
  const keysAheadAfter = guestsAheadOf(organizer, list);
  const changedKeys = new Set(
    list.flatMap((entry) => {
      const key = attendeeKey(entry);
      return listBefore.includes(entry) && keysAheadBefore.has(key) === keysAheadAfter.has(key) ? [] : [key];
    }),
  );
  return mapValues(record.copies, (copy) =>
    copy.guest !== undefined && changedKeys.has(copy.guest) ? { ...copy, stamp: newStamp } : copy,
  );
}
