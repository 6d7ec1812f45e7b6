import { isCaller, type Viewer, type ViewerOperation } from '../access/permissions.ts';
import { type ErrorCode, errorOf, type Issue, requireValid, type Warning } from '../core/errors.ts';
import { changeByBody } from '../core/fields/reduce-change.ts';
import { requireMatch } from '../core/if-match.ts';
import type { Page } from '../core/page.ts';
import { createDailyQuotaKey, dailyLimitIssues } from '../core/quota.ts';
import { Report } from '../core/report.ts';
import { createRequestRecord, readEarlierOutcome, requestIdIssues } from '../core/request-record.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { createLoader } from '../core/runtime/request-loader.ts';
import { addressKey, isEmail } from '../core/text/email.ts';
import { type BucketFields, bucketTable, limits } from './bucket.fields.ts';
import {
  type BucketBody,
  bucketListIssues,
  decodeCursor,
  type DeleteBucketArgs,
  encodeCursor,
  type GetBucketArgs,
  type InsertBucketArgs,
  type ListBucketsArgs,
  managerIssues,
  type MetagenerationArgs,
  openBucket,
  type PatchBucketArgs,
  projectIssues,
} from './bucket.requests.ts';
import type { BucketRecord, BucketStore } from './bucket.store.ts';
import { bucketNotFound, bucketViewOf, type BucketView, isManager } from './bucket.view.ts';

/** Result of an insert or a patch, also that of a dry run. */
export interface BucketWriteResult {
  readonly bucket: BucketView;
  readonly warnings: readonly Warning[];
}

export interface BucketService {
  readonly getBucket: ViewerOperation<GetBucketArgs, BucketView>;
  readonly listBuckets: ViewerOperation<ListBucketsArgs, Page<BucketView>>;
  readonly insertBucket: (viewer: Viewer, args: InsertBucketArgs) => Promise<BucketWriteResult>;
  readonly patchBucket: (viewer: Viewer, args: PatchBucketArgs) => Promise<BucketWriteResult>;
  readonly deleteBucket: (viewer: Viewer, args: DeleteBucketArgs) => Promise<boolean>;
}

interface BucketServiceDependencies {
  readonly buckets: BucketStore;
  readonly clock: Clock;
  /** Host of self links. */
  readonly storageHost: string;
}

/** Creates, reads, changes and deletes buckets on behalf of a viewer. Throws AppError with all issues at once. */
export function createBucketService({
  buckets: store,
  clock,
  storageHost,
}: BucketServiceDependencies): BucketService {
  const readBucket = createLoader((names: readonly string[]) => store.buckets(names));
  const viewOf = (bucket: BucketRecord): BucketView => bucketViewOf(bucket, storageHost);
  const formatTime = (time: number): string => new Date(time).toISOString();
  return {
    getBucket: async (viewer, args, request) =>
      viewOf(openBucket(viewer, args, await readBucket(request, args.bucket))),

    async listBuckets(viewer, args) {
      requireValid(bucketListIssues(args));
      const pageSize = args.first ?? limits.pageSize.default;
      const afterName = (typeof args.after === 'string' && decodeCursor(args.after)) || '';
      // Loads one extra bucket to determine `hasNextPage`.
      const buckets = await store.bucketsOf(args.project, viewer.identity, afterName, pageSize + 1);
      return {
        edges: buckets
          .slice(0, pageSize)
          .map((bucket) => ({ cursor: encodeCursor(bucket.name), node: viewOf(bucket) })),
        hasNextPage: buckets.length > pageSize,
        hasPreviousPage: afterName !== '',
      };
    },

    insertBucket(viewer, args) {
      const now = clock();
      const request = createRequestRecord('insertBucket', viewer, args, () => now);
      const target = { name: args.bucket.name ?? '', quotaKey: createDailyQuotaKey(viewer, now), request };
      return store.changeBucket<BucketWriteResult>(target, (state) => {
        const storedResult = readEarlierOutcome<BucketWriteResult>(request, state.earlierRequest);
        if (storedResult) return { result: storedResult };
        const report = new Report();
        const { next: fields, warnIgnored } = changeByBody<BucketFields>(bucketTable, {
          argument: 'bucket',
          body: args.bucket,
          visibleResource: {},
          before: {},
          isCreating: true,
          report,
        });
        checkNewBucket(fields, viewer, report);
        throwIssues([
          ['FORBIDDEN', isEmail(viewer.identity) ? [] : [noAddressIssue]],
          ['RATE_LIMITED', dailyLimitIssues(state.createdToday, 'buckets', ['bucket'])],
          ['CONFLICT', state.bucket ? [nameTakenIssue] : []],
          [
            'BAD_USER_INPUT',
            [...projectIssues('project', args.project), ...requestIdIssues(args.requestId), ...report.issues],
          ],
        ]);
        const newBucket: BucketRecord = {
          // The caller becomes its manager unless the body names managers.
          ...recordOf({ managers: [viewer.identity], ...fields }),
          project: args.project,
          timeCreated: formatTime(now),
          updated: formatTime(now),
          ...(state.lastId > 0 && { idsBefore: state.lastId }),
        };
        const bucket = viewOf(newBucket);
        warnIgnored(bucket);
        const result = { bucket, warnings: report.warnings };
        return args.validateOnly ? { result } : { next: newBucket, outcome: result, result };
      });
    },

    patchBucket(viewer, args) {
      const updated = formatTime(clock());
      return store.changeBucket<BucketWriteResult>({ name: args.bucket }, ({ bucket: storedBucket }) => {
        if (!storedBucket || !isManager(storedBucket, viewer)) throw bucketNotFound();
        const viewBefore = viewOf(storedBucket);
        requireMatch(args.ifMatch, () => viewBefore.etag, 'bucket');
        requireMetageneration(args, viewBefore);
        const report = new Report();
        const fields = fieldsOf(storedBucket);
        const { next: newFields, warnIgnored } = changeByBody<BucketFields>(bucketTable, {
          argument: 'change',
          body: withStoredSpelling(args.change, storedBucket.managers),
          visibleResource: viewBefore,
          before: fields,
          isCreating: false,
          report,
        });
        if (newFields.managers !== fields.managers)
          report.addIssues(managerIssues(newFields.managers ?? [], ['change']));
        requireValid(report.issues);
        const metageneration = (storedBucket.metageneration ?? 1) + 1;
        const nextBucket =
          newFields === fields
            ? storedBucket
            : { ...storedBucket, ...recordOf(newFields), metageneration, updated };
        const bucket = viewOf(nextBucket);
        warnIgnored(bucket);
        return {
          ...(nextBucket !== storedBucket && !args.validateOnly && { next: nextBucket }),
          result: { bucket, warnings: report.warnings },
        };
      });
    },

    deleteBucket: (viewer, args) =>
      store.changeBucket<boolean>({ name: args.bucket }, ({ bucket }) => {
        if (!bucket || !isManager(bucket, viewer)) throw bucketNotFound();
        const view = viewOf(bucket);
        requireMatch(args.ifMatch, () => view.etag, 'bucket');
        requireMetageneration(args, view);
        return { removes: true, result: true };
      }),
  };
}

/** Reports what the field table does not check in the fields of a new bucket. */
function checkNewBucket({ name, managers }: BucketFields, viewer: Viewer, report: Report): void {
  if (name === undefined)
    report.addIssue(['bucket', 'name'], 'required', 'A bucket needs a name. Choose one that is not taken.');
  report.addIssues(managerIssues(managers, ['bucket']));
  if (managers && managers.length > 0 && !managers.some((address) => isCaller(address, viewer)))
    report.addIssue(
      ['bucket', 'managers'],
      'invalid',
      'The creator of a bucket is one of its managers. Add your own address, or leave managers out.',
    );
}

/** Gives known managers their stored spelling, since addresses are compared without case. */
function withStoredSpelling(body: BucketBody, storedManagers: readonly string[]): BucketBody {
  if (!body.managers) return body;
  const storedSpellingByKey = new Map(storedManagers.map((address) => [addressKey(address), address]));
  return {
    ...body,
    managers: body.managers.map((address) => storedSpellingByKey.get(addressKey(address)) ?? address),
  };
}

/** Throws PRECONDITION_FAILED if the metageneration does not meet the conditions. */
function requireMetageneration(
  { ifMetagenerationMatch: match, ifMetagenerationNotMatch: notMatch }: MetagenerationArgs,
  { metageneration, etag }: BucketView,
): void {
  const isMismatch = match !== undefined && match !== metageneration;
  if (!isMismatch && notMatch !== metageneration) return;
  const path = [isMismatch ? 'ifMetagenerationMatch' : 'ifMetagenerationNotMatch'];
  const message = `The metageneration of the bucket is ${metageneration}. Read it again and repeat the change.`;
  throw errorOf('PRECONDITION_FAILED', [{ path, reason: 'conditionNotMet', message }], { etag });
}

const noAddressIssue: Issue = {
  path: ['bucket'],
  reason: 'forbidden',
  message:
    'Managers are identified by their addresses, and the token has none. Create the bucket with a token that has an e-mail address.',
};

const nameTakenIssue: Issue = {
  path: ['bucket', 'name'],
  reason: 'duplicate',
  message: 'A bucket has this name already, even if you cannot see it. Choose another name.',
};

/** Throws all issues as one error, with the code of the first one. */
function throwIssues(issuesByCode: readonly (readonly [ErrorCode, readonly Issue[]])[]): void {
  const code = issuesByCode.find(([, issues]) => issues.length > 0)?.[0];
  if (code)
    throw errorOf(
      code,
      issuesByCode.flatMap(([, issues]) => issues),
    );
}

/** Fields of a stored bucket that callers set. */
const fieldsOf = ({ name, requesterPays, managers }: BucketRecord): BucketFields => ({
  name,
  managers,
  ...(requesterPays && { billing: { requesterPays } }),
});

/** Stored form of the fields that callers set. */
const recordOf = ({
  name = '',
  billing,
  managers = [],
}: BucketFields): Pick<BucketRecord, 'name' | 'requesterPays' | 'managers'> => ({
  name,
  requesterPays: billing?.requesterPays ?? false,
  managers,
});
