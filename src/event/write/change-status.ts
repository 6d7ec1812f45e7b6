import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../draft.ts';

/** Path of issues and refusals of a change that depends on the event's status. */
export const statusPath = ['event', 'status'] as const;

/**
 * Applies `status` to the guest's copy: removes or restores it. Returns false if the status concerns the core
 * instead.
 */
export function changeCopyStatus(draft: Draft, { default: defaultStatus }: FieldNode): boolean {
  const { context, body, report } = draft;
  const wantedStatus = body.status ?? defaultStatus;
  if (context.hasOrganizerRights || isClosedToCaller(draft)) return false;
  if (context.copy.state === 'present') {
    if (wantedStatus === 'cancelled') draft.copyState = 'removed';
    return wantedStatus === 'cancelled';
  }
  if (wantedStatus === 'cancelled') return true;
  draft.copyState = 'present';
  const status = context.record.core.status ?? defaultStatus;
  if (status !== wantedStatus) {
    if (context.record.core.guestsCanModify) return false;
    report.warn(
      statusPath,
      'ignored',
      `The event is on this calendar again. It stays ${status}: only the organizer can change that.`,
    );
  }
  return true;
}

/** Whether the organizer cancelled the event or uninvited the calendar's owner, so that the caller cannot change it. */
export const isClosedToCaller = ({ context: { copy, record, hasOrganizerRights } }: Draft): boolean =>
  copy.state === 'uninvited' || (record.core.status === 'cancelled' && !hasOrganizerRights);
