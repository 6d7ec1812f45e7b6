import type { Issue } from '../core/errors.ts';
import type { FieldChange } from '../core/rules.ts';
import { compareAttendees } from './attendees.ts';
import type { Standpoint } from './copies.ts';
import { lockedFields } from './event.rules.ts';
import type { Attendee } from './event.ts';

type Refusal = Pick<Issue, 'reason' | 'message'>;

const locked: Refusal = {
  reason: 'forbidden',
  message: 'This copy is locked: summary, description, location, start, end and recurrence cannot be changed.',
};

const creatorOnly: Refusal = {
  reason: 'forbidden',
  message: 'Only the creator of the event can see and change its source.',
};

const organizerOnly: Refusal = {
  reason: 'forbiddenForNonOrganizer',
  message: 'Only the organizer can change this, unless guestsCanModify is true.',
};

const ownEntryOnly: Refusal = {
  reason: 'forbiddenForNonOrganizer',
  message:
    'A guest can change responseStatus, comment and additionalGuests of the own entry only. ' +
    'Send that entry alone with attendeesOmitted: true.',
};

const noInviting: Refusal = {
  reason: 'forbiddenForNonOrganizer',
  message: 'Guests cannot invite others to this event (guestsCanInviteOthers is false).',
};

/** Whether somebody who may write to a calendar may make one change to an event on it: undefined when so. */
export function permitEventChange(at: Standpoint, { rule, field, before, change }: FieldChange): Refusal | undefined {
  const top = field.split(/[.[]/, 1)[0] as string;
  if (at.copy.locked && (lockedFields as readonly string[]).includes(top)) return locked;
  if (rule === 'creator') return at.isCreator ? undefined : creatorOnly;
  if (rule === 'copy') return undefined;
  const { core } = at.record;
  if (at.asOrganizer || core.guestsCanModify) return undefined;
  if (top !== 'attendees') return organizerOnly;
  const { adds, removes, changesOthers } = compareAttendees(
    (before ?? []) as readonly Attendee[],
    (change ?? []) as readonly Attendee[],
    at.owner,
  );
  if (removes || changesOthers) return ownEntryOnly;
  return adds && core.guestsCanInviteOthers === false ? noInviting : undefined;
}
