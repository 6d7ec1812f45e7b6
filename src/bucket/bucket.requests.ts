import type { Viewer } from '../access/permissions.ts';
import { requireValid, type Issue, type Path } from '../core/errors.ts';
import { issuesOfBody } from '../core/fields/reduce-change.ts';
import type { PatchOf } from '../core/fields/table.ts';
import { addressKey } from '../core/text/email.ts';
import { isProject, projectForm } from '../core/text/google-names.ts';
import { type BucketFields, bucketTable, limits } from './bucket.fields.ts';
import type { BucketRecord } from './bucket.store.ts';
import { isManager, bucketNotFound, type BucketView } from './bucket.view.ts';
import { pageSizeIssues } from '../core/page.ts';
import type { DryRunArgs, RepeatableArgs } from '../core/request-record.ts';
import { isStorable } from '../core/text/characters.ts';

/** Projects that a request can be billed to; a requester-pays bucket needs one. */
export interface BillingArgs {
  readonly userProject?: string | null;
  readonly provisionalUserProject?: string | null;
}

/** Issues of the project that a request to a bucket is billed to. */
export function billingIssues(
  bucket: Pick<BucketRecord, 'requesterPays'>,
  { userProject, provisionalUserProject }: BillingArgs,
): Issue[] {
  if (bucket.requesterPays && !userProject && !provisionalUserProject) {
    const message =
      'This is a requester-pays bucket: userProject is required, the project the request is billed to.';
    return [{ path: ['userProject'], reason: 'required', message }];
  }
  return (
    Object.entries({ userProject, provisionalUserProject })
      // Requester-pays buckets treat an empty project as absent: the other project pays.
      .flatMap(([name, project]) =>
        typeof project === 'string' && !(project === '' && bucket.requesterPays)
          ? projectIssues(name, project)
          : [],
      )
  );
}

/** Issues of an argument that names a project. */
export const projectIssues = (argument: string, project: string): Issue[] =>
  isProject(project)
    ? []
    : [{ path: [argument], reason: 'invalid', message: `${argument} must be ${projectForm}.` }];

/** Returns the bucket if the caller manages it and the request can be billed; throws otherwise. */
export function openBucket(
  viewer: Viewer,
  args: BillingArgs,
  bucket: BucketRecord | undefined,
): BucketRecord {
  if (!bucket || !isManager(bucket, viewer)) throw bucketNotFound();
  requireValid(billingIssues(bucket, args));
  return bucket;
}

// Arguments of the bucket operations. Null and absent only differ in the body of a patch.

export interface GetBucketArgs extends Pick<BillingArgs, 'userProject'> {
  readonly bucket: string;
}

/** Arguments of a list: `first` and `after` as in Relay. */
export interface ListBucketsArgs {
  readonly project: string;
  readonly first?: number | null;
  readonly after?: string | null;
}

/** Bucket as a client sends it. Read-only fields are ignored, with a warning if they differ. */
export type BucketBody = PatchOf<BucketFields> & {
  readonly [Field in Exclude<keyof BucketView, keyof BucketFields>]?: string | null;
};

export interface InsertBucketArgs extends RepeatableArgs {
  readonly project: string;
  readonly bucket: BucketBody;
}

/** Conditions on the metageneration, from the REST API; the GraphQL schema lacks them. */
export interface MetagenerationArgs {
  readonly ifMetagenerationMatch?: string;
  readonly ifMetagenerationNotMatch?: string;
}

export interface PatchBucketArgs extends MetagenerationArgs, DryRunArgs {
  readonly bucket: string;
  readonly change: BucketBody;
  readonly ifMatch?: string | null;
}

export interface DeleteBucketArgs extends MetagenerationArgs {
  readonly bucket: string;
  readonly ifMatch?: string | null;
}

/**
 * Issues of the arguments of a list. `isCursor`: check of `after`; upstream services have cursors of their
 * own.
 */
export const bucketListIssues = (
  { project, first, after }: Partial<ListBucketsArgs>,
  isCursor = (text: string) => decodeCursor(text) !== undefined,
): Issue[] => [
  ...(project === undefined ? [] : projectIssues('project', project)),
  ...(typeof after === 'string' && !isCursor(after) ? [invalidCursorIssue] : []),
  ...pageSizeIssues(first, limits.pageSize.max),
];

/** Cursor of a list: the name of a bucket, encoded. */
export const encodeCursor = (name: string): string => Buffer.from(name).toString('base64url');

/** Decodes a cursor; undefined for any other text. */
export function decodeCursor(cursor: string): string | undefined {
  const name = Buffer.from(cursor, 'base64url').toString();
  return name !== '' && isStorable(name) && encodeCursor(name) === cursor ? name : undefined;
}

const invalidCursorIssue: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of this list. Leave it out to start again.',
};

/** Validates a body without loading the bucket. */
export const bucketBodyIssues = (argument: string, body: BucketBody | undefined): Issue[] => [
  ...issuesOfBody(bucketTable, body, [argument]),
  ...managerIssues(body?.managers, [argument]),
];

/** Requires at least one manager, and each address only once. */
export function managerIssues(managers: unknown, path: Path): Issue[] {
  // Lists that are too long are reported elsewhere.
  if (!Array.isArray(managers) || managers.length > limits.maxManagers) return [];
  const managersPath = [...path, 'managers'];
  if (managers.length === 0) {
    const message = `A bucket has 1 to ${limits.maxManagers} managers. Name one, or leave managers out.`;
    return [{ path: managersPath, reason: 'required', message }];
  }
  const firstIndexByKey = new Map<string, number>();
  return managers.flatMap((address: unknown, index): Issue[] => {
    if (typeof address !== 'string') return [];
    const key = addressKey(address);
    const firstIndex = firstIndexByKey.get(key);
    if (firstIndex === undefined) {
      firstIndexByKey.set(key, index);
      return [];
    }
    const message = `This manager is listed at index ${firstIndex} already (upper and lower case are the same). List each address once.`;
    return [{ path: [...managersPath, index], reason: 'invalid', message, params: { index: firstIndex } }];
  });
}
