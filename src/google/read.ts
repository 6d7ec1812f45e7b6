import type { Issue, Path } from '../core/errors.ts';
import { isFields } from '../core/patch.ts';
import { maxIssues } from '../core/report.ts';
import type { Property, Schemas } from './schemas.ts';

/** The schema that one names, or itself. */
export const resolved = (schemas: Schemas, schema: Property): Property =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref] as Property);

/** A place in the body, in official names and in those of the fields. */
interface Place {
  readonly official: Path;
  readonly field: Path;
}

const within = ({ official, field }: Place, step: string | number, named: string | number = step): Place => ({
  official: [...official, step],
  field: [...field, named],
});

/** Reads values in official names into those of the fields behind them. */
export class BodyReader {
  readonly #schemas: Schemas;
  readonly #nullClears: boolean;
  /** Fields that do not exist, in official names: they are left out. */
  readonly unknown: Path[] = [];
  /** Fields that only the official API has, in official names: they are left out too. */
  readonly notOffered: Path[] = [];
  /** Values in place of lists; paths are in the names of fields. */
  readonly issues: Issue[] = [];

  constructor(schemas: Schemas, nullClears: boolean) {
    this.#schemas = schemas;
    this.#nullClears = nullClears;
  }

  /** A value of another form than its schema stays as it is: the operation says what is wrong with it. */
  read(schema: Property, value: unknown, at: Place): unknown {
    const { items, properties, spelled, notOffered } = resolved(this.#schemas, schema);
    if (Array.isArray(value))
      return items ? value.map((entry, index) => this.read(items, entry, within(at, index))) : value;
    if (items && value !== null && value !== undefined)
      return isFields(value) && resolved(this.#schemas, items).properties
        ? [this.read(items, value, within(at, 0))]
        : this.#noList(at);
    if (isFields(value))
      return properties ? this.#object(properties, notOffered, value, at) : this.#map(value);
    return typeof value === 'string' && spelled ? (officialOf(spelled).get(value) ?? value) : value;
  }

  #object(
    properties: Readonly<Record<string, Property>>,
    notOffered: ReadonlySet<string> | undefined,
    value: Readonly<Record<string, unknown>>,
    at: Place,
  ): object {
    const fields = this.#present(value).flatMap(([name, entry]): [string, unknown][] => {
      const property = propertyOf(properties, name);
      if (property?.constant !== undefined) {
        if (entry !== property.constant) this.notOffered.push([...at.official, name]);
        return [];
      }
      if (property)
        return [[property.field ?? name, this.read(property, entry, within(at, name, property.field))]];
      (notOffered?.has(name) ? this.notOffered : this.unknown).push([...at.official, name]);
      return [];
    });
    return Object.fromEntries(fields);
  }

  /** An object for a list of objects is a list of one; no other value is. */
  #noList({ field }: Place): undefined {
    if (this.issues.length < maxIssues)
      this.issues.push({ path: field, reason: 'invalid', message: 'This must be a list.' });
  }

  #map(value: Readonly<Record<string, unknown>>): object {
    return Object.fromEntries(this.#present(value));
  }

  #present(value: Readonly<Record<string, unknown>>): [string, unknown][] {
    return Object.entries(value).filter(([, entry]) => this.#nullClears || entry !== null);
  }
}

/** By its official name, or by that of the field behind it. */
const propertyOf = (properties: Readonly<Record<string, Property>>, name: string): Property | undefined =>
  Object.hasOwn(properties, name)
    ? properties[name]
    : Object.values(properties).find(({ field }) => field === name);

const officialOf = (spelled: NonNullable<Property['spelled']>): ReadonlyMap<string, string> =>
  new Map(Object.entries(spelled).map(([field, official]) => [official, field]));

/** A path of fields, as the official API has it. */
export function officialPath(schemas: Schemas, name: string, path: Path): Path {
  let schema: Property | undefined = { $ref: name };
  return path.map((step) => {
    const of: Property = schema ? resolved(schemas, schema) : {};
    if (typeof step === 'number') {
      schema = of.items;
      return step;
    }
    const properties = Object.entries(of.properties ?? {});
    const [official, property] = properties.find(([key, { field = key }]) => field === step) ?? [
      step,
      of.additionalProperties,
    ];
    schema = property;
    return official;
  });
}
