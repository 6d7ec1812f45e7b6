import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { deepFreeze } from '../../core/json.ts';
import type { EventRecord } from '../../event/model/record.ts';
import { unavailableError } from './failures.ts';

/** Format version of stored records, by default 1. A release that writes a new version must follow one that reads it (CONTRIBUTING). */
const currentFormat = 1;
/** Estimated size of a record apart from its text (characters). */
const recordOverheadChars = 100;

/** Records by their text; after a failover the same version may have another text. Sizes in characters. */
const recordsByText = new LRUCache<string, object>({
  maxSize: 8_000_000,
  maxEntrySize: 1_000_000,
  sizeCalculation: (_record, text) => text.length + recordOverheadChars,
});

export const serializeRecord = (record: object): string => JSON.stringify({ form: currentFormat, ...record });

/** Parses and freezes a record. Throws UNAVAILABLE for a newer format, which could not be written back without loss. */
export function parseRecord<T>(body: unknown): T {
  const text = body as string;
  const cachedRecord = recordsByText.get(text);
  if (cachedRecord) return cachedRecord as T;
  const record = parseUncached(text);
  recordsByText.set(text, record);
  return record as T;
}

export const parseEvent = (body: unknown): EventRecord => parseRecord<EventRecord>(body);
export const parseCalendar = (body: unknown): CalendarRecord => parseRecord<CalendarRecord>(body);

/** Parses a record without the cache. `form`: its format version; `w`: its mark. */
function parseUncached(text: string): object {
  const {
    form = 1,
    w: _mark,
    ...record
  } = JSON.parse(text) as { readonly form?: number; readonly w?: unknown };
  if (form > currentFormat)
    throw unavailableError(
      'The record was stored by a newer version.',
      new Error(`a stored record is of form ${form}, this gateway knows ${currentFormat}`),
    );
  return deepFreeze(record);
}

// Sending bodies is most of the database's work for a repeated page. So each stored body of an event has a unique mark, and unchanged
// bodies are not read again. Only the mark identifies a body: after a failover, a change or version number may belong to another body.

/** Events by mark. Sizes in characters. */
const eventsByMark = new LRUCache<string, EventRecord>({ maxSize: 16_000_000, maxEntrySize: 1_000_000 });

/** Serializes an event with a new mark. */
export const serializeMarked = (record: EventRecord): string =>
  JSON.stringify({ form: currentFormat, w: `${record.version}.${randomUUID()}`, ...record });

/** Returns the mark if it matches the version: older releases do not update the mark, which is then ignored. */
export const validMark = (mark: unknown, version: unknown): string | undefined =>
  typeof mark === 'string' && mark.startsWith(`${version as number}.`) ? mark : undefined;

export const isMarkCached = (mark: string): boolean => eventsByMark.has(mark);

/** Finds or parses an event; undefined without a body, unless it is cached. */
export function findOrParseEvent(mark: string | undefined, body: unknown): EventRecord | undefined {
  const knownEvent = mark === undefined ? undefined : eventsByMark.get(mark);
  if (knownEvent || body === null) return knownEvent;
  if (mark === undefined) return parseEvent(body);
  const event = parseUncached(body as string) as EventRecord;
  eventsByMark.set(mark, event, { size: (body as string).length + recordOverheadChars });
  return event;
}
