import { isCaller, type Viewer } from '../access/permissions.ts';
import { type AppError, errorAt } from '../core/errors.ts';
import { etagOfText } from '../core/if-match.ts';
import { nodeIdOf } from '../core/ids.ts';
import type { BucketRecord } from './bucket.store.ts';

/** A bucket as its managers see it. Optional fields are absent if unknown. */
export interface BucketView {
  readonly kind: 'storage#bucket';
  readonly id: string;
  readonly nodeId: string;
  readonly name: string;
  readonly project?: string;
  readonly etag: string;
  readonly selfLink: string;
  readonly metageneration: string;
  readonly timeCreated?: string;
  readonly updated?: string;
  readonly billing: { readonly requesterPays: boolean };
  readonly managers?: string[];
}

/** Shows a bucket to its managers. `storageHost`: host of self links. */
export function bucketViewOf(bucket: BucketRecord, storageHost: string): BucketView {
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
  // Includes `idsBefore` and the time: a later bucket of the same name is a different node.
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
  // The etag covers the metageneration, so it is unique for each state of the bucket.
  return {
    kind: 'storage#bucket',
    id: name,
    nodeId,
    etag: etagOfText(JSON.stringify([nodeId, content])),
    ...content,
  };
}

/** True if the caller may see and change the bucket and its notifications. */
export const isManager = ({ managers }: Pick<BucketRecord, 'managers'>, viewer: Viewer): boolean =>
  managers.some((address) => isCaller(address, viewer));

/** Creates the error for a bucket that is missing or that the caller does not manage: its existence is not disclosed. */
export const bucketNotFound = (): AppError =>
  errorAt('NOT_FOUND', ['bucket'], 'notFound', 'There is no such bucket.');
