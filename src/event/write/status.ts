import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../draft/draft.ts';

const path = ['event', 'status'] as const;

/**
 * What `status` does on a guest's copy: `cancelled` takes the event off this calendar, and anything else puts it back;
 * neither touches the event itself (event resource, section 3). False when it is a status like any other, also beside that.
 */
export function changeState(draft: Draft, { default: standard }: FieldNode): boolean {
  const { at, body, report } = draft;
  const wanted = body.status ?? standard;
  if (at.asOrganizer || isOver(draft)) return false;
  if (at.copy.state === 'present') {
    if (wanted === 'cancelled') draft.state = 'removed';
    return wanted === 'cancelled';
  }
  if (wanted === 'cancelled') return true;
  draft.state = 'present';
  const stays = at.record.core.status ?? standard;
  if (stays !== wanted) {
    if (at.record.core.guestsCanModify) return false;
    report.warn(
      path,
      'ignored',
      `The event is on this calendar again. It stays ${stays}: only the organizer can change that.`,
    );
  }
  return true;
}

/** Cancelled by its organizer, or none of the calendar's business any more. */
const isOver = ({ at: { copy, record, asOrganizer } }: Draft): boolean =>
  copy.state === 'uninvited' || (record.core.status === 'cancelled' && !asOrganizer);

/** Whether there is anything left of the body to be stored. */
export const changesAnything = ({ at, change, replacements, state, guests }: Draft): boolean =>
  Object.keys(change).length > 0 ||
  replacements !== undefined ||
  state !== at.copy.state ||
  guests?.invites === true;

/** A cancelled event takes no other change than to be restored, and that only by those who cancelled it. */
export function refuseWhileCancelled(draft: Draft): boolean {
  const { at, body, seen, report, creating } = draft;
  if (creating || seen.status !== 'cancelled' || !changesAnything(draft)) return false;
  if (isOver(draft)) report.refuse(path, 'forbidden', onlyItsOrganizer);
  else if (at.record.instance?.cancelledWithSeries)
    report.refuse(path, 'forbidden', 'The series of this instance is cancelled: restore the series.');
  else if (body.status === undefined || body.status === 'cancelled')
    report.refuse(path, 'forbidden', restoreFirst);
  else return false;
  return true;
}

const restoreFirst =
  'The event is cancelled. Restore it with status: "confirmed" or "tentative"; no other change is possible.';
const onlyItsOrganizer =
  'The event was cancelled by its organizer, or you were taken off the guest list: it cannot be changed here.';
