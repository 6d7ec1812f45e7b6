import type { Fields } from '../../../core/patch.ts';
import {
  getArgumentValues,
  getNamedType,
  getNullableType,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { LengthBudget } from '../../../core/json.ts';
import { edgeOf, type EdgeResults } from '../graph.ts';
import { createVariableReader, type Variables } from '../input/variable-reader.ts';
import {
  fieldsByKey,
  isIncluded,
  type OperationFields,
  type RootInfo,
  type SelectedField,
} from '../request/selected-fields.ts';

/** A document has something that is not compiled: it is left to the GraphQL library. */
export class NotCompiled extends Error {}

/** Answer field and the selections that ask for it. */
interface AnswerField {
  readonly key: string;
  readonly selectedBy: readonly [SelectedField, ...SelectedField[]];
  readonly definition: GraphQLField<unknown, unknown>;
  /** Response keys down to the field, joined by dots. */
  readonly place: string;
  readonly fields: readonly AnswerField[];
}

/** The fields of an answer of an object type that are selected with these values of conditions. */
const answerFields = (
  type: GraphQLObjectType,
  selected: readonly SelectedField[],
  conditions: Variables,
  around = '',
): AnswerField[] =>
  fieldsByKey(selected.filter((field) => isIncluded(field, conditions, type.name))).map((selectedBy) => {
    const [{ key, node }] = selectedBy;
    const definition = definitionOf(node.name.value, type);
    const inner = getNamedType(definition.type);
    const below = selectedBy.flatMap(({ fields }) => fields);
    const place = around === '' ? key : `${around}.${key}`;
    const fields = isObjectType(inner) ? answerFields(inner, below, conditions, place) : [];
    return { key, selectedBy, definition, place, fields };
  });

function definitionOf(name: string, type: GraphQLObjectType): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const definition = type.getFields()[name];
  if (!definition || name === SchemaMetaFieldDef.name || name === TypeMetaFieldDef.name)
    throw new NotCompiled(`the field ${name}`);
  return definition;
}

/** Writes a value in parts: lists yield to other requests. */
type WriteLong = (value: unknown, state: WriteState) => string | Promise<string>;

interface WriteState {
  /** Length that is left for the answer. */
  readonly budget: LengthBudget;
  readonly context: { readonly edges?: EdgeResults };
}

interface FieldWriter {
  readonly name: string;
  /** The text before the value: punctuation and key. */
  readonly head: string;
  readonly write: Write;
  /** Takes the place of `write`, for lists of objects and for what leads to edges. */
  readonly long?: WriteLong;
  /** The place of an edge in the answer. */
  readonly edge?: string;
}

const hasEdgesBelow = (fields: readonly AnswerField[]): boolean =>
  fields.some(({ definition, fields: below }) => edgeOf(definition) || hasEdgesBelow(below));

/** A writer for the value of a root field or an edge, or for what leads to edges. Throws NotCompiled for what is left to the library. */
function longWriter({ definition: { type }, fields }: Pick<AnswerField, 'definition' | 'fields'>): WriteLong {
  const write = bareLongWriter(getNullableType(type), fields);
  const writeNull = isNonNullType(type) ? unexpected : () => 'null';
  return (value, state) => (value === null || value === undefined ? writeNull() : write(value, state));
}

function bareLongWriter(type: GraphQLOutputType, fields: readonly AnswerField[]): WriteLong {
  if (isListType(type)) {
    const entryType = getNullableType(type.ofType as GraphQLOutputType);
    if (!isObjectType(entryType)) return bareWriter(type, fields);
    if (hasEdgesBelow(fields)) {
      const writers = fieldWriters(entryType, fields);
      return (value, state) => writeEntries(value, writers, state);
    }
    const entry = writerOf(type.ofType, fields);
    return (value, { budget }) => writeChunked(value, entry, budget);
  }
  if (!isObjectType(type)) return bareWriter(type, fields);
  const writers = fieldWriters(type, fields);
  if (!writers.some(({ long }) => long)) return objectWriter(writers);
  return (value, state) => writeObject(value, writers, state);
}

const writerOf = (type: GraphQLOutputType, fields: readonly AnswerField[]): Write =>
  isNonNullType(type) ? required(bareWriter(type.ofType, fields)) : nullable(bareWriter(type, fields));

/** A writer for values that are not null. */
function bareWriter(type: GraphQLOutputType, fields: readonly AnswerField[]): Write {
  if (isListType(type)) return listWriter(writerOf(type.ofType, fields));
  if (isLeafType(type)) return leafWriter(type);
  if (!isObjectType(type)) throw new NotCompiled(`the type ${String(type)}`);
  return objectWriter(fieldWriters(type, fields));
}

function fieldWriters(type: GraphQLObjectType, fields: readonly AnswerField[]): FieldWriter[] {
  if (type.isTypeOf) throw new NotCompiled('a type that is asked about its values');
  return fields.map(({ definition, key, place, fields: below }, index): FieldWriter => {
    const head = `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (definition === TypeNameMetaFieldDef)
      return { name: '', head, write: () => JSON.stringify(type.name) };
    if (edgeOf(definition)) {
      const long = longWriter({ definition, fields: below });
      return { name: definition.name, head, write: unexpected, long, edge: place };
    }
    if (!isPlain(definition)) throw new NotCompiled(`the resolver of ${type.name}.${definition.name}`);
    const { name, type: of } = definition;
    if (hasEdgesBelow(below))
      return { name, head, write: unexpected, long: longWriter({ definition, fields: below }) };
    const bare = getNullableType(of);
    if (!isListType(bare) || !isObjectType(getNullableType(bare.ofType)))
      return { name, head, write: writerOf(of, below) };
    // Lists inside of short objects are written with them.
    const entry = writerOf(bare.ofType, below);
    const write = (isNonNullType(of) ? required : nullable)(listWriter(entry));
    const long: WriteLong = (value, { budget }) =>
      value === null || value === undefined ? write(value) : writeChunked(value, entry, budget);
    return { name, head, write, long };
  });
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

/** An object such as a page, whose lists may be long, or one that leads to edges. */
async function writeObject(
  value: unknown,
  fields: readonly FieldWriter[],
  state: WriteState,
): Promise<string> {
  const object = objectOf(value);
  const parts: string[] = [];
  let length = 0;
  for (const { name, head, write, long, edge } of fields) {
    const field = edge === undefined ? object[name] : edgeValue(object, edge, state);
    const text = long ? long(field, state) : write(field);
    length += head.length + (typeof text === 'string' ? text.length : 0);
    parts.push(head, typeof text === 'string' ? text : await text);
  }
  if (state.budget.take(length)) await eventLoop.yield();
  return `${parts.join('')}}`;
}

/** The value of an edge of an object. */
function edgeValue(object: Fields, edge: string, { context }: WriteState): unknown {
  const entered = context.edges?.get(edge)?.get(object);
  return entered && 'value' in entered ? entered.value : unexpected();
}

/** A list whose entries lead to edges. */
async function writeEntries(
  list: unknown,
  fields: readonly FieldWriter[],
  state: WriteState,
): Promise<string> {
  if (!Array.isArray(list)) return unexpected();
  const texts: string[] = [];
  for (const entry of list as unknown[]) texts.push(await writeObject(await entry, fields, state));
  return `[${texts.join(',')}]`;
}

/** After so many entries their length is spent. */
const chunkEntries = 50;

/** Writes a list, and waits for entries. Parts are joined before each wait: a concatenated string is a tree, which takes much memory. */
async function writeChunked(list: unknown, write: Write, budget: LengthBudget): Promise<string> {
  if (!Array.isArray(list)) return unexpected();
  const done: string[] = [];
  let parts: string[] = [];
  const join = (): boolean => {
    const text = parts.join(',');
    parts = [];
    if (text !== '') done.push(text);
    return budget.take(text.length);
  };
  for (let index = 0; index < list.length; index += 1) {
    let entry: unknown = list[index];
    if (isPromise(entry)) {
      if (join()) await eventLoop.yield();
      entry = await entry;
    } else if (parts.length === chunkEntries && join()) await eventLoop.yield();
    parts.push(write(entry));
  }
  join();
  return `[${done.join(',')}]`;
}

/** Writes a value as JSON. Throws for others, such as one of a wrong type. */
type Write = (value: unknown) => string;

/** A value that only the GraphQL library can judge. Shared: a stack for each would cost more than the writing so far. */
const unexpectedValue = new Error('a value that cannot be written');
const unexpected = (): never => {
  throw unexpectedValue;
};

/** Writes the values of a scalar or an enum. */
function leafWriter(type: GraphQLLeafType): Write {
  if (isEnumType(type)) return enumWriter(type);
  return builtIn[type.name] ?? scalarWriter(type);
}

/** Characters that JSON.stringify escapes. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Above this length JSON.stringify is faster than a check for escapes. */
const longString = 100;

const writeString: Write = (value) => {
  if (typeof value !== 'string') return unexpected();
  return value.length > longString || escaped.test(value) ? JSON.stringify(value) : `"${value}"`;
};

const writeInt: Write = (value) =>
  typeof value === 'number' && (value | 0) === value ? String(value) : unexpected();
const writeBoolean: Write = (value) => (value === true ? 'true' : value === false ? 'false' : unexpected());

/** Writers of the built-in scalars, for values that need no conversion. */
const builtIn: Readonly<Record<string, Write>> = {
  String: writeString,
  ID: writeString,
  Int: writeInt,
  Boolean: writeBoolean,
};

function enumWriter(type: GraphQLEnumType): Write {
  const texts = new Map<unknown, string>(
    type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]),
  );
  return (value) => texts.get(value) ?? unexpected();
}

function scalarWriter(type: GraphQLScalarType): Write {
  return (value) => {
    if (typeof value === 'function' || value instanceof Error || isPromise(value)) return unexpected();
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined) return unexpected();
    return typeof serialized === 'string'
      ? writeString(serialized)
      : (JSON.stringify(serialized) ?? unexpected());
  };
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { readonly then?: unknown }).then === 'function';

/** A root field, ready to be run. */
export type Root = ReturnType<typeof rootOf>;

/** An operation that was compiled. */
export type Plan = ReturnType<typeof compilePlan>;

/** The selections of an operation are compiled for each combination of its conditions. */
export const maxConditions = 3;

/** Compiles an operation of a document that fits the schema. Throws NotCompiled for what is left to the library. */
export function compilePlan(
  schema: GraphQLSchema,
  { node: operation, fields, conditionNames }: OperationFields,
) {
  const type =
    operation.operation === OperationTypeNode.SUBSCRIPTION
      ? undefined
      : schema.getRootType(operation.operation);
  if (!type) throw new NotCompiled('a subscription');
  if (conditionNames.length > maxConditions) throw new NotCompiled('many conditions');
  const variants = new Map<string, readonly Root[]>();
  const rootsFor = (variables: Variables): readonly Root[] => {
    // A variable with a default may be null: an error that the library reports.
    if (conditionNames.some((name) => typeof variables[name] !== 'boolean'))
      throw new TypeError('a condition that is no boolean');
    const key = conditionNames.map((name) => (variables[name] === true ? '1' : '0')).join('');
    let roots = variants.get(key);
    if (!roots)
      variants.set(key, (roots = answerFields(type, fields, variables).map((field) => rootOf(field, type))));
    return roots;
  };
  // Compiles the two extreme combinations, so that most documents that cannot be compiled are known at once.
  for (const value of [true, false])
    rootsFor(Object.fromEntries(conditionNames.map((name) => [name, value])));
  return {
    isMutation: operation.operation === OperationTypeNode.MUTATION,
    readVariables: createVariableReader(schema, operation),
    /** The root fields that the conditions of the document include. Throws for a condition that is neither true nor false. */
    rootsFor,
  };
}

type Resolve = (root: undefined, args: object, context: unknown, info: RootInfo) => unknown;

function rootOf(field: AnswerField, type: GraphQLObjectType) {
  const { key, selectedBy, definition } = field;
  const isTypeName = definition === TypeNameMetaFieldDef;
  const resolve = isTypeName ? () => type.name : definition.resolve;
  if (!resolve) throw new NotCompiled('a root field without a resolver');
  if (!isTypeName && isNonNullType(definition.type))
    throw new NotCompiled('a root field that must not be null');
  return {
    key,
    /** The text before its value in the answer. */
    head: `${JSON.stringify(key)}:`,
    // Resolvers of root fields read no more of their info than `RootInfo` has.
    resolve: resolve as unknown as Resolve,
    /** Throws for a coercion error. */
    readArguments: (variables: Variables) => getArgumentValues(definition, selectedBy[0].node, variables),
    info: {
      fieldNodes: selectedBy.map(({ node }) => node),
      path: { prev: undefined, key, typename: type.name },
    },
    write: isTypeName ? () => JSON.stringify(type.name) : longWriter(field),
  };
}
