import { deepFreeze } from '../../core/patch.ts';
import type { RequestRecordLimits } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';
import { createMadeCounts, createRequestRecords, type MadeCounts } from './request-records.ts';

export interface MemoryBucketStore extends BucketStore {
  /** For stores in the same memory, whose decisions are made on the bucket. */
  readonly find: (name: string) => BucketRecord | undefined;
  /** The highest id that a notification of a bucket of this name ever had. */
  readonly lastIdOf: (name: string) => number;
  /** Tells of an id that a notification has got. */
  readonly countTo: (name: string, id: number) => void;
  /** Calls back with the name of each bucket that is deleted. */
  readonly onRemoved: (forget: (name: string) => void) => void;
}

interface MemoryBucketStoreParts {
  readonly clock: Clock;
  readonly made?: MadeCounts;
  /** Called with the name of each bucket that was changed or deleted. */
  readonly onChanged?: (name: string) => void;
  readonly requestLimits?: RequestRecordLimits;
}

/** Buckets in the memory of this process. */
export function createMemoryBucketStore({
  clock,
  made = createMadeCounts(),
  onChanged = () => undefined,
  requestLimits,
}: MemoryBucketStoreParts): MemoryBucketStore {
  const records = new Map<string, BucketRecord>();
  const requests = createRequestRecords<unknown>(clock, requestLimits);
  /** By name, those of deleted buckets too: ids count on. */
  const lastIds = new Map<string, number>();
  const listeners: ((name: string) => void)[] = [];

  const lastIdOf = (name: string): number => lastIds.get(name) ?? 0;
  const countTo = (name: string, id: number): void => void (id > lastIdOf(name) && lastIds.set(name, id));

  function remove(name: string): void {
    records.delete(name);
    for (const forget of listeners) forget(name);
  }

  return {
    find: (name) => records.get(name),
    lastIdOf,
    countTo,
    onRemoved: (forget) => void listeners.push(forget),

    buckets: async (names) => names.map((name) => records.get(name)),

    async bucketsOf(project, identity, behind, limit) {
      const own = [...records.values()].filter(
        (bucket) =>
          bucket.project === project && bucket.managers.some((name) => addressKey(name) === identity),
      );
      return pageOf(own, behind, limit);
    },

    bucketsBehind: async (name, limit) =>
      pageOf([...records.values()], name, limit).map((bucket) => ({ bucket, lastId: lastIdOf(bucket.name) })),

    async changeBucket({ name, maker, request }, decide) {
      const bucket = records.get(name);
      const change = decide({
        bucket,
        lastId: lastIdOf(name),
        madeToday: made.of('bucket', maker),
        earlier: requests.find(request),
      });
      if (change.next) {
        records.set(name, deepFreeze(structuredClone(change.next)));
        countTo(name, change.lastId ?? 0);
        if (!bucket) made.add('bucket', maker);
      }
      if (change.removes) remove(name);
      if (bucket && (change.next || change.removes)) onChanged(name);
      if (change.outcome !== undefined) requests.add(request, change.outcome);
      return change.result;
    },
  };
}

/** Those behind a name, in the order of a database: by the bytes of names. */
const pageOf = (buckets: readonly BucketRecord[], behind: string, limit: number): BucketRecord[] =>
  buckets
    .filter(({ name }) => compare(name, behind) > 0)
    .sort((a, b) => compare(a.name, b.name))
    .slice(0, limit);

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
