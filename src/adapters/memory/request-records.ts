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

/** Counts of what callers have made today, for the stores of one process. */
export interface MadeCounts {
  of(kind: 'bucket' | 'calendar', maker: Maker | undefined): number;
  add(kind: 'bucket' | 'calendar', maker: Maker | undefined): void;
}

/** Counts of one day: those of the day before are forgotten with the first of the next. */
export function createMadeCounts(): MadeCounts {
  let today = '';
  let counts = new Map<string, number>();
  const of: MadeCounts['of'] = (kind, maker) =>
    maker && maker.day === today ? (counts.get(`${kind} ${maker.identity}`) ?? 0) : 0;
  return {
    of,
    add(kind, maker) {
      if (!maker) return;
      if (maker.day !== today) {
        today = maker.day;
        counts = new Map();
      }
      counts.set(`${kind} ${maker.identity}`, of(kind, maker) + 1);
    },
  };
}

/** The requests that carried a request id, each with its outcome, until their time runs out. */
interface RequestRecords<T> {
  find(request: RequestRecord | undefined): EarlierRequest<T> | undefined;
  add(request: RequestRecord | undefined, outcome: T): void;
}

interface Entry<T> extends EarlierRequest<T> {
  readonly until: number;
}

/**
 * Keeps records in the memory of this process. Beyond a caller's share the caller's oldest ones are forgotten before
 * their time; beyond the limit of all, those of the caller who sent none for longest.
 */
export function createRequestRecords<T>(
  clock: Clock,
  limits: RequestRecordLimits = requestRecordLimits,
): RequestRecords<T> {
  type OfCaller = LRUCache<string, Entry<T>>;
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
    find(request) {
      const found = request && callers.peek(request.caller)?.records.peek(request.key);
      return found && found.until > clock() ? found : undefined;
    },
    add(request, outcome) {
      if (!request) return;
      const { caller, key, fingerprint, until } = request;
      const records = callers.peek(caller)?.records ?? newRecords();
      records.set(key, deepFreeze({ fingerprint, until, outcome }));
      callers.set(caller, { records });
    },
  };
}
