import { LRUCache } from 'lru-cache';
import {
  createRequestRecord,
  requestIdReusedError,
  defaultRequestRecordLimits,
  type RepeatableArgs,
  type RequestRecord,
} from '../core/request-record.ts';
import { estimateBytes } from '../core/json.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { isOutcomeUnknown } from './client/responses.ts';

/** Outcome of a request, or the running request. */
interface StoredOutcome<T> extends Pick<RequestRecord, 'fingerprint' | 'until'> {
  readonly outcome: Promise<T>;
  readonly bytes: number;
  /** Whether the request failed and may have been carried out. */
  isUncertain: boolean;
}

/** Caches the outcomes of requests with a `requestId`. Evicts the least recently used ones beyond `maxBytes`. */
export function createRequestOutcomes<T>(clock: Clock, maxBytes = defaultRequestRecordLimits.maxBytes) {
  const cache = new LRUCache<string, StoredOutcome<T>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });

  return {
    /**
     * Carries out a request, or returns the certain outcome of an earlier one with the same `requestId`. Throws CONFLICT for an id used
     * with another input. `mayBeDone`: an earlier attempt may have succeeded.
     */
    async run(
      operation: string,
      viewer: { readonly key: string },
      args: RepeatableArgs,
      carryOut: (mayBeDone: boolean, record: RequestRecord | undefined) => Promise<T>,
    ): Promise<T> {
      const record = createRequestRecord(operation, viewer, args, clock);
      if (!record) return carryOut(false, undefined);
      const { key, fingerprint, until } = record;
      const cachedOutcome = cache.get(key);
      const earlierOutcome = cachedOutcome && cachedOutcome.until > clock() ? cachedOutcome : undefined;
      if (earlierOutcome && earlierOutcome.fingerprint !== fingerprint) throw requestIdReusedError();
      if (earlierOutcome && !earlierOutcome.isUncertain) return earlierOutcome.outcome;
      if (args.validateOnly) return carryOut(false, record);
      const mayBeDone = earlierOutcome !== undefined;
      const outcome = carryOut(mayBeDone, record);
      // An outcome is about twice as large as its arguments.
      const bytes = estimateBytes(key) + estimateBytes(fingerprint) + 2 * estimateBytes(args);
      const entry = { fingerprint, until, outcome, bytes, isUncertain: false };
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
