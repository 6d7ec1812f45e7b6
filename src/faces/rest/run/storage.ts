import { errorOf, type Issue } from '../../../core/errors.ts';
import { writeResource } from '../../../google/json-writer.ts';
import type { RunMethod } from '../method.ts';
import { createNextPageToken, type OperationPage } from '../list-pages.ts';

/** Lists all notifications of a bucket; the list has no pages. */
export const listNotifications: RunMethod = async (call) => {
  const { value } = await call.callOperation('notifications', call.args);
  return {
    json: {
      kind: 'storage#notifications',
      items: (value as readonly object[]).map((item) => writeResource(call.schemas, 'Notification', item)),
    },
  };
};

/** Part of a bucket that the parameter `prefix` is compared with. */
interface Bucket {
  readonly name: string;
}

/** Default of `maxResults`, and maximum of the argument `first` of operations. */
const defaultPageLength = 250;
const maxPageLength = 1000;

/** Lists buckets. The operation knows no `prefix`, so its pages are filtered until one has a match. */
export const listBuckets: RunMethod = async (call) => {
  const { args, parameters, schemas } = call;
  const { prefix } = parameters as { readonly prefix?: string };
  const pageLength = (parameters.maxResults as number | undefined) ?? defaultPageLength;
  let after = call.after;
  for (;;) {
    const { value } = await call.callOperation('buckets', {
      ...args,
      first: prefix === undefined ? pageLength : maxPageLength,
      after,
    });
    const page = value as OperationPage;
    const matchingEdges = page.edges.filter(({ node }) => (node as Bucket).name.startsWith(prefix ?? ''));
    const edges = matchingEdges.slice(0, pageLength);
    const hasNextPage = page.hasNextPage || matchingEdges.length > edges.length;
    // A page without a match is skipped: buckets with the prefix may follow on a later one.
    if (edges.length > 0 || !page.hasNextPage) {
      return {
        json: {
          kind: 'storage#buckets',
          ...createNextPageToken({ edges, hasNextPage }, call),
          items: edges.map(({ node }) => writeResource(schemas, 'Bucket', node)),
        },
      };
    }
    after = page.edges.at(-1)?.cursor;
  }
};

/** Reads a bucket, and checks the preconditions on its metageneration. */
export const readBucket: RunMethod = async ({ args, parameters, schemas, callOperation }) => {
  const { value } = await callOperation('bucket', args);
  const json = writeResource(schemas, 'Bucket', value as object);
  const { ifMetagenerationMatch, ifMetagenerationNotMatch } = parameters;
  if (ifMetagenerationMatch !== undefined && ifMetagenerationMatch !== json.metageneration)
    throw errorOf('PRECONDITION_FAILED', [metagenerationMismatchIssue], { etag: String(json.etag) });
  const isUnchanged =
    ifMetagenerationNotMatch !== undefined && ifMetagenerationNotMatch === json.metageneration;
  return { json, isUnchanged };
};

const metagenerationMismatchIssue: Issue = {
  path: ['ifMetagenerationMatch'],
  reason: 'conditionNotMet',
  message: 'The bucket has another metageneration.',
};

/** Lists no objects, since the gateway only knows their changes. */
export const listObjects: RunMethod = async (call) => {
  const { bucket, userProject } = call.args;
  await call.callOperation('bucket', { bucket, userProject });
  return { json: { kind: 'storage#objects', items: [] } };
};
