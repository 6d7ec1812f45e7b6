import { sameJson } from '../../core/patch.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type GuestReferences, replicasFor } from '../attendees/replicas.ts';
import type { Draft } from '../draft.ts';
import { type Attendee, attendeeKey, type EventBody } from '../model/fields.ts';
import {
  type EventCopy,
  type EventRecord,
  hidesGuests,
  noStamp,
  type Stamp,
  stampsOf,
} from '../model/record.ts';
import { seesGuests } from '../visibility/event-context.ts';

/**
 * A stamp later than all that a record has, however fast changes follow each other and whatever time an import has set: its
 * tag was never in an etag of the record. A tag does not count changes: it is part of what those see who may not know of all.
 */
export function nextStamp(clock: Clock, record?: EventRecord): Stamp {
  let now = clock();
  if (record) {
    let latest = noStamp.at;
    for (const { tag, at } of stampsOf(record)) {
      if (at > latest) latest = at;
      now = Math.max(now, behind(tag));
    }
    now = Math.max(now, Date.parse(latest) + 1);
  }
  return { tag: now.toString(36), at: new Date(now).toISOString() };
}

/** The first moment (epoch milliseconds) whose tag is later than all parts of another. */
const behind = (tag: string): number =>
  tag.includes('_') ? Math.max(...tag.split('_').map(behind)) : parseInt(tag, 36) + 1 || 0;

/** The record with a draft's change in it, and the stamps of what changed; the very same record when nothing did. */
export function stamp(draft: Draft, clock: Clock, references: GuestReferences): EventRecord {
  const { context, before, after, state, guests } = draft;
  const { record, copy, calendar, identity } = context;
  const coreChanged = after.core !== before.core;
  const leaves = state !== copy.state;
  const viewerChanged = after.viewer !== before.viewer;
  // When a hidden guest is invited once more, an unchanged etag would reveal that the guest was there.
  const invites = guests?.invites === true && !seesGuests(context);
  const copyChanged = after.copy !== before.copy || leaves || invites;
  if (!coreChanged && !copyChanged && !viewerChanged) return record;

  const version = record.version + 1;
  const now = nextStamp(clock, record);
  const open = coreChanged && isOpen(after.core, before.core, context.organizer);
  const own: EventCopy = {
    ...copy,
    state,
    own: after.copy,
    ...(copyChanged && { stamp: now }),
    ...(viewerChanged && { viewers: { ...copy.viewers, [identity]: { stamp: now, own: after.viewer } } }),
  };
  const copies = copyChanged || viewerChanged ? { ...record.copies, [calendar.id]: own } : record.copies;
  const next: EventRecord = {
    ...record,
    version,
    core: after.core,
    // Who left counts as declined, which everybody sees who sees the guests.
    coreStamp: coreChanged || leaves ? now : record.coreStamp,
    openStamp: open ? now : record.openStamp,
    copies,
  };
  if (after.core.attendees === before.core.attendees) return next;
  return {
    ...next,
    copies: replicasFor(
      withAnswered(next, before.core, now, context.organizer),
      before.core,
      references,
      now,
    ),
  };
}

/** Whether a change of the core is seen by those who do not see its guests: anything but other guests' entries. */
function isOpen(after: EventBody, before: EventBody, organizer: string | undefined): boolean {
  if (after.guestsCanSeeOtherGuests !== false) return true;
  const names = new Set([...Object.keys(after), ...Object.keys(before)]) as Set<keyof EventBody>;
  names.delete('attendees');
  for (const name of names) if (after[name] !== before[name]) return true;
  const own = (event: EventBody) => event.attendees?.find((entry) => attendeeKey(entry) === organizer);
  return organizer !== undefined && !sameJson(own(after), own(before));
}

/** A guest who sees only the own and the organizer's entry sees a change of the own one, and of which comes first: the copy's stamp changes. */
function withAnswered(
  record: EventRecord,
  before: EventBody,
  now: Stamp,
  organizer: string | undefined,
): EventRecord {
  const [then, list] = [before.attendees ?? [], record.core.attendees ?? []];
  const [aheadThen, ahead] = [aheadOf(organizer, then), aheadOf(organizer, list)];
  const changed = new Set(
    list.flatMap((entry) => {
      const key = attendeeKey(entry);
      return then.includes(entry) && aheadThen.has(key) === ahead.has(key) ? [] : [key];
    }),
  );
  let copies: Record<string, EventCopy> | undefined;
  for (const [id, copy] of Object.entries(record.copies)) {
    if (copy.guest === undefined || !changed.has(copy.guest) || !hidesGuests({ record })) continue;
    (copies ??= { ...record.copies })[id] = { ...copy, stamp: now };
  }
  return copies ? { ...record, copies } : record;
}

/** The guests who stand before one on a list; nobody where that one is not on it. */
function aheadOf(guest: string | undefined, list: readonly Attendee[]): ReadonlySet<string | undefined> {
  const keys = list.map(attendeeKey);
  return new Set(guest === undefined ? [] : keys.slice(0, Math.max(0, keys.indexOf(guest))));
}
