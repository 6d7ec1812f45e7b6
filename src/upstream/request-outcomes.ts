import { LRUCache } from 'lru-cache';
import { requestIdReused, requestRecordLimits, type RequestRecord } from '../core/request-record.ts';
import { bytesOf } from '../core/json.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { isUnknown } from './client/responses.ts';

interface Remembered<T> {
  readonly fingerprint: string;
  readonly until: number;
  readonly bytes: number;
  readonly outcome: Promise<T>;
  /** It failed, and nobody knows whether it was carried out. */
  isOpen: boolean;
}

interface RequestOutcomes<T> {
  /** That of a request with the same id; undefined where there is none to go by. Throws CONFLICT for an id that came with another input. */
  earlier(request: RequestRecord): Promise<T> | undefined;
  /** Carries a request out, and remembers the outcome for all that come with its id. `size`: a value about as large. `again`: an earlier one may have been carried out. */
  run(request: RequestRecord, size: object, carryOut: (again: boolean) => Promise<T>): Promise<T>;
}

/** Remembers the outcomes of requests with an id. Where that takes too much memory, those that nobody asked for the longest are forgotten. */
export function createRequestOutcomes<T>(
  clock: Clock,
  maxSize = requestRecordLimits.bytes,
): RequestOutcomes<T> {
  const all = new LRUCache<string, Remembered<T>>({ maxSize, sizeCalculation: ({ bytes }) => bytes });

  function find({ key, fingerprint }: RequestRecord): Remembered<T> | undefined {
    const found = all.get(key);
    if (!found || found.until <= clock()) return undefined;
    if (found.fingerprint !== fingerprint) throw requestIdReused();
    return found;
  }

  return {
    earlier(request) {
      const found = find(request);
      return found?.isOpen ? undefined : found?.outcome;
    },

    async run(request, size, carryOut) {
      const { key, fingerprint, until } = request;
      const again = find(request) !== undefined;
      const outcome = carryOut(again);
      const entry: Remembered<T> = {
        fingerprint,
        until,
        outcome,
        bytes: bytesOf(key) + bytesOf(fingerprint) + 2 * bytesOf(size),
        isOpen: false,
      };
      all.set(key, entry);
      try {
        return await outcome;
      } catch (error) {
        entry.isOpen = again || isUnknown(error);
        if (!entry.isOpen && all.peek(key) === entry) all.delete(key);
        throw error;
      }
    },
  };
}
