import type { Viewer } from '../access/permissions.ts';
import { dailyLimitIssues } from '../core/quota.ts';
import { errorOf, type ErrorCode, type Issue, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { Report } from '../core/report.ts';
import { earlierOutcome, requestIdIssues, type RequestRecord } from '../core/request-record.ts';
import { isEmail } from '../core/text/email.ts';
import { bucketView, type BucketView, manages, noBucket } from './bucket.view.ts';
import {
  type DeleteBucketArgs,
  type InsertBucketArgs,
  type MetagenerationArgs,
  type PatchBucketArgs,
  projectIssues,
} from './bucket.requests.ts';
import { changedFields, newFields } from './bucket.body.ts';
import type { BucketFields } from './bucket.fields.ts';
import type { BucketChange, BucketRecord, BucketState } from './bucket.store.ts';

export interface WrittenBucket {
  readonly bucket: BucketView;
  readonly warnings: readonly Warning[];
}

/** Of a write: who asks, when (RFC 3339, UTC), and the host of self links. */
export interface WriteContext {
  readonly viewer: Viewer;
  readonly now: string;
  readonly storageHost: string;
}

// Each decides, on what the store found, what becomes of it. Throws AppError with everything that is wrong.

export function insertBucket(
  { viewer, now, storageHost }: WriteContext,
  args: InsertBucketArgs,
  request: RequestRecord | undefined,
  state: BucketState,
): BucketChange<WrittenBucket> {
  const first = earlierOutcome<WrittenBucket>(request, state.earlier);
  if (first) return { result: first };
  const report = new Report();
  const { next: fields, warnIgnored } = newFields(args.bucket, viewer, report);
  const issues = [
    ...projectIssues('project', args.project),
    ...requestIdIssues(args.requestId),
    ...report.issues,
  ];
  throwAny(insertRefusals(viewer, state), issues);
  const { lastId } = state;
  const next: BucketRecord = {
    ...recordOf(fields),
    project: args.project,
    timeCreated: now,
    updated: now,
    ...(lastId > 0 && { idsBefore: lastId }),
  };
  const bucket = bucketView(next, storageHost);
  warnIgnored(bucket);
  const result = { bucket, warnings: report.warnings };
  return args.validateOnly ? { result } : { next, outcome: result, result };
}

export function patchBucket(
  { viewer, now, storageHost }: WriteContext,
  args: PatchBucketArgs,
  { bucket: before }: BucketState,
): BucketChange<WrittenBucket> {
  if (!before || !manages(before, viewer)) throw noBucket();
  const seen = bucketView(before, storageHost);
  requireMatch(args.ifMatch, () => seen.etag, 'bucket');
  requireMetageneration(args, seen);
  const report = new Report();
  const fields = fieldsOf(before);
  const { next: changed, warnIgnored } = changedFields(args.change, seen, fields, report);
  throwAny([], report.issues);
  const next =
    changed === fields
      ? before
      : { ...before, ...recordOf(changed), metageneration: (before.metageneration ?? 1) + 1, updated: now };
  const bucket = bucketView(next, storageHost);
  warnIgnored(bucket);
  return {
    ...(next !== before && !args.validateOnly && { next }),
    result: { bucket, warnings: report.warnings },
  };
}

export function deleteBucket(
  { viewer, storageHost }: WriteContext,
  args: DeleteBucketArgs,
  { bucket }: BucketState,
): BucketChange<true> {
  if (!bucket || !manages(bucket, viewer)) throw noBucket();
  const seen = bucketView(bucket, storageHost);
  requireMatch(args.ifMatch, () => seen.etag, 'bucket');
  requireMetageneration(args, seen);
  return { removes: true, result: true };
}

/** Throws PRECONDITION_FAILED for a bucket that was changed more or less often than the caller wants. */
function requireMetageneration(
  { ifMetagenerationMatch: wanted, ifMetagenerationNotMatch: unwanted }: MetagenerationArgs,
  { metageneration, etag }: BucketView,
): void {
  const isOther = wanted !== undefined && wanted !== metageneration;
  if (!isOther && unwanted !== metageneration) return;
  const path = [isOther ? 'ifMetagenerationMatch' : 'ifMetagenerationNotMatch'];
  const message = `The metageneration of the bucket is ${metageneration}. Read it again and repeat the change.`;
  throw errorOf('PRECONDITION_FAILED', [{ path, reason: 'conditionNotMet', message }], { etag });
}

type Refusal = readonly [code: ErrorCode, issue: Issue];

/** What keeps a caller from making a bucket, whatever else the input says. */
function insertRefusals(viewer: Viewer, { bucket, madeToday }: BucketState): Refusal[] {
  const tooMany = dailyLimitIssues(madeToday, 'buckets', ['bucket']);
  return [
    ...(isEmail(viewer.identity) ? [] : [['FORBIDDEN', noAddress] as const]),
    ...tooMany.map((issue): Refusal => ['RATE_LIMITED', issue]),
    ...(bucket ? [['CONFLICT', nameTaken] as const] : []),
  ];
}

const noAddress: Issue = {
  path: ['bucket'],
  reason: 'forbidden',
  message:
    'Managers are known by their addresses, and the token has none. Make the bucket with a token that has an e-mail address.',
};

const nameTaken: Issue = {
  path: ['bucket', 'name'],
  reason: 'duplicate',
  message: 'A bucket has this name already, seen by you or not. Choose another name.',
};

/** Refusals and broken rules come in one error, with the code of the first refusal. */
function throwAny(refusals: readonly Refusal[], issues: readonly Issue[]): void {
  const code = refusals[0]?.[0] ?? 'BAD_USER_INPUT';
  const all = [...refusals.map(([, issue]) => issue), ...issues];
  if (all.length > 0) throw errorOf(code, all);
}

const fieldsOf = ({ name, requesterPays, managers }: BucketRecord): BucketFields => ({
  name,
  managers,
  ...(requesterPays && { billing: { requesterPays } }),
});

/** The stored form of fields that were checked. */
const recordOf = ({
  name = '',
  billing,
  managers = [],
}: BucketFields): Pick<BucketRecord, 'name' | 'requesterPays' | 'managers'> => ({
  name,
  requesterPays: billing?.requesterPays ?? false,
  managers,
});
