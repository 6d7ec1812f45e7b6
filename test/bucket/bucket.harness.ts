import type { Replacements } from '../../src/app.ts';
import type { Answer } from '../harness.ts';
import { startNotificationGateway } from '../notification/notification.harness.ts';
import { selectEveryField } from '../selections.ts';

/** Time at which the clock of a test starts. */
export const startTime = Date.UTC(2030, 0, 1);
/** Project of the buckets that tests insert. */
export const project = 'new-project';

const allFields = selectEveryField('Bucket');
const insertMutation = `mutation ($project: String!, $requestId: String, $validateOnly: Boolean, $bucket: BucketInput!) {
  insertBucket(project: $project, requestId: $requestId, validateOnly: $validateOnly, bucket: $bucket) ${allFields} }`;
const patchMutation = `mutation ($bucket: String!, $ifMatch: String, $validateOnly: Boolean, $change: BucketInput!) {
  patchBucket(bucket: $bucket, ifMatch: $ifMatch, validateOnly: $validateOnly, change: $change) ${allFields} }`;
const deleteMutation =
  'mutation ($bucket: String!, $ifMatch: String) { deleteBucket(bucket: $bucket, ifMatch: $ifMatch) }';
const readQuery = `query ($bucket: String!, $userProject: String) { bucket(bucket: $bucket, userProject: $userProject) ${allFields} }`;
const listQuery = `query ($project: String!, $first: Int, $after: String) { buckets(project: $project, first: $first, after: $after) {
  nodes { name } edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

interface Caller {
  readonly as?: string;
}

/**
 * Starts a gateway with three seeded buckets, and sends bucket operations, by default as their manager. `args`: further
 * arguments of an operation.
 */
export async function startBucketGateway(replacements: Replacements = {}, env: Record<string, string> = {}) {
  const buckets = await startNotificationGateway(replacements, env);
  return {
    ...buckets,
    insert: (bucket: object, args: object = {}, options?: Caller) =>
      buckets.ask(insertMutation, { project, bucket, ...args }, options),
    patch: (bucket: string, change: object, args: object = {}, options?: Caller) =>
      buckets.ask(patchMutation, { bucket, change, ...args }, options),
    remove: (bucket: string, args: object = {}, options?: Caller) =>
      buckets.ask(deleteMutation, { bucket, ...args }, options),
    read: (bucket: string, args: object = {}, options?: Caller) =>
      buckets.ask(readQuery, { bucket, ...args }, options),
    list: (args: object = {}, options?: Caller) => buckets.ask(listQuery, { project, ...args }, options),
  };
}

export type BucketGateway = Awaited<ReturnType<typeof startBucketGateway>>;

/** Returns the value of the first root field; throws if there are errors. */
export function requireValue({ data, errors }: Answer): Answer['data'] {
  if (errors) throw new Error(JSON.stringify(errors));
  return Object.values(data as object)[0];
}
