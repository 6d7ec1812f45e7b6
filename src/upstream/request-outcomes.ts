import { LRUCache } from 'lru-cache';
import { requestIdReused, requestRecordLimits, type RequestRecord } from '../core/request-record.ts';
import { estimateBytes } from '../core/json.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { isOutcomeUnknown } from './client/responses.ts';

interface StoredOutcome<T> {
  readonly fingerprint: string;
  readonly until: number;
  readonly bytes: number;
  readonly outcome: Promise<T>;
  /** Whether the request failed and may have been carried out. */
  isUncertain: boolean;
}

interface RequestOutcomes<T> {
  /** Outcome of an earlier request with this id, if certain. Throws CONFLICT for an id used with another input. */
  earlier(request: RequestRecord): Promise<T> | undefined;
  /** Carries out a request and stores its outcome. `size`: a value of similar size. `mayBeDone`: an earlier attempt may have succeeded. */
  run(request: RequestRecord, size: object, carryOut: (mayBeDone: boolean) => Promise<T>): Promise<T>;
}

/** Caches the outcomes of requests with a `requestId`. Evicts the least recently used ones beyond `maxSize` bytes. */
export function createRequestOutcomes<T>(
  clock: Clock,
  maxSize = requestRecordLimits.bytes,
): RequestOutcomes<T> {
  const cache = new LRUCache<string, StoredOutcome<T>>({ maxSize, sizeCalculation: ({ bytes }) => bytes });

  function find({ key, fingerprint }: RequestRecord): StoredOutcome<T> | undefined {
    const found = cache.get(key);
    if (!found || found.until <= clock()) return undefined;
    if (found.fingerprint !== fingerprint) throw requestIdReused();
    return found;
  }

  return {
    earlier(request) {
      const found = find(request);
      return found?.isUncertain ? undefined : found?.outcome;
    },

    async run(request, size, carryOut) {
      const { key, fingerprint, until } = request;
      const mayBeDone = find(request) !== undefined;
      const outcome = carryOut(mayBeDone);
      const entry: StoredOutcome<T> = {
        fingerprint,
        until,
        outcome,
        bytes: estimateBytes(key) + estimateBytes(fingerprint) + 2 * estimateBytes(size),
        isUncertain: false,
      };
      cache.set(key, entry);
      try {
        return await outcome;
      } catch (error) {
        entry.isUncertain = mayBeDone || isOutcomeUnknown(error);
        if (!entry.isUncertain && cache.peek(key) === entry) cache.delete(key);
        throw error;
      }
    },
  };
}
