import type { Viewer } from '../../access/permissions.ts';
import { bucketTable, limits } from '../../bucket/bucket.fields.ts';
import { bucketListIssues } from '../../bucket/bucket.list.ts';
import { billingIssues, type GetBucketArgs, type ListBucketsArgs } from '../../bucket/bucket.requests.ts';
import type { BucketService } from '../../bucket/bucket.service.ts';
import type { BucketView } from '../../bucket/bucket.view.ts';
import { invalidInput } from '../../core/errors.ts';
import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/node-id.ts';
import type { Page } from '../../core/page.ts';
import { isFields } from '../../core/patch.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import { createSeal } from '../../core/seal.ts';
import type { Schemas } from '../../google/schemas.ts';
import type { UpstreamClient } from '../client/exchange.ts';
import {
  fieldsParameter,
  formOf,
  isWhole,
  itemsText,
  notOffered,
  readFields,
  selectedTexts,
} from '../form.ts';
import { type GivenPage, pageOf, type Place, readAs, readPages } from '../pages.ts';
import { type Named, noUse, storageFault } from './faults.ts';

/** Dependencies of the services over the official Storage API. */
export interface UpstreamStorageParts {
  readonly client: UpstreamClient;
  readonly schemas: Schemas;
  readonly clock: Clock;
  /** The secret that seals cursors. */
  readonly signingSecret: string;
  /** Host of topics that are given without one. */
  readonly pubsubHost: string;
  /** Host of self links. */
  readonly storageHost: string;
}

/** Buckets in the form that the official API gives them. */
interface BucketForm {
  /** Undefined for what is no bucket. `project`: the one that it was listed of. */
  viewOf(json: unknown, project?: string): BucketView | undefined;
  /** Fields to ask for to show a selection, as the parameter `fields` has them; undefined for the whole. */
  fieldsOf(selection: FieldSelection | undefined): readonly string[] | undefined;
}

function createBucketForm(schemas: Schemas): BucketForm {
  const form = formOf(bucketTable.fields, schemas, schemas.Bucket ?? {});
  return {
    viewOf(json, listedOf) {
      if (!isFields(json) || typeof json.name !== 'string') return undefined;
      const { name, projectNumber } = json;
      const fields = readFields(form, json) as Partial<BucketView>;
      const project = typeof projectNumber === 'string' ? projectNumber : listedOf;
      return {
        ...(fields as BucketView),
        kind: 'storage#bucket',
        id: name,
        nodeId: nodeIdOf('Bucket', name, 0, fields.timeCreated ?? null),
        ...(project !== undefined && { project }),
        billing: fields.billing ?? { requesterPays: false },
      };
    },
    fieldsOf(selection) {
      if (!selection || isWhole(selection)) return undefined;
      const { fields } = selection;
      return [
        ...new Set([
          'name',
          ...(fields.has('nodeId') ? ['timeCreated'] : []),
          ...(fields.has('project') ? ['projectNumber'] : []),
          ...selectedTexts(form, selection),
        ]),
      ];
    },
  };
}

/** What a cursor holds. */
interface Cursor {
  readonly project: string;
  readonly place: Place;
}

/** Reads the buckets of the official API, as the caller. They are made, changed and deleted there. */
export function createUpstreamBucketService({
  client,
  schemas,
  signingSecret,
}: UpstreamStorageParts): BucketService {
  const form = createBucketForm(schemas);
  const seal = createSeal(signingSecret, 'upstream buckets');
  const failed =
    (named: Named) =>
    (error: unknown): never => {
      throw storageFault(error, named);
    };

  async function getBucket(
    viewer: Viewer,
    args: GetBucketArgs,
    request: RequestKey,
    selected?: Selected,
  ): Promise<BucketView> {
    const issues = billingIssues({ requesterPays: false }, args);
    if (issues.length > 0) throw invalidInput(issues);
    const texts = form.fieldsOf(selected?.());
    const json = await readAs(viewer, client, request, {
      method: 'buckets.get',
      path: ['b', args.bucket],
      query: { userProject: args.userProject, fields: texts && fieldsParameter(texts) },
    }).catch(failed('bucket'));
    const view = form.viewOf(json);
    if (!view) throw noUse();
    return view;
  }

  async function listBuckets(
    viewer: Viewer,
    args: ListBucketsArgs,
    request: RequestKey,
    selected?: Selected,
  ): Promise<Page<BucketView>> {
    const { project } = args;
    const place = placeOf(args);
    const issues = bucketListIssues(args, () => place !== undefined);
    if (issues.length > 0) throw invalidInput(issues);
    const fields = fieldsOf(selected?.(), form);

    const read = async (pageToken: string | undefined, maxResults: number): Promise<GivenPage<BucketView>> =>
      pageOf(
        await readAs(viewer, client, request, {
          method: 'buckets.list',
          path: ['b'],
          query: { project, maxResults, pageToken, fields },
        }).catch(failed('project')),
        (item) => form.viewOf(item, project),
      );
    const { entries, hasNextPage } = await readPages(args.first ?? limits.page.usual, place, read);
    return {
      edges: entries.map(({ node, behind }) => ({
        node,
        get cursor() {
          return seal.close({ project, place: behind } satisfies Cursor);
        },
      })),
      hasNextPage,
      hasPreviousPage: place !== undefined,
    };
  }

  function placeOf({ project, after }: ListBucketsArgs): Place | undefined {
    const cursor = typeof after === 'string' ? (seal.open(after) as Cursor | undefined) : undefined;
    return cursor?.project === project ? cursor.place : undefined;
  }

  return {
    getBucket,
    listBuckets,
    insertBucket: notOffered,
    patchBucket: notOffered,
    deleteBucket: notOffered,
  };
}

/** What a list needs of the service's answer to show what is selected of it. */
function fieldsOf(selection: FieldSelection | undefined, form: BucketForm): string | undefined {
  if (!selection || isWhole(selection)) return undefined;
  return fieldsParameter(['nextPageToken', itemsText(selection, 'name', (nodes) => form.fieldsOf(nodes))]);
}
