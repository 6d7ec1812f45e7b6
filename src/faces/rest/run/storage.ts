import { errorOf, type Issue } from '../../../core/errors.ts';
import { writeResource } from '../../../google/write.ts';
import type { Run } from '../method.ts';
import { nextPage, type OperationPage } from './lists.ts';

export const listNotifications: Run = async (call) => {
  const { value } = await call.operation('notifications', call.args);
  return {
    json: {
      kind: 'storage#notifications',
      items: (value as readonly object[]).map((item) => writeResource(call.schemas, 'Notification', item)),
    },
  };
};

interface Bucket {
  readonly name: string;
}

const defaultPageLength = 250;
const maxPageLength = 1000;

export const listBuckets: Run = async (call) => {
  const { args, parameters, schemas } = call;
  const { prefix } = parameters as { readonly prefix?: string };
  const pageLength = (parameters.maxResults as number | undefined) ?? defaultPageLength;
  let after = call.after;
  for (;;) {
    const { value } = await call.operation('buckets', {
      ...args,
      first: prefix === undefined ? pageLength : maxPageLength,
      after,
    });
    const page = value as OperationPage;
    const matching = page.edges.filter(({ node }) => (node as Bucket).name.startsWith(prefix ?? ''));
    const edges = matching.slice(0, pageLength);
    const hasNextPage = page.hasNextPage || matching.length > edges.length;
    // Names are sorted, so buckets with the prefix may follow on a later page.
    if (edges.length > 0 || !page.hasNextPage) {
      return {
        json: {
          kind: 'storage#buckets',
          ...nextPage({ edges, hasNextPage }, call),
          items: edges.map(({ node }) => writeResource(schemas, 'Bucket', node)),
        },
      };
    }
    after = page.edges.at(-1)?.cursor;
  }
};

/** Reads a bucket, and checks the preconditions on its metageneration. */
export const readBucket: Run = async ({ args, parameters, schemas, operation }) => {
  const { value } = await operation('bucket', args);
  const json = writeResource(schemas, 'Bucket', value as object);
  const { ifMetagenerationMatch: required, ifMetagenerationNotMatch: known } = parameters;
  if (required !== undefined && required !== json.metageneration)
    throw errorOf('PRECONDITION_FAILED', [otherMetageneration], { etag: String(json.etag) });
  return { json, unchanged: known !== undefined && known === json.metageneration };
};

const otherMetageneration: Issue = {
  path: ['ifMetagenerationMatch'],
  reason: 'conditionNotMet',
  message: 'The bucket has another metageneration.',
};

/** Lists no objects, since the gateway only knows their changes. */
export const listObjects: Run = async (call) => {
  const { bucket, userProject } = call.args;
  await call.operation('bucket', { bucket, userProject });
  return { json: { kind: 'storage#objects', items: [] } };
};
