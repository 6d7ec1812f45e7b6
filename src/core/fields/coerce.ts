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

/** Names that Google's clients use for the fields and values of an input type. */
export interface InputNames {
  /** Fields by their other names. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Official fields with one fixed value, dropped without a warning if they have it. */
  readonly always?: Readonly<Record<string, string | boolean>>;
  /** Official fields that the schema lacks: dropped with the warning `notOffered`. */
  readonly notOffered?: ReadonlySet<string>;
  /** Values of fields by their other names. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Edges of the graph, which were read with the object: dropped from variables without a warning. */
  readonly edgeFields?: ReadonlySet<string>;
  /** Names inside of the objects in fields. */
  readonly inside?: Readonly<Record<string, InputNames>>;
}

/** Warns of a dropped name. */
export const notOffered = (name: string): Omit<Warning, 'path'> => ({
  reason: 'notOffered',
  message: `${shorten(name)} is not offered here: it was left out.`,
});

/** Puts an input into the names of the schema; gives the very same one where it was. Unknown names stay; dropped ones are warned of. */
function renameFields(
  sent: Fields,
  names: InputNames,
  errors: Pick<CoercionErrors, 'addAt' | 'warnOf'>,
): Fields {
  const { renamed = {}, always = {}, notOffered: known, values = {} } = names;
  let own: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent)) {
    const field = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (field !== undefined) {
      own ??= { ...sent };
      delete own[name];
      if (sent[field] === undefined) own[field] = sent[name];
      else if (sent[field] !== sent[name])
        errors.addAt(name, 'invalid', `${name} and ${field} are the same here, with two values: send one.`);
    } else if (known?.has(name)) {
      own ??= { ...sent };
      delete own[name];
      const isSaid = (sent[name] ?? null) !== null && sent[name] !== always[name];
      if (isSaid) errors.warnOf(name, notOffered(name));
    }
  }
  for (const name of Object.keys(values)) {
    const value = sent[name];
    const spelled = typeof value === 'string' && Object.hasOwn(values[name] ?? {}, value);
    if (spelled) (own ??= { ...sent })[name] = values[name]?.[value];
  }
  return own ?? sent;
}

/** Renames the fields of a body that no schema coerces, nested objects included; warns of dropped ones. */
export function renameFieldsDeep(sent: Fields, names: InputNames, path: Path, report: Report): Fields {
  let own = renameFields(sent, names, {
    addAt(name, reason, message) {
      report.issue([...path, name], reason, message);
      return coercionError;
    },
    warnOf: (name, { reason, message }) => report.warn([...path, name], reason, message),
  });
  for (const [field, inside] of Object.entries(names.inside ?? {})) {
    const value = own[field];
    const named = isFields(value) ? renameFieldsDeep(value, inside, [...path, field], report) : value;
    if (named !== value) own = { ...own, [field]: named };
  }
  return own;
}

/** The input types of a schema as data. */
export interface InputShapes {
  /** By name of an input type its fields with their types, as the SDL writes them, in the order of the SDL. */
  readonly inputFields: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly enumValues: Readonly<Record<string, readonly string[]>>;
  /** Default values of input fields, by type and field. */
  readonly defaults?: Readonly<Record<string, Fields>>;
}

/** Added to objects by client caches, and sent back with them. */
const typeName = '__typename';

/** The name in a type as the SDL writes it: `[String!]!` gives String. */
const namedType = (type: string): string => type.replace(/[[\]!]/g, '');

/** Coerces JSON values to input types (GraphQL, sections 3.6 to 3.12), each compiled when it is needed first: types may hold themselves. */
export class Coercer {
  readonly #shapes: InputShapes;
  readonly #names: Readonly<Record<string, InputNames>>;
  readonly #compiled = new Map<string, Coerce>();

  /** `names`: by input type what clients may call its fields and values too. */
  constructor(shapes: InputShapes, names: Readonly<Record<string, InputNames>> = {}) {
    this.#shapes = shapes;
    this.#names = names;
  }

  /** For a type as the SDL writes it, such as `[EventInput!]!`. An absent value is coerced as null. */
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
        // A single value is the only entry; one that can be no entry at all is reported at the list.
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
      Object.entries(fieldTypes).map(([name, of], index) => [name, { name, index, coerce: this.for(of) }]),
    );
    const always = Object.keys(fieldTypes).filter(
      (name) => fieldTypes[name]?.endsWith('!') || defaults?.[name] !== undefined,
    );
    const inOrder = (coerced: Fields): Record<string, unknown> => {
      const ordered: Record<string, unknown> = {};
      for (const name of fields.keys()) if (coerced[name] !== undefined) ordered[name] = coerced[name];
      return ordered;
    };
    const names = this.#names[type];
    return (sent, errors) => {
      if (!isFields(sent)) return addWrongKind(sent, 'This must be a JSON object.', errors);
      const value = names ? renameFields(sent, names, errors) : sent;
      const coerced: Record<string, unknown> = {};
      let last = -1;
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
          if (field.index < last) isInOrder = false;
          last = field.index;
        }
        if (errors.isFull()) break;
      }
      for (const name of always) {
        if (value[name] !== undefined) continue;
        if (defaults?.[name] === undefined) errors.addAt(name, 'required', `${name} is required.`);
        else coerced[name] = defaults[name];
        isInOrder = false;
      }
      return isInOrder ? coerced : inOrder(coerced);
    };
  }
}
