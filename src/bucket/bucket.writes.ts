import { isCaller, type Viewer } from '../access/permissions.ts';
import { changeByBody, issuesOfBody, type BodyChange } from '../core/fields/reduce-change.ts';
import { type Issue, type Path, errorOf, type ErrorCode, type Warning } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { addressKey, isEmail } from '../core/text/email.ts';
import { bucketTable, limits, type BucketFields } from './bucket.fields.ts';
import {
  type BucketBody,
  type DeleteBucketArgs,
  type InsertBucketArgs,
  type MetagenerationArgs,
  type PatchBucketArgs,
  projectIssues,
} from './bucket.requests.ts';
import { type BucketView, bucketViewOf, isManager, bucketNotFound } from './bucket.view.ts';
import { dailyLimitIssues } from '../core/quota.ts';
import { requireMatch } from '../core/if-match.ts';
import { readEarlierOutcome, requestIdIssues, type RequestRecord } from '../core/request-record.ts';
import type { BucketChange, BucketRecord, BucketState } from './bucket.store.ts';

/** Validates a body without loading the bucket. */
export const bucketBodyIssues = (argument: string, body: BucketBody | undefined): Issue[] => [
  ...issuesOfBody(bucketTable, body, [argument]),
  ...managerIssues(body?.managers, [argument]),
];

/** Builds the fields of a new bucket. The caller becomes its manager unless the body names managers. */
function buildBucketFields(body: BucketBody, viewer: Viewer, report: Report): BodyChange<BucketFields> {
  const argument = 'bucket';
  const { next, warnIgnored } = changeByBody<BucketFields>(bucketTable, {
    argument,
    body,
    visibleResource: {},
    before: {},
    isCreating: true,
    report,
  });
  if (next.name === undefined)
    report.addIssue([argument, 'name'], 'required', 'A bucket needs a name. Choose one that is not taken.');
  const { managers } = next;
  report.addIssues(managerIssues(managers, [argument]));
  if (managers && managers.length > 0 && !managers.some((name) => isCaller(name, viewer))) {
    report.addIssue(
      [argument, 'managers'],
      'invalid',
      'The creator of a bucket is one of its managers. Add your own address, or leave managers out.',
    );
  }
  return { next: { ...next, managers: managers ?? [viewer.identity] }, warnIgnored };
}

/** Applies a body to a bucket. `next` is the same object if nothing changes. */
function patchBucketFields(
  body: BucketBody,
  view: BucketView,
  fieldsBefore: BucketFields,
  report: Report,
): BodyChange<BucketFields> {
  const argument = 'change';
  // Addresses are compared without case: known managers keep their stored spelling.
  const storedSpellingByKey = new Map(
    (fieldsBefore.managers ?? []).map((address) => [addressKey(address), address]),
  );
  const managers = body.managers?.map((address) => storedSpellingByKey.get(addressKey(address)) ?? address);
  const change = changeByBody<BucketFields>(bucketTable, {
    argument,
    body: { ...body, ...(managers && { managers }) },
    visibleResource: view,
    before: fieldsBefore,
    isCreating: false,
    report,
  });
  if (change.next.managers !== fieldsBefore.managers)
    report.addIssues(managerIssues(change.next.managers ?? [], [argument]));
  return change;
}

/** Requires at least one manager, and each address only once. */
function managerIssues(managers: unknown, path: Path): Issue[] {
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

/** Result of an insert or a patch, also that of a dry run. */
export interface BucketWriteResult {
  readonly bucket: BucketView;
  readonly warnings: readonly Warning[];
}

/** Context of a write. The functions below decide it on the loaded state, and throw AppError with all issues at once. */
export interface WriteContext {
  readonly viewer: Viewer;
  /** RFC 3339, UTC. */
  readonly now: string;
  /** Host of self links. */
  readonly storageHost: string;
}

/** Decides the insert of a bucket; a repeated request gets its earlier result. */
export function decideInsert(
  { viewer, now, storageHost }: WriteContext,
  args: InsertBucketArgs,
  request: RequestRecord | undefined,
  state: BucketState,
): BucketChange<BucketWriteResult> {
  const storedResult = readEarlierOutcome<BucketWriteResult>(request, state.earlierRequest);
  if (storedResult) return { result: storedResult };
  const report = new Report();
  const { next: fields, warnIgnored } = buildBucketFields(args.bucket, viewer, report);
  const issues = [
    ...projectIssues('project', args.project),
    ...requestIdIssues(args.requestId),
    ...report.issues,
  ];
  throwIssues(insertRefusals(viewer, state), issues);
  const { lastId } = state;
  const newBucket: BucketRecord = {
    ...recordOf(fields),
    project: args.project,
    timeCreated: now,
    updated: now,
    ...(lastId > 0 && { idsBefore: lastId }),
  };
  const bucket = bucketViewOf(newBucket, storageHost);
  warnIgnored(bucket);
  const result = { bucket, warnings: report.warnings };
  return args.validateOnly ? { result } : { next: newBucket, outcome: result, result };
}

/** Decides a patch. One that changes nothing stores nothing. */
export function decidePatch(
  { viewer, now, storageHost }: WriteContext,
  args: PatchBucketArgs,
  { bucket: storedBucket }: BucketState,
): BucketChange<BucketWriteResult> {
  if (!storedBucket || !isManager(storedBucket, viewer)) throw bucketNotFound();
  const viewBefore = bucketViewOf(storedBucket, storageHost);
  requireMatch(args.ifMatch, () => viewBefore.etag, 'bucket');
  requireMetageneration(args, viewBefore);
  const report = new Report();
  const fields = fieldsOf(storedBucket);
  const { next: newFields, warnIgnored } = patchBucketFields(args.change, viewBefore, fields, report);
  throwIssues([], report.issues);
  const nextBucket =
    newFields === fields
      ? storedBucket
      : {
          ...storedBucket,
          ...recordOf(newFields),
          metageneration: (storedBucket.metageneration ?? 1) + 1,
          updated: now,
        };
  const view = bucketViewOf(nextBucket, storageHost);
  warnIgnored(view);
  return {
    ...(nextBucket !== storedBucket && !args.validateOnly && { next: nextBucket }),
    result: { bucket: view, warnings: report.warnings },
  };
}

export function decideDelete(
  { viewer, storageHost }: WriteContext,
  args: DeleteBucketArgs,
  { bucket }: BucketState,
): BucketChange<true> {
  if (!bucket || !isManager(bucket, viewer)) throw bucketNotFound();
  const view = bucketViewOf(bucket, storageHost);
  requireMatch(args.ifMatch, () => view.etag, 'bucket');
  requireMetageneration(args, view);
  return { removes: true, result: true };
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

/** Issue for which a request is refused, with the code of the error. */
type Refusal = readonly [code: ErrorCode, issue: Issue];

/** Refusals of an insert that do not depend on the body. */
function insertRefusals(viewer: Viewer, { bucket, createdToday }: BucketState): Refusal[] {
  const quotaIssues = dailyLimitIssues(createdToday, 'buckets', ['bucket']);
  return [
    ...(isEmail(viewer.identity) ? [] : [['FORBIDDEN', noAddressIssue] as const]),
    ...quotaIssues.map((issue): Refusal => ['RATE_LIMITED', issue]),
    ...(bucket ? [['CONFLICT', nameTakenIssue] as const] : []),
  ];
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

/** Throws refusals and issues as one error, with the code of the first refusal. */
function throwIssues(refusals: readonly Refusal[], issues: readonly Issue[]): void {
  const code = refusals[0]?.[0] ?? 'BAD_USER_INPUT';
  const allIssues = [...refusals.map(([, issue]) => issue), ...issues];
  if (allIssues.length > 0) throw errorOf(code, allIssues);
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
