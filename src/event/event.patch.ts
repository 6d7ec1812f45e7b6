import { type AppError, errorAt, errorOf, invalidInput, type Issue, type Reason, type Warning } from '../core/errors.ts';
import { compose, etagOf, seenFrom, type Standpoint } from './copies.ts';
import { changeEvent, type Support } from './event.change.ts';
import { permitEventChange } from './event.permit.ts';
import { copiesFor, nextStamp, sameFields, split } from './event.parts.ts';
import type { EventCopy, EventRecord } from './event.record.ts';
import { eventDefaults } from './event.rules.ts';
import { conferencesFor, type EventTools, type GuestPlaces } from './event.tools.ts';
import type { EventBody, EventPatch } from './event.ts';

export interface PatchRequest extends Support {
  readonly event: EventPatch;
  readonly ifMatch?: string | null;
  /** What is wrong with the other arguments, to be reported together. */
  readonly issues: readonly Issue[];
}

export interface PatchOutcome {
  /** The same record when nothing changes. */
  readonly next: EventRecord;
  readonly before: EventBody;
  readonly after: EventBody;
  /** Something changed that all copies show. */
  readonly sharedChange: boolean;
  readonly warnings: readonly Warning[];
}

/** What a patch makes of an event, or an AppError with all that stands against it. Changes nothing itself. */
export function patchCopy(at: Standpoint, request: PatchRequest, tools: EventTools, places: GuestPlaces): PatchOutcome {
  const { ifMatch } = request;
  if (typeof ifMatch === 'string' && ifMatch !== '*' && ifMatch !== etagOf(at)) throw conditionNotMet(etagOf(at));
  const { body, state, notes = [] } = steerStatus(at, request.event);
  const before = compose(at);
  const { after, issues, refusals, warnings } = changeEvent({
    body,
    before,
    creating: false,
    seen: seenFrom(at),
    owner: at.owner,
    zone: at.calendar.timeZone,
    support: request,
    conference: conferencesFor(tools, at.copy.id, before.summary),
    permit: (change) => permitEventChange(at, change),
  });
  if (refusals.length > 0) throw errorOf('FORBIDDEN', refusals);
  const all = [...request.issues, ...issues];
  if (all.length > 0) throw invalidInput(all);
  const next = withChange(at, after, state, tools, places);
  return { next, before, after, sharedChange: next.core !== at.record.core, warnings: [...notes, ...warnings] };
}

/** Puts a changed event back together; the very same record comes back when nothing changed. */
function withChange(
  { record, copy, calendar }: Standpoint,
  after: EventBody,
  state: EventCopy['state'],
  tools: EventTools,
  places: GuestPlaces,
): EventRecord {
  const parts = split(after);
  const { id, stamp, locked, guest } = copy;
  const coreChanged = !sameFields(parts.core, record.core);
  const own: EventCopy = { ...parts.own, id, stamp, state, ...(locked && { locked }), ...(guest && { guest }) };
  const copyChanged = !sameFields(own, copy);
  if (!coreChanged && !copyChanged) return record;
  const version = record.version + 1;
  const core = coreChanged ? parts.core : record.core;
  // Later than whatever any copy shows by now, so that `updated` grows with every change.
  const stamps = [record.coreStamp, ...Object.values(record.copies).map((other) => other.stamp)];
  const now = nextStamp(version, tools.clock, stamps.reduce((last, other) => (other.at > last.at ? other : last)));
  const copies = copyChanged ? { ...record.copies, [calendar.id]: { ...own, stamp: now } } : record.copies;
  const coreStamp = coreChanged ? now : record.coreStamp;
  const next = { ...record, version, core, coreStamp, copies };
  return core.attendees === record.core.attendees ? next : { ...next, copies: copiesFor(next, places, coreStamp) };
}

/**
 * What `status` does beyond its value: on a guest's copy it takes the event off this calendar or puts it back, and a
 * cancelled event takes no other change than being restored (event resource, section 3).
 */
function steerStatus({ record, copy, asOrganizer }: Standpoint, body: EventPatch) {
  const cancelled = record.core.status === 'cancelled';
  const { status, ...rest } = body;
  const restores = status !== undefined && status !== 'cancelled';
  if (copy.state === 'uninvited' || (cancelled && !asOrganizer)) throw onlyItsOrganizer();
  if (asOrganizer) {
    if (cancelled && !restores) throw restoreFirst();
    return { body, state: copy.state };
  }
  if (copy.state === 'removed') {
    if (!restores) throw restoreFirst();
    if (record.core.guestsCanModify) return { body, state: 'present' as const };
    const stays = record.core.status ?? eventDefaults.status;
    return { body: rest, state: 'present' as const, notes: stays === (status ?? eventDefaults.status) ? [] : [statusStays(stays)] };
  }
  return status === 'cancelled' ? { body: rest, state: 'removed' as const } : { body, state: copy.state };
}

const statusStays = (status: string): Warning => ({
  path: ['event', 'status'],
  reason: 'ignored',
  message: `The event is on this calendar again. It stays ${status}: only the organizer can change that.`,
});

const refusal = (reason: Reason, message: string): AppError =>
  errorAt('FORBIDDEN', ['event', 'status'], reason, message);

const restoreFirst = (): AppError =>
  refusal('forbidden', 'The event is cancelled. Restore it with status: "confirmed" or "tentative"; no other change is possible.');

const onlyItsOrganizer = (): AppError =>
  refusal('forbidden', 'The event was cancelled by its organizer, or you were taken off the guest list: it cannot be changed here.');

const conditionNotMet = (etag: string): AppError =>
  errorAt(
    'PRECONDITION_FAILED',
    ['ifMatch'],
    'conditionNotMet',
    `The event was changed since it was read: its etag is ${etag} now. Read it again and repeat the change.`,
  );
