import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../../core/json-values.ts';
import type { EventRecord } from '../../event/model/record.ts';
import { unavailableError } from './failures.ts';

/** Format version of stored records, by default 1. A release that writes a new version must follow one that reads it (CONTRIBUTING). */
const currentFormat = 1;

/** Serializes a record; `mark` makes its text unique (`known-records.ts`). */
export const serializeRecord = (record: object, mark?: string): string =>
  JSON.stringify({ form: currentFormat, w: mark, ...record });

/** Parses and freezes a record. Throws UNAVAILABLE for a newer format, which could not be written back without loss. */
export function parseRecord<T>(body: unknown): T {
  const text = body as string;
  const cachedRecord = parsedRecords.get(text);
  if (cachedRecord) return cachedRecord as T;
  const record = parseUncached(text);
  parsedRecords.set(text, record);
  return record as T;
}

export const parseEvent = (body: unknown): EventRecord => parseRecord<EventRecord>(body);

/** Parses a record without the cache. `form`: its format version; `w`: its mark (`known-records.ts`). */
export function parseUncached(text: string): object {
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

/** Records by their text; after a failover the same version may have another text. Sizes in characters. */
const parsedRecords = new LRUCache<string, object>({
  maxSize: 8_000_000,
  maxEntrySize: 1_000_000,
  // Plus an estimate for the record apart from its text.
  sizeCalculation: (_record, text) => text.length + 100,
});
