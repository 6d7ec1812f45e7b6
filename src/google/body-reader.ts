import type { Issue, Path } from '../core/errors.ts';
import { type Fields, isFields } from '../core/json.ts';
import { maxIssues } from '../core/report.ts';
import type { Property, Schemas } from './schemas.ts';

export const resolveSchema = (schemas: Schemas, schema: Property): Property =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref] as Property);

/** Path of a value in the body, in official names and in field names. */
interface BodyPath {
  readonly official: Path;
  readonly field: Path;
}

const childPath = ({ official, field }: BodyPath, step: string | number, fieldStep = step): BodyPath => ({
  official: [...official, step],
  field: [...field, fieldStep],
});

/** Reads a request body of Google's API and renames its properties to the fields of the gateway. */
export class BodyReader {
  readonly #schemas: Schemas;
  /** Whether nulls are kept, because they clear fields; otherwise they count as absent. */
  readonly #keepsNulls: boolean;
  /** Official paths of unknown properties, which are ignored. */
  readonly unknownPaths: Path[] = [];
  /** Official paths of properties that only Google offers, which are ignored. */
  readonly notOfferedPaths: Path[] = [];
  /** Issues of values that should be lists. Their paths consist of field names, like those of other issues. */
  readonly issues: Issue[] = [];

  constructor(schemas: Schemas, keepsNulls: boolean) {
    this.#schemas = schemas;
    this.#keepsNulls = keepsNulls;
  }

  /** Reads a value by its schema. Keeps values of the wrong type, since the operation reports them. */
  read(schema: Property, value: unknown, path: BodyPath): unknown {
    const { items, properties, officialValues, notOffered } = resolveSchema(this.#schemas, schema);
    if (Array.isArray(value))
      return items ? value.map((entry, index) => this.read(items, entry, childPath(path, index))) : value;
    if (items && value !== null && value !== undefined)
      // A single object stands for a list with one entry.
      return isFields(value) && resolveSchema(this.#schemas, items).properties
        ? [this.read(items, value, childPath(path, 0))]
        : this.#reportNonList(path);
    if (isFields(value))
      return properties
        ? this.#readObject(properties, notOffered, value, path)
        : Object.fromEntries(this.#entriesOf(value));
    if (!officialValues) return value;
    const [fieldValue = value] = Object.entries(officialValues).find(([, text]) => text === value) ?? [];
    return fieldValue;
  }

  #readObject(
    properties: Readonly<Record<string, Property>>,
    notOffered: ReadonlySet<string> | undefined,
    value: Fields,
    path: BodyPath,
  ): object {
    const fields = this.#entriesOf(value).flatMap(([name, entry]): [string, unknown][] => {
      const property = findProperty(properties, name);
      if (property?.constant !== undefined) {
        if (entry !== property.constant) this.notOfferedPaths.push([...path.official, name]);
        return [];
      }
      if (property)
        return [[property.field ?? name, this.read(property, entry, childPath(path, name, property.field))]];
      (notOffered?.has(name) ? this.notOfferedPaths : this.unknownPaths).push([...path.official, name]);
      return [];
    });
    return Object.fromEntries(fields);
  }

  #reportNonList({ field }: BodyPath): undefined {
    if (this.issues.length < maxIssues)
      this.issues.push({ path: field, reason: 'invalid', message: 'This must be a list.' });
  }

  #entriesOf(value: Fields): [string, unknown][] {
    return Object.entries(value).filter(([, entry]) => this.#keepsNulls || entry !== null);
  }
}

/** Finds a property by its official name, or by the name of its field. */
const findProperty = (properties: Readonly<Record<string, Property>>, name: string): Property | undefined =>
  Object.hasOwn(properties, name)
    ? properties[name]
    : Object.values(properties).find(({ field }) => field === name);

/** Converts a path of field names to official names. `schemaName`: the schema of the body. */
export function toOfficialPath(schemas: Schemas, schemaName: string, path: Path): Path {
  let schema: Property | undefined = { $ref: schemaName };
  return path.map((step) => {
    const parent: Property = schema ? resolveSchema(schemas, schema) : {};
    if (typeof step === 'number') {
      schema = parent.items;
      return step;
    }
    const properties = Object.entries(parent.properties ?? {});
    const [official, property] = properties.find(([key, { field = key }]) => field === step) ?? [
      step,
      parent.additionalProperties,
    ];
    schema = property;
    return official;
  });
}
