import { etagOfText } from '../core/kernel/etag.ts';
import { nodeIdOf } from '../core/kernel/node-id.ts';
import type { BucketRecord } from './bucket.store.ts';

/** A bucket as its managers see it. */
export interface BucketView {
  readonly kind: 'storage#bucket';
  readonly id: string;
  readonly nodeId: string;
  readonly name: string;
  /** Absent where unknown. */
  readonly project?: string;
  readonly etag: string;
  readonly selfLink: string;
  readonly metageneration: string;
  /** Absent where unknown, as is the time of the last change. */
  readonly timeCreated?: string;
  readonly updated?: string;
  readonly billing: { readonly requesterPays: boolean };
  /** Absent where unknown. */
  readonly managers?: string[];
}

/** `storageHost`: the host of self links. */
export function bucketView(bucket: BucketRecord, storageHost: string): BucketView {
  const {
    name,
    project,
    requesterPays,
    managers,
    metageneration = 1,
    timeCreated,
    updated,
    idsBefore = 0,
  } = bucket;
  // A bucket that takes the name of a deleted one is another bucket.
  const nodeId = nodeIdOf('Bucket', name, idsBefore, timeCreated ?? null);
  const content = {
    name,
    project,
    selfLink: `https://${storageHost}/storage/v1/b/${encodeURIComponent(name)}`,
    metageneration: String(metageneration),
    ...(timeCreated !== undefined && { timeCreated }),
    ...(updated !== undefined && { updated }),
    billing: { requesterPays },
    managers: [...managers],
  };
  // The count of changes is a part of it: no two states of a bucket have the same etag.
  return {
    kind: 'storage#bucket',
    id: name,
    nodeId,
    etag: etagOfText(JSON.stringify([nodeId, content])),
    ...content,
  };
}
