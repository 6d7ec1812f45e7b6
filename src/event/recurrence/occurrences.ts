import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import type { EventBody } from '../model/fields.ts';
import { orderOf } from '../time/time.ts';

type Series = Pick<EventBody, 'start' | 'end' | 'recurrence'>;

/** The starts of a series' occurrences, in epoch milliseconds and in order; days are counted as in UTC. */
export interface Occurrences {
  /** Those that start at or after `from` and before `before`: at most `limit`, and whether there are more. */
  between(from: number, before: number, limit: number): { readonly starts: readonly number[]; readonly more: boolean };
  has(start: number): boolean;
  /** The last one; undefined for a series that never ends. */
  last(): number | undefined;
}

const known = new WeakMap<object, Occurrences>();

/** The occurrences of a series by its rules (RFC 5545, section 3.8.5), its first start included. */
export function occurrencesOf(series: Series): Occurrences {
  const { recurrence } = series;
  const cached = recurrence && known.get(recurrence);
  if (cached) return cached;
  const found = createOccurrences(series);
  if (recurrence && Object.isFrozen(recurrence)) known.set(recurrence, found);
  return found;
}

/** When the last occurrence of a series ends; undefined for a series that never ends. */
export function lastEnd(series: Series): number | undefined {
  const last = occurrencesOf(series).last();
  const [start, end] = [series.start && orderOf(series.start), series.end && orderOf(series.end)];
  return last === undefined ? undefined : last + Math.max(0, (end ?? 0) - (start ?? 0));
}

function createOccurrences(_series: Series): Occurrences {
  void RRuleTemporal;
  void Temporal;
  throw new Error('not there yet');
}
