import type { Viewer } from '../access/permissions.ts';
import { invalidInput, type Issue } from '../core/errors.ts';
import { sizeIssues, type Page } from '../core/page.ts';
import { isStorable } from '../core/text/characters.ts';
import { type ListBucketsArgs, projectIssues } from './bucket.requests.ts';
import { limits } from './bucket.fields.ts';
import type { BucketStore } from './bucket.store.ts';
import { bucketView, type BucketView } from './bucket.view.ts';

const { usual, max } = limits.page;

/** A page of the buckets of a project that the viewer manages, by name. A cursor is the name of one of these. */
export async function listBuckets(
  store: Pick<BucketStore, 'bucketsOf'>,
  storageHost: string,
  viewer: Viewer,
  args: ListBucketsArgs,
): Promise<Page<BucketView>> {
  const first = args.first ?? usual;
  const behind = typeof args.after === 'string' ? nameOf(args.after) : '';
  const issues = bucketListIssues(args);
  if (issues.length > 0 || behind === undefined) throw invalidInput(issues);
  // One more than the page has: it tells whether more follow.
  const found = await store.bucketsOf(args.project, viewer.identity, behind, first + 1);
  return {
    edges: found
      .slice(0, first)
      .map((bucket) => ({ cursor: cursorOf(bucket.name), node: bucketView(bucket, storageHost) })),
    hasNextPage: found.length > first,
    hasPreviousPage: behind !== '',
  };
}

/** What is wrong with the arguments by themselves. */
export const bucketListIssues = (
  { project, first, after }: Partial<ListBucketsArgs>,
  isCursor = (text: string) => nameOf(text) !== undefined,
): Issue[] => [
  ...(project === undefined ? [] : projectIssues('project', project)),
  ...(typeof after === 'string' && !isCursor(after) ? [wrongCursor] : []),
  ...sizeIssues(first, max),
];

const cursorOf = (name: string): string => Buffer.from(name).toString('base64url');

/** Undefined for what is no cursor. */
function nameOf(cursor: string): string | undefined {
  const name = Buffer.from(cursor, 'base64url').toString();
  return name !== '' && isStorable(name) && cursorOf(name) === cursor ? name : undefined;
}

const wrongCursor: Issue = {
  path: ['after'],
  reason: 'invalid',
  message: 'after must be a cursor of this list. Leave it out to begin again.',
};
