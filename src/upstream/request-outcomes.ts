import { LRUCache } from 'lru-cache';
import {
  requestIdReusedError,
  defaultRequestRecordLimits,
  type RequestRecord,
} from '../core/request-record.ts';
import { estimateBytes } from '../core/json.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { isOutcomeUnknown } from './client/responses.ts';

/** Outcome of a request, or the running request. */
interface StoredOutcome<T> {
  readonly fingerprint: string;
  /** Epoch milliseconds at which the outcome expires. */
  readonly until: number;
  readonly bytes: number;
  readonly outcome: Promise<T>;
  /** Whether the request failed and may have been carried out. */
  isUncertain: boolean;
}

/** Caches the outcomes of requests with a `requestId`. Evicts the least recently used ones beyond `maxBytes`. */
export function createRequestOutcomes<T>(clock: Clock, maxBytes = defaultRequestRecordLimits.maxBytes) {
  const cache = new LRUCache<string, StoredOutcome<T>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });

  function findStored({ key, fingerprint }: RequestRecord): StoredOutcome<T> | undefined {
    const storedOutcome = cache.get(key);
    if (!storedOutcome || storedOutcome.until <= clock()) return undefined;
    if (storedOutcome.fingerprint !== fingerprint) throw requestIdReusedError();
    return storedOutcome;
  }

  return {
    /** Returns the outcome of an earlier request with this id, if certain. Throws CONFLICT for an id used with another input. */
    findEarlier(request: RequestRecord): Promise<T> | undefined {
      const storedOutcome = findStored(request);
      return storedOutcome?.isUncertain ? undefined : storedOutcome?.outcome;
    },

    /**
     * Carries out a request and stores its outcome. `sizeSample`: a value about as large as the outcome. `mayBeDone`: an
     * earlier attempt may have succeeded.
     */
    async run(
      request: RequestRecord,
      sizeSample: object,
      runRequest: (mayBeDone: boolean) => Promise<T>,
    ): Promise<T> {
      const { key, fingerprint, until } = request;
      const mayBeDone = findStored(request) !== undefined;
      const outcome = runRequest(mayBeDone);
      const entry: StoredOutcome<T> = {
        fingerprint,
        until,
        outcome,
        bytes: estimateBytes(key) + estimateBytes(fingerprint) + 2 * estimateBytes(sizeSample),
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
