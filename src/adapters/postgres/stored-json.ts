import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../../core/patch.ts';
import type { EventRecord } from '../../event/model/record.ts';
import { unavailable } from './failures.ts';

/**
 * The form of the records that are stored as JSON; each says of which form it is, those without a number are of the first.
 * A release that writes a new form comes after one that reads it (CONTRIBUTING).
 */
const currentForm = 1;

/** `w` marks the text, where it is to be told from all others (`known-records.ts`). */
export const toStored = (record: object, w?: string): string =>
  JSON.stringify({ form: currentForm, w, ...record });

/**
 * The record of a stored text, frozen. Throws UNAVAILABLE for a record that a newer gateway has stored in a form which this
 * one would not keep whole.
 */
export function fromStored<T>(body: unknown): T {
  const text = body as string;
  const known = parsed.get(text);
  if (known) return known as T;
  const record = parseStored(text);
  parsed.set(text, record);
  return record as T;
}

export const recordFrom = (body: unknown): EventRecord => fromStored<EventRecord>(body);

/** The same, and the text is not remembered. */
export function parseStored(text: string): object {
  const {
    form = 1,
    w: _mark,
    ...record
  } = JSON.parse(text) as { readonly form?: number; readonly w?: unknown };
  if (form > currentForm)
    throw unavailable(
      'The record was stored by a newer version.',
      new Error(`a stored record is of form ${form}, this gateway knows ${currentForm}`),
    );
  return deepFreeze(record);
}

/** By the text itself, not by a version: after a failover the same version may stand for something else. Sizes in characters. */
const parsed = new LRUCache<string, object>({
  maxSize: 8_000_000,
  maxEntrySize: 1_000_000,
  sizeCalculation: (_record, text) => text.length + 100,
});
