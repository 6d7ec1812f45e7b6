import { hash } from 'node:crypto';
import type { BucketRecord } from './bucket.store.ts';

/** A bucket as its managers see it. */
export interface BucketView {
  readonly kind: 'storage#bucket';
  readonly id: string;
  readonly nodeId: string;
  readonly name: string;
  readonly project: string;
  readonly etag: string;
  readonly selfLink: string;
  readonly metageneration: string;
  /** Absent where unknown, as is the time of the last change. */
  readonly timeCreated?: string;
  readonly updated?: string;
  readonly billing: { readonly requesterPays: boolean };
  readonly managers: string[];
}

/** `storageHost`: the host of self links. */
export function bucketView(bucket: BucketRecord, storageHost: string): BucketView {
  const { name, project, requesterPays, managers, metageneration = 1, timeCreated, updated, idsBefore = 0 } = bucket;
  // A bucket that takes the name of a deleted one is another bucket.
  const nodeId = opaque(['Bucket', name, idsBefore, timeCreated ?? null]);
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
  return { kind: 'storage#bucket', id: name, nodeId, etag: etagOf([nodeId, content]), ...content };
}

const opaque = (names: readonly unknown[]): string => Buffer.from(JSON.stringify(names)).toString('base64url');

/** A digest of the content, of which the count of changes is a part: no two states of a bucket have the same. */
const etagOf = (content: unknown): string => `"${hash('sha256', JSON.stringify(content), 'base64url').slice(0, 16)}"`;
