import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import { unavailable } from './failures.ts';

/**
 * The form of the records that are stored as JSON; each says of which form it is, those without a number are of the first.
 * A release that writes a new form comes after one that reads it (CONTRIBUTING).
 */
const currentForm = 1;

export const toStored = (record: object): string => JSON.stringify({ form: currentForm, ...record });

/**
 * The record of a stored text, frozen. Throws UNAVAILABLE for a record that a newer gateway has stored in a form which this
 * one would not keep whole.
 */
export function fromStored<T>(body: unknown): T {
  const text = body as string;
  const known = parsed.get(text);
  if (known) return known as T;
  const { form = 1, ...record } = JSON.parse(text) as { readonly form?: number };
  if (form > currentForm) throw unavailable('The record was stored by a newer version.', new Error(`a stored record is of form ${form}, this gateway knows ${currentForm}`));
  parsed.set(text, deepFreeze(record));
  return record as T;
}

/** By the text itself, not by a version: after a failover the same version may stand for something else. Sizes in characters. */
const parsed = new LRUCache<string, object>({ maxSize: 16_000_000, maxEntrySize: 1_000_000, sizeCalculation: (_record, text) => text.length + 100 });
