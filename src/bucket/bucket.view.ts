import { isCaller, type Viewer } from '../access/permissions.ts';
import { type AppError, errorAt } from '../core/errors.ts';
import { etagOfText } from '../core/if-match.ts';
import { nodeIdOf } from '../core/node-id.ts';
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

/** Whether the caller may see and change a bucket and its notifications. */
export const manages = ({ managers }: Pick<BucketRecord, 'managers'>, viewer: Viewer): boolean =>
  managers.some((name) => isCaller(name, viewer));

/** Also for a bucket that the caller may not manage: its existence is not disclosed. */
export const noBucket = (): AppError =>
  errorAt('NOT_FOUND', ['bucket'], 'notFound', 'There is no such bucket.');
