import { bucketTable, limits } from '../../bucket/bucket.fields.ts';
import { bucketListIssues, billingIssues, type ListBucketsArgs } from '../../bucket/bucket.requests.ts';
import type { BucketView } from '../../bucket/bucket.view.ts';
import type { BucketService } from '../../bucket/bucket.service.ts';
import { requireValid } from '../../core/errors.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/ids.ts';
import { isFields } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { createSeal } from '../../core/seal.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { UpstreamClient } from '../client/http-exchange.ts';
import { rejectNotOffered } from '../errors.ts';
import {
  formatFields,
  formatFieldsParameter,
  formatListFields,
  createFieldMappings,
  readFields,
} from '../field-mappings.ts';
import { parsePage, type PagePosition, readListPage } from '../pages.ts';
import { rethrowStorageError, unusableResponseError } from './refusal-errors.ts';

/** Collaborators and settings of the services for buckets and notifications. */
export interface StorageDependencies {
  readonly client: UpstreamClient;
  readonly schemas: Schemas;
  readonly clock: Clock;
  readonly signingSecret: string;
  readonly pubsubHost: string;
  readonly storageHost: string;
}

/** Contents of a sealed cursor. Clients may hold cursors of earlier releases, so names must not change. */
interface Cursor {
  readonly project: string;
  readonly place: PagePosition;
}

/** Creates the service that reads buckets of the official API with the caller's token. Writes are not offered. */
export function createUpstreamBucketService({
  client,
  schemas,
  signingSecret,
}: StorageDependencies): BucketService {
  const mappings = createFieldMappings(bucketTable.fields, schemas, schemas.Bucket ?? {});
  const seal = createSeal(signingSecret, 'upstream buckets');

  /** Converts a bucket; undefined if it is invalid. `listedProject`: the project whose buckets are listed. */
  function viewOf(json: unknown, listedProject?: string): BucketView | undefined {
    if (!isFields(json) || typeof json.name !== 'string') return undefined;
    const { name, projectNumber } = json;
    const fields = readFields(mappings, json) as Partial<BucketView>;
    const project = typeof projectNumber === 'string' ? projectNumber : listedProject;
    return {
      ...(fields as BucketView),
      kind: 'storage#bucket',
      id: name,
      nodeId: nodeIdOf('Bucket', name, 0, fields.timeCreated ?? null),
      ...(project !== undefined && { project }),
      billing: fields.billing ?? { requesterPays: false },
    };
  }

  const formatBucketFields = (selection: FieldSelection | undefined): readonly string[] | undefined =>
    formatFields(mappings, selection, ['name'], { nodeId: ['timeCreated'], project: ['projectNumber'] });

  const getBucket: BucketService['getBucket'] = async (viewer, args, request, selected) => {
    requireValid(billingIssues({ requesterPays: false }, args));
    const fields = formatBucketFields(selected?.());
    const call = {
      apiMethod: 'buckets.get',
      path: ['b', args.bucket],
      query: { userProject: args.userProject, fields: formatFieldsParameter(fields) },
    } as const;
    const json = await client.call(call, { viewer, request }).catch(rethrowStorageError('bucket'));
    const view = viewOf(json);
    if (!view) throw unusableResponseError();
    return view;
  };

  const listBuckets: BucketService['listBuckets'] = async (viewer, args, request, selected) => {
    const { project } = args;
    const position = openCursor(args);
    requireValid(bucketListIssues(args, () => position !== undefined));
    const fields = formatListFields(selected?.(), 'name', formatBucketFields);

    const readBucketPage = async (pageToken: string | undefined, maxResults: number) => {
      const query = { project, maxResults, pageToken, fields };
      const page = await client
        .call({ apiMethod: 'buckets.list', path: ['b'], query }, { viewer, request })
        .catch(rethrowStorageError('project'));
      return parsePage(page, (item) => viewOf(item, project));
    };
    return readListPage(args.first ?? limits.pageSize.default, position, readBucketPage, (place) =>
      seal.close({ project, place } satisfies Cursor),
    );
  };

  /** Opens a cursor; undefined if it belongs to the list of another project. */
  function openCursor({ project, after }: ListBucketsArgs): PagePosition | undefined {
    const cursor = typeof after === 'string' ? (seal.open(after) as Cursor | undefined) : undefined;
    return cursor?.project === project ? cursor.place : undefined;
  }

  return {
    getBucket,
    listBuckets,
    insertBucket: rejectNotOffered,
    patchBucket: rejectNotOffered,
    deleteBucket: rejectNotOffered,
  };
}
