import type { Path, Warning } from '../errors.ts';
import { type Fields, isFields } from '../patch.ts';
import type { Report } from '../report.ts';
import { shorten } from '../text/characters.ts';
import {
  addWrongKind,
  type Coerce,
  coercionError,
  type CoercionErrors,
  enumLeaf,
  leaves,
  maxEntries,
} from './leaves.ts';

/** Alternative names that Google's clients use for the fields and values of an input type. */
export interface InputNames {
  /** Field names by alternative name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fixed values of `notOffered` fields. A field that has its fixed value is dropped without a warning. */
  readonly always?: Readonly<Record<string, string | boolean>>;
  /** Google's fields that the schema lacks: dropped with the warning `notOffered`. */
  readonly notOffered?: ReadonlySet<string>;
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Graph edges, which clients may send back with an object: dropped without a warning. */
  readonly edgeFields?: ReadonlySet<string>;
  readonly inside?: Readonly<Record<string, InputNames>>;
}

export const notOffered = (name: string): Omit<Warning, 'path'> => ({
  reason: 'notOffered',
  message: `${shorten(name)} is not offered here and was ignored.`,
});

/** Renames fields and values to those of the schema, or returns the same object. Warns about dropped names. */
function renameFields(
  sent: Fields,
  names: InputNames,
  errors: Pick<CoercionErrors, 'addAt' | 'warnOf'>,
): Fields {
  const { renamed = {}, always = {}, notOffered: dropped, values = {} } = names;
  let renamedInput: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent)) {
    const field = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (field !== undefined) {
      renamedInput ??= { ...sent };
      delete renamedInput[name];
      if (sent[field] === undefined) renamedInput[field] = sent[name];
      else if (sent[field] !== sent[name])
        errors.addAt(name, 'invalid', `${name} and ${field} are the same here, with two values: send one.`);
    } else if (dropped?.has(name)) {
      renamedInput ??= { ...sent };
      delete renamedInput[name];
      const needsWarning = (sent[name] ?? null) !== null && sent[name] !== always[name];
      if (needsWarning) errors.warnOf(name, notOffered(name));
    }
  }
  for (const name of Object.keys(values)) {
    const value = sent[name];
    const isAlternative = typeof value === 'string' && Object.hasOwn(values[name] ?? {}, value);
    if (isAlternative) (renamedInput ??= { ...sent })[name] = values[name]?.[value];
  }
  return renamedInput ?? sent;
}

/** Renames the fields of a body that no schema coerces, including nested objects. Warns about dropped fields. */
export function renameFieldsDeep(sent: Fields, names: InputNames, path: Path, report: Report): Fields {
  let renamedInput = renameFields(sent, names, {
    addAt(name, reason, message) {
      report.issue([...path, name], reason, message);
      return coercionError;
    },
    warnOf: (name, { reason, message }) => report.warn([...path, name], reason, message),
  });
  for (const [field, inside] of Object.entries(names.inside ?? {})) {
    const value = renamedInput[field];
    const inner = isFields(value) ? renameFieldsDeep(value, inside, [...path, field], report) : value;
    if (inner !== value) renamedInput = { ...renamedInput, [field]: inner };
  }
  return renamedInput;
}

export interface InputShapes {
  /** Field types as in the SDL, by input type and field, in SDL order. */
  readonly inputFields: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly enumValues: Readonly<Record<string, readonly string[]>>;
  readonly defaults?: Readonly<Record<string, Fields>>;
}

/** Client caches add this field to objects and send it back. */
const typeName = '__typename';

/** Strips list and non-null markers: `[String!]!` gives `String`. */
const namedType = (type: string): string => type.replace(/[[\]!]/g, '');

/** Coerces JSON values to input types (GraphQL, sections 3.6 to 3.12). Types are compiled lazily, as they may be recursive. */
export class Coercer {
  readonly #shapes: InputShapes;
  readonly #names: Readonly<Record<string, InputNames>>;
  readonly #compiled = new Map<string, Coerce>();

  constructor(shapes: InputShapes, names: Readonly<Record<string, InputNames>> = {}) {
    this.#shapes = shapes;
    this.#names = names;
  }

  /** Coercer of an SDL type such as `[EventInput!]!`. Absent values are coerced like null. */
  for(type: string): Coerce {
    let compiled = this.#compiled.get(type);
    if (!compiled) this.#compiled.set(type, (compiled = this.#compile(type)));
    return compiled;
  }

  #compile(type: string): Coerce {
    if (type.endsWith('!')) {
      const coerce = this.#nonNull(type.slice(0, -1));
      return (value, errors) =>
        value === null || value === undefined
          ? errors.add('required', 'This must not be null.')
          : coerce(value, errors);
    }
    const coerce = this.#nonNull(type);
    return (value, errors) => (value === null || value === undefined ? null : coerce(value, errors));
  }

  #nonNull(type: string): Coerce {
    if (type.startsWith('[')) return this.#list(type.slice(1, -1));
    const { inputFields, enumValues } = this.#shapes;
    if (inputFields[type]) return this.#object(type, inputFields[type]);
    const coerce = enumValues[type] ? enumLeaf(enumValues[type]) : leaves[type];
    if (!coerce) throw new Error(`the input type ${type} is not known`);
    return coerce;
  }

  #list(entryType: string): Coerce {
    const coerce = this.for(entryType);
    const hasObjects = namedType(entryType) in this.#shapes.inputFields;
    return (value, errors) => {
      if (!Array.isArray(value)) {
        // A single value becomes the only entry. Its issue is reported at the list, unless it is an object.
        const entry = hasObjects && isFields(value) ? errors.at(0, coerce, value) : coerce(value, errors);
        return entry === coercionError ? coercionError : [entry];
      }
      if (value.length > maxEntries) {
        const message = `A list may have at most ${maxEntries} entries; this one has ${value.length}.`;
        return errors.add('tooMany', message, { max: maxEntries, actual: value.length });
      }
      const entries: unknown[] = [];
      for (let index = 0; index < value.length && !errors.isFull(); index += 1) {
        const entry = errors.at(index, coerce, value[index]);
        entries.push(entry === coercionError ? null : entry);
      }
      return entries;
    };
  }

  #object(type: string, fieldTypes: Readonly<Record<string, string>>): Coerce {
    let compiled: Coerce | undefined;
    return (value, errors) => (compiled ??= this.#compileObject(type, fieldTypes))(value, errors);
  }

  #compileObject(type: string, fieldTypes: Readonly<Record<string, string>>): Coerce {
    const defaults = this.#shapes.defaults?.[type];
    const fields = new Map(
      Object.entries(fieldTypes).map(([name, fieldType], index) => [
        name,
        { name, index, coerce: this.for(fieldType) },
      ]),
    );
    const requiredOrDefault = Object.keys(fieldTypes).filter(
      (name) => fieldTypes[name]?.endsWith('!') || defaults?.[name] !== undefined,
    );
    const sortFields = (coerced: Fields): Record<string, unknown> => {
      const ordered: Record<string, unknown> = {};
      for (const name of fields.keys()) if (coerced[name] !== undefined) ordered[name] = coerced[name];
      return ordered;
    };
    const names = this.#names[type];
    return (sent, errors) => {
      if (!isFields(sent)) return addWrongKind(sent, 'This must be a JSON object.', errors);
      const value = names ? renameFields(sent, names, errors) : sent;
      const coerced: Record<string, unknown> = {};
      let lastIndex = -1;
      let isInOrder = true;
      for (const name of Object.keys(value)) {
        if (value[name] === undefined) continue;
        const field = fields.get(name);
        if (!field) {
          if (name === typeName || names?.edgeFields?.has(name)) continue;
          const sentName = shorten(name);
          const suggestion = errors.suggest(sentName, Object.keys(fieldTypes));
          errors.addAt(name, 'invalid', `${type} has no field ${sentName}.${suggestion}`);
        } else {
          const entry = errors.at(name, field.coerce, value[name]);
          if (entry !== coercionError) coerced[name] = entry;
          if (field.index < lastIndex) isInOrder = false;
          lastIndex = field.index;
        }
        if (errors.isFull()) break;
      }
      for (const name of requiredOrDefault) {
        if (value[name] !== undefined) continue;
        if (defaults?.[name] === undefined) errors.addAt(name, 'required', `${name} is required.`);
        else coerced[name] = defaults[name];
        isInOrder = false;
      }
      return isInOrder ? coerced : sortFields(coerced);
    };
  }
}
