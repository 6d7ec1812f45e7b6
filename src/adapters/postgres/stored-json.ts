import { deepFreeze } from '../../core/kernel/freeze.ts';
import { unavailable } from './failures.ts';

/**
 * The form of the records that are stored as JSON; each says of which form it is, those without a number are of the first.
 * A release that writes a new form comes after one that reads it (CONTRIBUTING).
 */
const currentForm = 1;

export const toStored = (record: object): string => JSON.stringify({ form: currentForm, ...record });

/** Frozen. Throws UNAVAILABLE for a record that a newer gateway has stored in a form which this one would not keep whole. */
export function fromStored<T>(body: unknown): T {
  const { form = 1, ...record } = body as { readonly form?: number };
  if (form > currentForm) throw unavailable('The record was stored by a newer version.', new Error(`a stored record is of form ${form}, this gateway knows ${currentForm}`));
  return deepFreeze(record) as T;
}
