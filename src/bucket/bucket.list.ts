import type { Viewer } from '../access/permissions.ts';
import { invalidInputError, type Issue } from '../core/errors.ts';
import { pageSizeIssues, type Page } from '../core/page.ts';
import { isStorable } from '../core/text/characters.ts';
import { type ListBucketsArgs, projectIssues } from './bucket.requests.ts';
import { limits } from './bucket.fields.ts';
import type { BucketStore } from './bucket.store.ts';
import { bucketViewOf, type BucketView } from './bucket.view.ts';

const { default: defaultPageSize, max: maxPageSize } = limits.pageSize;

/** Lists the buckets of a project that the viewer manages, by name. A cursor is an encoded bucket name. */
export async function listBuckets(
  store: Pick<BucketStore, 'bucketsOf'>,
  storageHost: string,
  viewer: Viewer,
  args: ListBucketsArgs,
): Promise<Page<BucketView>> {
  const pageSize = args.first ?? defaultPageSize;
  const afterName = typeof args.after === 'string' ? decodeCursor(args.after) : '';
  const issues = bucketListIssues(args);
  if (issues.length > 0 || afterName === undefined) throw invalidInputError(issues);
  // Loads one extra bucket to determine `hasNextPage`.
  const buckets = await store.bucketsOf(args.project, viewer.identity, afterName, pageSize + 1);
  return {
    edges: buckets
      .slice(0, pageSize)
      .map((bucket) => ({ cursor: encodeCursor(bucket.name), node: bucketViewOf(bucket, storageHost) })),
    hasNextPage: buckets.length > pageSize,
    hasPreviousPage: afterName !== '',
  };
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
  ...pageSizeIssues(first, maxPageSize),
];

const encodeCursor = (name: string): string => Buffer.from(name).toString('base64url');

function decodeCursor(cursor: string): string | undefined {
  const name = Buffer.from(cursor, 'base64url').toString();
  return name !== '' && isStorable(name) && encodeCursor(name) === cursor ? name : undefined;
}

const invalidCursorIssue: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of this list. Leave it out to start again.',
};
