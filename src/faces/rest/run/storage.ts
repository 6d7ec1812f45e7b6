import { errorOf, type Issue } from '../../../core/errors.ts';
import { written } from '../../../google/write.ts';
import type { Run } from '../method.ts';
import { nextPage, type GivenPage } from './lists.ts';

export const listNotifications: Run = async (call) => {
  const { value } = await call.operation('notifications', call.args);
  return {
    json: {
      kind: 'storage#notifications',
      items: (value as readonly object[]).map((one) => written(call.schemas, 'Notification', one)),
    },
  };
};

interface Bucket {
  readonly name: string;
}

/** How many a page has, unless it is asked for more, and how many it may have. */
const [usual, most] = [250, 1000];

export const listBuckets: Run = async (call) => {
  const { args, given, schemas } = call;
  const { prefix } = given as { readonly prefix?: string };
  const wanted = (given.maxResults as number | undefined) ?? usual;
  let after = call.after;
  for (;;) {
    const { value } = await call.operation('buckets', {
      ...args,
      first: prefix === undefined ? wanted : most,
      after,
    });
    const page = value as GivenPage;
    const fitting = page.edges.filter(({ node }) => (node as Bucket).name.startsWith(prefix ?? ''));
    const edges = fitting.slice(0, wanted);
    const hasNextPage = page.hasNextPage || fitting.length > edges.length;
    // Names come in order: where none fits, those that do may be on a later page.
    if (edges.length > 0 || !page.hasNextPage) {
      return {
        json: {
          kind: 'storage#buckets',
          ...nextPage({ edges, hasNextPage }, call),
          items: edges.map(({ node }) => written(schemas, 'Bucket', node)),
        },
      };
    }
    after = page.edges.at(-1)?.cursor;
  }
};

/** A bucket, where it is as the client wants it. */
export const readBucket: Run = async ({ args, given, schemas, operation }) => {
  const { value } = await operation('bucket', args);
  const json = written(schemas, 'Bucket', value as object);
  const { ifMetagenerationMatch: wanted, ifMetagenerationNotMatch: known } = given;
  if (wanted !== undefined && wanted !== json.metageneration)
    throw errorOf('PRECONDITION_FAILED', [otherMetageneration], { etag: String(json.etag) });
  return { json, unchanged: known !== undefined && known === json.metageneration };
};

const otherMetageneration: Issue = {
  path: ['ifMetagenerationMatch'],
  reason: 'conditionNotMet',
  message: 'The bucket has another metageneration.',
};

/** Objects are kept elsewhere: the gateway knows of their changes alone. */
export const listObjects: Run = async (call) => {
  const { bucket, userProject } = call.args;
  await call.operation('bucket', { bucket, userProject });
  return { json: { kind: 'storage#objects', items: [] } };
};
