import type { ChangedField } from '../../core/fields/reduce-change.ts';
import type { ChangeClass } from '../../core/fields/table.ts';
import type { Reason } from '../../core/errors.ts';
import { type Draft, isClosedToCaller, statusPath } from '../draft.ts';
import { isCreator } from '../visibility/event-context.ts';

/** Reason and message of a change that the caller may not make. */
interface Refusal {
  readonly reason: Reason;
  readonly message: string;
}

const createLockedRefusal = ({ model }: Draft['context']): Refusal => {
  const names = [...model.fields.values()].flatMap((node) => (node.locked ? [node.name] : []));
  return { reason: 'forbidden', message: `This copy is locked: ${names.join(', ')} cannot be changed.` };
};
const creatorOnlyRefusal: Refusal = {
  reason: 'forbidden',
  message: 'Only the creator of the event can see and change its source.',
};
const organizerRefusal = (message: string): Refusal => ({ reason: 'forbiddenForNonOrganizer', message });
const sharedRefusal = organizerRefusal('Only the organizer can change this, unless guestsCanModify is true.');
const organizerOnlyRefusal = organizerRefusal(
  'Only the organizer can change this, even if guestsCanModify is true.',
);
const ownEntryRefusal = organizerRefusal(
  'A guest can change responseStatus, comment and additionalGuests of the own entry only. Send that entry alone, with attendeesOmitted: true or in attendeeChanges.add.',
);
const invitingRefusal = organizerRefusal(
  'Guests cannot invite others to this event (guestsCanInviteOthers is false).',
);
const otherResponseRefusal = organizerRefusal(
  'A guest may answer only for the own entry: only the organizer can change the answers of guests without a calendar here.',
);

/** Refuses changes that a writer of the calendar may not make (contract: who may change what). */
export function authorize(draft: Draft): void {
  if (draft.isCreating || refuseWhileCancelled(draft)) return;
  const refusedPaths = new Set<string>();
  for (const changedField of draft.changedFields) {
    const refusal = refusalOf(draft, changedField);
    const path = changedField.path.join('.');
    if (!refusal || refusedPaths.has(path)) continue;
    refusedPaths.add(path);
    draft.report.refuse(changedField.path, refusal.reason, refusal.message);
  }
  if (draft.guestChange) refuseGuestChanges(draft);
}

function refusalOf({ context }: Draft, { node, path }: ChangedField): Refusal | undefined {
  const topField = context.model.fields.get(path[1] as 'id');
  if (context.copy.own.locked && topField?.locked) return createLockedRefusal(context);
  return refusalByClass[node.change]?.(context);
}

/** Checks by class whether the caller may change a field; other classes are open to all writers of the calendar. */
const refusalByClass: Partial<Record<ChangeClass, (context: Draft['context']) => Refusal | undefined>> = {
  shared: (context) =>
    context.hasOrganizerRights || context.record.core.guestsCanModify ? undefined : sharedRefusal,
  organizer: (context) => (context.hasOrganizerRights ? undefined : organizerOnlyRefusal),
  creator: (context) => (isCreator(context) ? undefined : creatorOnlyRefusal),
};

/** Refuses changes of the guest list: guests may respond and invite others. */
function refuseGuestChanges({ context, guestChange, report }: Draft): void {
  const { core } = context.record;
  const path = ['event', 'attendees'];
  const refuse = ({ reason, message }: Refusal): void => report.refuse(path, reason, message);
  if (context.hasOrganizerRights || !guestChange) return;
  if (guestChange.respondsForOthers) refuse(otherResponseRefusal);
  if (core.guestsCanModify) return;
  if (guestChange.removesGuests || guestChange.changesOthers) refuse(ownEntryRefusal);
  if (guestChange.addsGuests && core.guestsCanInviteOthers === false) refuse(invitingRefusal);
}

export const hasChanges = ({ context, change, replacements, copyState, guestChange }: Draft): boolean =>
  Object.keys(change).length > 0 ||
  replacements !== undefined ||
  copyState !== context.copy.state ||
  guestChange?.invitesUnseenGuest === true;

/** Refuses changes of a cancelled event, except its restoration by the side that cancelled it. Returns whether it did. */
function refuseWhileCancelled(draft: Draft): boolean {
  const { context, body, view, report } = draft;
  if (view.status !== 'cancelled' || !hasChanges(draft)) return false;
  if (isClosedToCaller(draft))
    report.refuse(statusPath, 'forbidden', context.copy.moved ? movedMessage : onlyOrganizerMessage);
  else if (context.record.instance?.cancelledWithSeries)
    report.refuse(statusPath, 'forbidden', 'The series of this instance is cancelled: restore the series.');
  else if (body.status === undefined || body.status === 'cancelled')
    report.refuse(statusPath, 'forbidden', restoreFirstMessage);
  else return false;
  return true;
}

const restoreFirstMessage =
  'The event is cancelled. Restore it with status: "confirmed" or "tentative"; no other change is possible.';

const movedMessage = 'This event was moved to another calendar, and can only be changed there.';

const onlyOrganizerMessage =
  'The event was cancelled by its organizer, or you were removed from the guest list: it cannot be changed here.';
