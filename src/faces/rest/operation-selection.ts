import { type FieldSelection, type GetSelection, wholeSelection } from '../../core/fields/table.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import type { MethodRow } from './method.ts';

/** Fields that are always selected: the ETag header and the writer of events need them. */
const requiredFields: readonly string[] = ['etag', 'start'];

/** Converts the parameter `fields` to a selection of the operation's value, with the gateway's field names. Undefined: all fields. */
export function toOperationSelection(
  { responseSchema }: MethodRow,
  operation: string,
  fields: FieldSelection | undefined,
  schemas: Schemas,
): GetSelection | undefined {
  if (!fields || (responseSchema !== 'Event' && responseSchema !== 'Events')) return undefined;
  return () => {
    const eventFields =
      responseSchema === 'Event'
        ? fields
        : (fields.fields.get('items') ?? { isWhole: false, fields: new Map() });
    const event = addRequiredFields(
      renameFields(schemas, { $ref: 'Event' }, fields.fields.has('*') ? wholeSelection : eventFields),
    );
    return operation === 'events' || operation === 'instances' ? createPageSelection(event) : event;
  };
}

/** Selects a page: everything but the entries is selected completely. */
const createPageSelection = (event: FieldSelection): FieldSelection => ({
  isWhole: false,
  fields: new Map([
    ['nodes', event],
    ['pageInfo', wholeSelection],
    ['nextSyncToken', wholeSelection],
    ['calendar', wholeSelection],
  ]),
});

/** Replaces official names in a selection by the gateway's field names. Drops unknown names. */
function renameFields(schemas: Schemas, property: Property, selection: FieldSelection): FieldSelection {
  if (selection.isWhole || selection.fields.has('*')) return wholeSelection;
  const schema: Property =
    property.$ref === undefined ? (property.items ?? property) : (schemas[property.$ref] ?? {});
  if (schema.$ref !== undefined) return renameFields(schemas, schema, selection);
  // Entries of a map are not fields.
  if (!schema.properties) return wholeSelection;
  const { properties } = schema;
  return {
    isWhole: false,
    fields: new Map(
      [...selection.fields].flatMap(([name, nestedFields]) => {
        const fieldProperty = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return fieldProperty
          ? [[fieldProperty.field ?? name, renameFields(schemas, fieldProperty, nestedFields)] as const]
          : [];
      }),
    ),
  };
}

/** Adds the fields that are needed even if the client does not select them. */
const addRequiredFields = ({ isWhole, fields }: FieldSelection): FieldSelection =>
  isWhole
    ? wholeSelection
    : {
        isWhole: false,
        fields: new Map([...fields, ...requiredFields.map((name) => [name, wholeSelection] as const)]),
      };
