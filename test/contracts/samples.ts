import type { BucketRecord, BucketStore } from '../../src/bucket/bucket.store.ts';
import type { RequestRecord } from '../../src/core/request-record.ts';

/** Time at which the clock of a test starts. */
export const startOfTime = Date.UTC(2030, 0, 1);
export const dayMs = 24 * 60 * 60 * 1000;

/** Refuses a change: a decision that throws. */
export function refuse(): never {
  throw new Error('refused');
}

/** Creates a request record of one caller. */
export const createSampleRequest = (
  key: string,
  fingerprint = 'the input',
  until = startOfTime + dayMs,
): RequestRecord => ({ caller: 'somebody', key, fingerprint, until });

/** Writes to every object inside a value, except frozen ones. Detects shared references. */
export function mutateDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    mutateDeep(fields[name]);
    Reflect.set(fields, name, 'mutated');
  }
  Reflect.set(fields, 'added', 'mutated');
}

/** Stores a bucket; replaces the one with its name. */
export const putBucket = (store: Pick<BucketStore, 'changeBucket'>, next: BucketRecord): Promise<void> =>
  store.changeBucket({ name: next.name }, () => ({ next, result: undefined }));
