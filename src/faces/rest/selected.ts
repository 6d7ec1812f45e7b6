import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import type { MethodRow } from './method.ts';

/** What an answer has of its value whatever is asked for: its headers, and whether it is whole. */
const always: readonly string[] = ['etag', 'start'];

const whole: FieldSelection = { whole: true, fields: new Map() };

/** What the `fields` of a request ask for of the value of an operation, in the names of the fields behind the official ones. */
export function selectedOf(
  { answer }: MethodRow,
  operation: string,
  fields: FieldSelection | undefined,
  schemas: Schemas,
): Selected | undefined {
  if (!fields || (answer !== 'Event' && answer !== 'Events')) return undefined;
  return () => {
    const ofEvent =
      answer === 'Event' ? fields : (fields.fields.get('items') ?? { whole: false, fields: new Map() });
    const event = withAlways(named(schemas, { $ref: 'Event' }, fields.fields.has('*') ? whole : ofEvent));
    return operation === 'events' || operation === 'instances' ? pageOf(event) : event;
  };
}

/** Of a list everything but its entries is told as it is. */
const pageOf = (event: FieldSelection): FieldSelection => ({
  whole: false,
  fields: new Map([
    ['nodes', event],
    ['pageInfo', whole],
    ['nextSyncToken', whole],
    ['calendar', whole],
  ]),
});

function named(schemas: Schemas, property: Property, selection: FieldSelection): FieldSelection {
  if (selection.whole || selection.fields.has('*')) return whole;
  const of: Property =
    property.$ref === undefined ? (property.items ?? property) : (schemas[property.$ref] ?? {});
  if (of.$ref !== undefined) return named(schemas, of, selection);
  // The entries of a map are no fields.
  if (!of.properties) return whole;
  const { properties } = of;
  return {
    whole: false,
    fields: new Map(
      [...selection.fields].flatMap(([name, inner]) => {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return property ? [[property.field ?? name, named(schemas, property, inner)] as const] : [];
      }),
    ),
  };
}

const withAlways = ({ whole: isWhole, fields }: FieldSelection): FieldSelection =>
  isWhole
    ? whole
    : { whole: false, fields: new Map([...fields, ...always.map((name) => [name, whole] as const)]) };
