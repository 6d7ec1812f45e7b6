import { LRUCache } from 'lru-cache';
import { estimateBytes, deepFreeze } from '../../core/json.ts';
import type { CreationQuotaKey } from '../../core/quota.ts';
import {
  type EarlierRequest,
  estimateRecordBytes,
  type RequestRecord,
  defaultRequestRecordLimits,
  type RequestRecordLimits,
} from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { Counts } from '../../core/runtime/limits.ts';

/** Counts the objects of one kind that callers created today. The first one of a new day resets all counts. */
export function createDailyCreationCounter() {
  let today = '';
  let counts = new Counts();
  return {
    countFor: (quotaKey: CreationQuotaKey | undefined): number =>
      quotaKey?.day === today ? counts.countOf(quotaKey.identity) : 0,
    add(quotaKey: CreationQuotaKey | undefined): void {
      if (!quotaKey) return;
      if (quotaKey.day !== today) {
        today = quotaKey.day;
        counts = new Counts();
      }
      counts.add(quotaKey.identity);
    },
  };
}

type StoredRequest = EarlierRequest & Pick<RequestRecord, 'until'>;

/**
 * Outcomes of requests until they expire, by caller. Over the limit of a caller, the caller's oldest one is
 * evicted; over the total limit, all of the least recently active caller.
 */
export function createRequestRecords(clock: Clock, limits: RequestRecordLimits = defaultRequestRecordLimits) {
  type CallerRecords = LRUCache<string, StoredRequest>;
  // lru-cache computes a size only when a value is set: `add` sets the records of the caller again.
  const recordsByCaller = new LRUCache<string, { readonly records: CallerRecords }>({
    maxSize: limits.maxBytes,
    sizeCalculation: ({ records }, caller) => estimateBytes(caller) + records.calculatedSize,
  });
  const createCallerRecords = (): CallerRecords =>
    new LRUCache({
      maxSize: limits.maxBytesPerCaller,
      sizeCalculation: (entry, key) => estimateRecordBytes(key, entry),
    });

  return {
    find(request: RequestRecord): EarlierRequest | undefined {
      const record = recordsByCaller.peek(request.caller)?.records.peek(request.key);
      return record && record.until > clock() ? record : undefined;
    },
    add(request: RequestRecord | undefined, outcome: unknown): void {
      if (!request) return;
      const { caller, key, fingerprint, until } = request;
      const records = recordsByCaller.peek(caller)?.records ?? createCallerRecords();
      records.set(key, deepFreeze({ fingerprint, until, outcome }));
      recordsByCaller.set(caller, { records });
    },
  };
}
