import { bucketTable } from '../../bucket/bucket.fields.ts';
import type { BucketView } from '../../bucket/bucket.view.ts';
import type { FieldSelection } from '../../core/fields/selection.ts';
import { nodeIdOf } from '../../core/kernel/node-id.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { Schemas } from '../../official/schema.ts';
import { formOf, isWhole, readFields, selectedTexts } from '../form.ts';

/** Buckets in the form that the official API gives them. */
export interface BucketForm {
  /** Undefined for what is no bucket. `project`: the one that it was listed of. */
  viewOf(json: unknown, project?: string): BucketView | undefined;
  /** What has to be asked for to show a selection, in the words of the parameter `fields`; undefined for the whole. */
  fieldsOf(selection: FieldSelection | undefined): readonly string[] | undefined;
}

export function createBucketForm(schemas: Schemas): BucketForm {
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
