import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../draft.ts';

export const statusPath = ['event', 'status'] as const;

/** Applies `status` to a guest's copy alone (event resource, section 3): off the calendar, or back. False where it is the event's too. */
export function changeStatus(draft: Draft, { default: standard }: FieldNode): boolean {
  const { context, body, report } = draft;
  const wanted = body.status ?? standard;
  if (context.asOrganizer || isOver(draft)) return false;
  if (context.copy.state === 'present') {
    if (wanted === 'cancelled') draft.state = 'removed';
    return wanted === 'cancelled';
  }
  if (wanted === 'cancelled') return true;
  draft.state = 'present';
  const stays = context.record.core.status ?? standard;
  if (stays !== wanted) {
    if (context.record.core.guestsCanModify) return false;
    report.warn(
      statusPath,
      'ignored',
      `The event is on this calendar again. It stays ${stays}: only the organizer can change that.`,
    );
  }
  return true;
}

/** Cancelled by its organizer, or none of the calendar's business any more. */
export const isOver = ({ context: { copy, record, asOrganizer } }: Draft): boolean =>
  copy.state === 'uninvited' || (record.core.status === 'cancelled' && !asOrganizer);
