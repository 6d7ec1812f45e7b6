import type { Path, Warning } from '../errors.ts';
import { type Fields, isFields } from '../json.ts';
import type { Report } from '../report.ts';
import { shorten } from '../text/characters.ts';
import {
  addWrongKind,
  type Coerce,
  coercionError,
  type CoercionErrors,
  createEnumCoercer,
  scalarCoercers,
  maxEntries,
} from './scalar-coercers.ts';

/** Alternative names that Google's clients use for the fields and values of an input type. */
export interface InputNames {
  /** Field names by alternative name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fixed values of `notOffered` fields. A field that has its fixed value is dropped without a warning. */
  readonly fixedValues?: Readonly<Record<string, string | boolean>>;
  /** Google's fields that the schema lacks: dropped with a warning of the reason `notOffered`. */
  readonly notOffered?: ReadonlySet<string>;
  /** Values of the schema by field and alternative value. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Graph edges, which clients may send back with an object: dropped without a warning. */
  readonly edgeFields?: ReadonlySet<string>;
  readonly nestedNames?: Readonly<Record<string, InputNames>>;
}

/** Creates the warning for a name that Google's APIs have and this one lacks. */
export const createNotOfferedWarning = (name: string): Omit<Warning, 'path'> => ({
  reason: 'notOffered',
  message: `${shorten(name)} is not offered here and was ignored.`,
});

/** Renames fields and values to those of the schema, or returns the same object. Warns about dropped names. */
function renameFields(
  input: Fields,
  names: InputNames,
  errors: Pick<CoercionErrors, 'addAt' | 'warnAt'>,
): Fields {
  const { renamed = {}, fixedValues = {}, notOffered: droppedNames, values = {} } = names;
  let renamedInput: Record<string, unknown> | undefined;
  for (const name of Object.keys(input)) {
    const field = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (field !== undefined) {
      renamedInput ??= { ...input };
      delete renamedInput[name];
      if (input[field] === undefined) renamedInput[field] = input[name];
      else if (input[field] !== input[name])
        errors.addAt(name, 'invalid', `${name} and ${field} are the same here, with two values: send one.`);
    } else if (droppedNames?.has(name)) {
      renamedInput ??= { ...input };
      delete renamedInput[name];
      if ((input[name] ?? null) !== null && input[name] !== fixedValues[name])
        errors.warnAt(name, createNotOfferedWarning(name));
    }
  }
  for (const name of Object.keys(values)) {
    const value = input[name];
    if (typeof value === 'string' && Object.hasOwn(values[name] ?? {}, value))
      (renamedInput ??= { ...input })[name] = values[name]?.[value];
  }
  return renamedInput ?? input;
}

/** Renames the fields of a body that no schema coerces, including nested objects. Warns about dropped fields. */
export function renameFieldsDeep(input: Fields, names: InputNames, path: Path, report: Report): Fields {
  let renamedInput = renameFields(input, names, {
    addAt(name, reason, message) {
      report.addIssue([...path, name], reason, message);
      return coercionError;
    },
    warnAt: (name, { reason, message }) => report.warn([...path, name], reason, message),
  });
  for (const [field, nestedNames] of Object.entries(names.nestedNames ?? {})) {
    const value = renamedInput[field];
    const renamedValue = isFields(value)
      ? renameFieldsDeep(value, nestedNames, [...path, field], report)
      : value;
    if (renamedValue !== value) renamedInput = { ...renamedInput, [field]: renamedValue };
  }
  return renamedInput;
}

/** Input types and enums of a schema. */
export interface InputShapes {
  /** Field types as in the SDL, by input type and field, in SDL order. */
  readonly inputFields: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly enumValues: Readonly<Record<string, readonly string[]>>;
  /** Values that the schema gives to absent fields, by input type. */
  readonly defaults?: Readonly<Record<string, Fields>>;
}

/** Client caches add this field to objects and send it back. */
const typeName = '__typename';

/** Coerces JSON values to input types (GraphQL, sections 3.6 to 3.12). Types are compiled lazily, as they may be recursive. */
export class SchemaCoercer {
  readonly #shapes: InputShapes;
  readonly #names: Readonly<Record<string, InputNames>>;
  readonly #coercersByType = new Map<string, Coerce>();

  constructor(shapes: InputShapes, names: Readonly<Record<string, InputNames>> = {}) {
    this.#shapes = shapes;
    this.#names = names;
  }

  /** Returns the coercer of an SDL type such as `[EventInput!]!`. Absent values are coerced like null. */
  coercerFor(type: string): Coerce {
    let coerce = this.#coercersByType.get(type);
    if (!coerce) this.#coercersByType.set(type, (coerce = this.#compile(type)));
    return coerce;
  }

  /** Compiles a type for values that may be null, which is then the result. */
  #compile(type: string): Coerce {
    if (type.endsWith('!')) {
      const coerce = this.#compileNonNull(type.slice(0, -1));
      return (value, errors) =>
        value === null || value === undefined
          ? errors.add('required', 'This must not be null.')
          : coerce(value, errors);
    }
    const coerce = this.#compileNonNull(type);
    return (value, errors) => (value === null || value === undefined ? null : coerce(value, errors));
  }

  #compileNonNull(type: string): Coerce {
    if (type.startsWith('[')) return this.#compileList(type.slice(1, -1));
    const { inputFields, enumValues } = this.#shapes;
    const fieldTypes = inputFields[type];
    if (fieldTypes) {
      // Compiled on first use, as input types may contain themselves.
      let coerce: Coerce | undefined;
      return (value, errors) => (coerce ??= this.#compileObject(type, fieldTypes))(value, errors);
    }
    const coerce = enumValues[type] ? createEnumCoercer(enumValues[type]) : scalarCoercers[type];
    if (!coerce) throw new Error(`the input type ${type} is not known`);
    return coerce;
  }

  #compileList(entryType: string): Coerce {
    const coerce = this.coercerFor(entryType);
    const namedType = entryType.replace(/[[\]!]/g, '');
    const hasObjects = namedType in this.#shapes.inputFields;
    return (value, errors) => {
      if (!Array.isArray(value)) {
        // A single value becomes the only entry. Its issue is reported at the list, unless it is an object.
        const entry =
          hasObjects && isFields(value) ? errors.coerceAt(0, coerce, value) : coerce(value, errors);
        return entry === coercionError ? coercionError : [entry];
      }
      if (value.length > maxEntries) {
        const message = `A list may have at most ${maxEntries} entries; this one has ${value.length}.`;
        return errors.add('tooMany', message, { max: maxEntries, actual: value.length });
      }
      const entries: unknown[] = [];
      for (let index = 0; index < value.length && !errors.isFull(); index += 1) {
        const entry = errors.coerceAt(index, coerce, value[index]);
        entries.push(entry === coercionError ? null : entry);
      }
      return entries;
    };
  }

  #compileObject(type: string, fieldTypes: Readonly<Record<string, string>>): Coerce {
    const defaults = this.#shapes.defaults?.[type];
    const coercers = new Map(
      Object.entries(fieldTypes).map(([name, fieldType]) => [name, this.coercerFor(fieldType)]),
    );
    const requiredOrDefaultNames = Object.keys(fieldTypes).filter(
      (name) => fieldTypes[name]?.endsWith('!') || defaults?.[name] !== undefined,
    );
    const names = this.#names[type];
    return (input, errors) => {
      if (!isFields(input)) return addWrongKind(input, 'This must be a JSON object.', errors);
      const value = names ? renameFields(input, names, errors) : input;
      const coercedFields: Record<string, unknown> = {};
      for (const name of Object.keys(value)) {
        if (value[name] === undefined) continue;
        const coerce = coercers.get(name);
        if (!coerce) {
          if (name === typeName || names?.edgeFields?.has(name)) continue;
          const sentName = shorten(name);
          const suggestion = errors.suggest(sentName, Object.keys(fieldTypes));
          errors.addAt(name, 'invalid', `${type} has no field ${sentName}.${suggestion}`);
        } else {
          const entry = errors.coerceAt(name, coerce, value[name]);
          if (entry !== coercionError) coercedFields[name] = entry;
        }
        if (errors.isFull()) break;
      }
      for (const name of requiredOrDefaultNames) {
        if (value[name] !== undefined) continue;
        if (defaults?.[name] === undefined) errors.addAt(name, 'required', `${name} is required.`);
        else coercedFields[name] = defaults[name];
      }
      // Sorts the fields as in the SDL.
      const orderedFields: Record<string, unknown> = {};
      for (const name of coercers.keys())
        if (coercedFields[name] !== undefined) orderedFields[name] = coercedFields[name];
      return orderedFields;
    };
  }
}
