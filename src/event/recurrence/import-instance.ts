import type { Found } from '../event.store.ts';
import type { EventBody } from '../model/fields.ts';
import type { EventCopy, EventParts, EventRecord, Stamp } from '../model/record.ts';
import { composeInstance, occurs } from './compose.ts';
import { exceptionOf } from './exception.ts';
import { originalOf } from './instance-id.ts';

/** What an import of an instance is decided on. */
export interface ImportedInstance {
  readonly event: EventBody & { readonly id: string };
  readonly parts: EventParts;
  readonly calendarId: string;
  /** The calendar's owner, whose reminders the body has. */
  readonly identity: string;
  /** A stamp that a record does not have yet. */
  readonly stampFor: (record: EventRecord) => Stamp;
}

/**
 * The exception that a body describes whose series was stored before it, on the same calendar. What the body lacks
 * is as the series has it. Undefined when the body is no such instance.
 */
export function importInstance(
  { event, parts, calendarId, identity, stampFor }: ImportedInstance,
  { event: stored, series }: Found,
): EventRecord | undefined {
  const original = originalOf(event.originalStartTime);
  const known = stored?.instance ? stored : undefined;
  const isOne =
    series !== undefined &&
    original !== undefined &&
    event.recurringEventId !== undefined &&
    event.id === `${event.recurringEventId}_${original}`;
  if (!isOne || (stored && !known) || !occurs(series, original)) return undefined;
  const before = composeInstance(series, original, known);
  const copy = before.copies[calendarId];
  if (!copy) return undefined;
  const stamp = stampFor(before);
  const {
    created: _created,
    creator: _creator,
    organizer: _organizer,
    iCalUID: _uid,
    recurringEventId: _series,
    originalStartTime: _original,
    ...core
  } = parts.core;
  const own: EventCopy = {
    ...copy,
    own: { ...copy.own, ...parts.copy },
    stamp,
    ...(Object.keys(parts.viewer).length > 0 && {
      viewers: { ...copy.viewers, [identity]: { stamp, own: parts.viewer } },
    }),
  };
  const next: EventRecord = {
    ...before,
    core: { ...before.core, ...core },
    coreStamp: stamp,
    openStamp: stamp,
    copies: { ...before.copies, [calendarId]: own },
  };
  return exceptionOf(series, known, { before, next, invites: false });
}
