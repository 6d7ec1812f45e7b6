import { LRUCache } from 'lru-cache';
import { bytesOf } from '../../core/json.ts';
import { deepFreeze } from '../../core/patch.ts';
import type { Maker } from '../../core/quota.ts';
import {
  type EarlierRequest,
  recordBytes,
  type RequestRecord,
  requestRecordLimits,
  type RequestRecordLimits,
} from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { Counts } from '../../core/runtime/limits.ts';

/** Counts what callers have made of one kind on one day: those of the day before are forgotten with the first of the next. */
export function createMadeCounts() {
  let today = '';
  let counts = new Counts();
  return {
    of: (maker: Maker | undefined): number => (maker?.day === today ? counts.of(maker.identity) : 0),
    add(maker: Maker | undefined): void {
      if (!maker) return;
      if (maker.day !== today) {
        today = maker.day;
        counts = new Counts();
      }
      counts.add(maker.identity);
    },
  };
}

type Entry = EarlierRequest & Pick<RequestRecord, 'until'>;

/**
 * The requests that carried a request id, each with its outcome, until their time runs out. Beyond a caller's share the caller's
 * oldest ones are forgotten before their time; beyond the limit of all, those of the caller who sent none for longest.
 */
export function createRequestRecords(clock: Clock, limits: RequestRecordLimits = requestRecordLimits) {
  type OfCaller = LRUCache<string, Entry>;
  // A caller's records are put in anew with each one that is added: only then is their size looked at again.
  const callers = new LRUCache<string, { readonly records: OfCaller }>({
    maxSize: limits.bytes,
    sizeCalculation: ({ records }, caller) => bytesOf(caller) + records.calculatedSize,
  });
  const newRecords = (): OfCaller =>
    new LRUCache({
      maxSize: limits.bytesPerCaller,
      sizeCalculation: (entry, key) => recordBytes(key, entry),
    });

  return {
    find(request: RequestRecord): EarlierRequest | undefined {
      const found = callers.peek(request.caller)?.records.peek(request.key);
      return found && found.until > clock() ? found : undefined;
    },
    add(request: RequestRecord | undefined, outcome: unknown): void {
      if (!request) return;
      const { caller, key, fingerprint, until } = request;
      const records = callers.peek(caller)?.records ?? newRecords();
      records.set(key, deepFreeze({ fingerprint, until, outcome }));
      callers.set(caller, { records });
    },
  };
}
