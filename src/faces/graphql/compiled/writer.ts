import {
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  TypeNameMetaFieldDef,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { isPromise, leafWriter, unexpected, type Write } from './leaves.ts';
import { fieldsOf, NotCompiled, type Scope, type SelectedField } from './selection.ts';
import { writeChunked, type LengthBudget } from './chunked-writer.ts';

/** Writes the value of a root field; lists yield to other requests. */
export type WriteRoot = (value: unknown, budget: LengthBudget) => string | Promise<string>;

type Fields = Readonly<Record<string, unknown>>;

interface FieldWriter {
  readonly name: string;
  /** The text before the value: punctuation and key. */
  readonly head: string;
  readonly write: Write;
  /** For lists whose entries are objects: writes one, null for a list that must not be null. */
  readonly entry?: Write;
  readonly nullable: boolean;
}

/** Makes writers for the fields that one operation selects, and counts them. Throws NotCompiled for fields left to the library. */
export class WriterFactory {
  readonly #scope: Scope;
  fields = 0;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** A writer for a root field, which may be null. */
  rootWriter({ definition, nodes }: SelectedField): WriteRoot {
    const { type } = definition;
    if (isNonNullType(type)) throw new NotCompiled('a root field that must not be null');
    if (isListType(type) && isObjectType(getNullableType(type.ofType))) {
      const entry = this.#writer(type.ofType, nodes);
      return (value, budget) =>
        value === null || value === undefined ? 'null' : writeChunked(value, entry, budget);
    }
    if (!isObjectType(type)) return this.#writer(type, nodes);
    const fields = this.#fieldWriters(type, nodes);
    if (!fields.some(({ entry }) => entry)) return nullable(objectWriter(fields));
    return (value, budget) =>
      value === null || value === undefined ? 'null' : writeWithLists(objectOf(value), fields, budget);
  }

  #writer(type: GraphQLOutputType, nodes: SelectedField['nodes']): Write {
    return isNonNullType(type)
      ? required(this.#bareWriter(type.ofType, nodes))
      : nullable(this.#bareWriter(type, nodes));
  }

  /** A writer for values that are not null. */
  #bareWriter(type: GraphQLOutputType, nodes: SelectedField['nodes']): Write {
    if (isListType(type)) return listWriter(this.#writer(type.ofType, nodes));
    if (isLeafType(type)) return leafWriter(type);
    if (!isObjectType(type)) throw new NotCompiled(`the type ${String(type)}`);
    return objectWriter(this.#fieldWriters(type, nodes));
  }

  #fieldWriters(type: GraphQLObjectType, nodes: SelectedField['nodes']): FieldWriter[] {
    if (type.isTypeOf) throw new NotCompiled('a type that is asked about its values');
    const selected = fieldsOf(
      this.#scope,
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
    return selected.map((field, index): FieldWriter => {
      this.fields += 1;
      const { definition, key } = field;
      const head = `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
      if (definition === TypeNameMetaFieldDef)
        return { name: '', head, write: () => JSON.stringify(type.name), nullable: false };
      if (!isPlain(definition)) throw new NotCompiled(`the resolver of ${type.name}.${definition.name}`);
      const list = getNullableType(definition.type);
      const entry =
        isListType(list) && isObjectType(getNullableType(list.ofType))
          ? this.#writer(list.ofType, field.nodes)
          : undefined;
      const bare = entry ? listWriter(entry) : this.#bareWriter(list, field.nodes);
      const isRequired = isNonNullType(definition.type);
      return {
        name: definition.name,
        head,
        write: isRequired ? required(bare) : nullable(bare),
        entry,
        nullable: !isRequired,
      };
    });
  }
}

const isPlain = ({ resolve, args }: GraphQLField<unknown, unknown>): boolean =>
  args.length === 0 && resolve === undefined;

const nullable =
  (write: Write): Write =>
  (value) =>
    value === null || value === undefined ? 'null' : write(value);

const required =
  (write: Write): Write =>
  (value) =>
    value === null || value === undefined ? unexpected() : write(value);

/** An object whose fields can be read. */
function objectOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || value instanceof Error || isPromise(value))
    return unexpected();
  return value as Fields;
}

function objectWriter(fields: readonly FieldWriter[]): Write {
  return (value) => {
    const object = objectOf(value);
    let json = '';
    for (const { name, head, write } of fields) json += head + write(object[name]);
    return json === '' ? '{}' : `${json}}`;
  };
}

function listWriter(entry: Write): Write {
  return (value) => {
    if (!Array.isArray(value)) return unexpected();
    let json = '';
    for (let index = 0; index < value.length; index += 1)
      json += (index === 0 ? '[' : ',') + entry(value[index]);
    return json === '' ? '[]' : `${json}]`;
  };
}

/** An object such as a page, whose lists may be long. */
async function writeWithLists(
  object: Fields,
  fields: readonly FieldWriter[],
  budget: LengthBudget,
): Promise<string> {
  const parts: string[] = [];
  for (const { name, head, write, entry } of fields) {
    const value = object[name];
    const isList = entry !== undefined && value !== null && value !== undefined;
    parts.push(head, isList ? await writeChunked(value, entry, budget) : write(value));
  }
  return `${parts.join('')}}`;
}
