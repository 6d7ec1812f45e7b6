import type { Fields, LengthBudget } from '../../../core/json.ts';
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
import { edgeOf, type EdgeResults } from '../graph.ts';
import { createVariableReader } from '../input/variable-reader.ts';
import {
  fieldsByKey,
  isIncluded,
  type OperationFields,
  type RootInfo,
  type SelectedField,
} from '../request/selected-fields.ts';

/** Thrown for documents that the compiler does not support; graphql-js runs them instead. */
export class NotCompiledError extends Error {}

/** A field of the response, and the selections that merge into it. */
interface ResponseField {
  readonly key: string;
  readonly selectedBy: readonly [SelectedField, ...SelectedField[]];
  readonly definition: GraphQLField<unknown, unknown>;
  /** Response keys from the root to the field, joined by dots. */
  readonly path: string;
  readonly fields: readonly ResponseField[];
}

/** Collects the response fields that are selected under the given values of `@skip` and `@include` variables. */
const selectFields = (
  type: GraphQLObjectType,
  selected: readonly SelectedField[],
  conditions: Fields,
  parentPath = '',
): ResponseField[] =>
  fieldsByKey(selected.filter((field) => isIncluded(field, conditions, type.name))).map((selectedBy) => {
    const [{ key, node }] = selectedBy;
    const definition = requireDefinition(node.name.value, type);
    const namedType = getNamedType(definition.type);
    const selectedBelow = selectedBy.flatMap(({ fields }) => fields);
    const path = parentPath === '' ? key : `${parentPath}.${key}`;
    const fields = isObjectType(namedType) ? selectFields(namedType, selectedBelow, conditions, path) : [];
    return { key, selectedBy, definition, path, fields };
  });

function requireDefinition(name: string, type: GraphQLObjectType): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const definition = type.getFields()[name];
  if (!definition || name === SchemaMetaFieldDef.name || name === TypeMetaFieldDef.name)
    throw new NotCompiledError(`the field ${name}`);
  return definition;
}

/** Writes a value in chunks, so that long lists yield to other requests. */
type WriteChunks = (value: unknown, state: WriteState) => string | Promise<string>;

/** State of writing one response. */
interface WriteState {
  readonly budget: LengthBudget;
  readonly context: { readonly edgeResults?: EdgeResults };
}

interface FieldWriter {
  /** Name of the field in the schema; empty for `__typename`, which is not read from the object. */
  readonly name: string;
  /** JSON before the value: brace or comma, and key. */
  readonly prefix: string;
  readonly write: WriteValue;
  /** Replaces `write` for lists of objects, and for fields with edges below them. */
  readonly writeChunks?: WriteChunks;
  /** Response path of an edge, whose value was read before; absent for other fields. */
  readonly edgePath?: string;
}

const hasEdgesBelow = (fields: readonly ResponseField[]): boolean =>
  fields.some(({ definition, fields: children }) => edgeOf(definition) || hasEdgesBelow(children));

/** Creates the writer of a root field, an edge, or a field with edges below it. Throws NotCompiledError for unsupported fields. */
function createChunkWriter({
  definition: { type },
  fields,
}: Pick<ResponseField, 'definition' | 'fields'>): WriteChunks {
  const write = createNonNullChunkWriter(getNullableType(type), fields);
  const writeNull = isNonNullType(type) ? failWrite : () => 'null';
  return (value, state) => (value === null || value === undefined ? writeNull() : write(value, state));
}

function createNonNullChunkWriter(type: GraphQLOutputType, fields: readonly ResponseField[]): WriteChunks {
  if (isListType(type)) {
    const entryType = getNullableType(type.ofType as GraphQLOutputType);
    if (!isObjectType(entryType)) return createNonNullWriter(type, fields);
    if (hasEdgesBelow(fields)) {
      const writers = createFieldWriters(entryType, fields);
      return (value, state) => writeEntries(value, writers, state);
    }
    const writeEntry = createNullCheckingWriter(type.ofType, fields);
    return (value, { budget }) => writeListInChunks(value, writeEntry, budget);
  }
  if (!isObjectType(type)) return createNonNullWriter(type, fields);
  const writers = createFieldWriters(type, fields);
  if (!writers.some(({ writeChunks }) => writeChunks)) return createObjectWriter(writers);
  return (value, state) => writeObject(value, writers, state);
}

/** Creates the writer of values that may be null where the type permits it. */
const createNullCheckingWriter = (type: GraphQLOutputType, fields: readonly ResponseField[]): WriteValue =>
  isNonNullType(type)
    ? refuseNull(createNonNullWriter(type.ofType, fields))
    : acceptNull(createNonNullWriter(type, fields));

/** Creates the writer of values that are known not to be null. */
function createNonNullWriter(type: GraphQLOutputType, fields: readonly ResponseField[]): WriteValue {
  if (isListType(type)) return createListWriter(createNullCheckingWriter(type.ofType, fields));
  if (isLeafType(type)) return createLeafWriter(type);
  if (!isObjectType(type)) throw new NotCompiledError(`the type ${String(type)}`);
  return createObjectWriter(createFieldWriters(type, fields));
}

function createFieldWriters(type: GraphQLObjectType, fields: readonly ResponseField[]): FieldWriter[] {
  if (type.isTypeOf) throw new NotCompiledError('a type that is asked about its values');
  return fields.map(({ definition, key, path, fields: children }, index): FieldWriter => {
    const prefix = `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (definition === TypeNameMetaFieldDef)
      return { name: '', prefix, write: () => JSON.stringify(type.name) };
    if (edgeOf(definition)) {
      const writeChunks = createChunkWriter({ definition, fields: children });
      return { name: definition.name, prefix, write: failWrite, writeChunks, edgePath: path };
    }
    if (!hasDefaultResolver(definition))
      throw new NotCompiledError(`the resolver of ${type.name}.${definition.name}`);
    const { name, type: fieldType } = definition;
    if (hasEdgesBelow(children))
      return {
        name,
        prefix,
        write: failWrite,
        writeChunks: createChunkWriter({ definition, fields: children }),
      };
    const nullableType = getNullableType(fieldType);
    if (!isListType(nullableType) || !isObjectType(getNullableType(nullableType.ofType)))
      return { name, prefix, write: createNullCheckingWriter(fieldType, children) };
    // `write` applies when the parent object is itself written in one piece.
    const writeEntry = createNullCheckingWriter(nullableType.ofType, children);
    const write = (isNonNullType(fieldType) ? refuseNull : acceptNull)(createListWriter(writeEntry));
    const writeChunks: WriteChunks = (value, { budget }) =>
      value === null || value === undefined ? write(value) : writeListInChunks(value, writeEntry, budget);
    return { name, prefix, write, writeChunks };
  });
}

const hasDefaultResolver = ({ resolve, args }: GraphQLField<unknown, unknown>): boolean =>
  args.length === 0 && resolve === undefined;

const acceptNull =
  (write: WriteValue): WriteValue =>
  (value) =>
    value === null || value === undefined ? 'null' : write(value);

const refuseNull =
  (write: WriteValue): WriteValue =>
  (value) =>
    value === null || value === undefined ? failWrite() : write(value);

/** Returns the value as an object. Throws for errors and promises, which only graphql-js reports. */
function requireObject(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || value instanceof Error || isPromise(value))
    return failWrite();
  return value as Fields;
}

function createObjectWriter(fields: readonly FieldWriter[]): WriteValue {
  return (value) => {
    const object = requireObject(value);
    let json = '';
    for (const { name, prefix, write } of fields) json += prefix + write(object[name]);
    return json === '' ? '{}' : `${json}}`;
  };
}

function createListWriter(writeEntry: WriteValue): WriteValue {
  return (value) => {
    if (!Array.isArray(value)) return failWrite();
    let json = '';
    for (let index = 0; index < value.length; index += 1)
      json += (index === 0 ? '[' : ',') + writeEntry(value[index]);
    return json === '' ? '[]' : `${json}]`;
  };
}

/** Writes an object that may have long lists, such as a page, or edges below it. */
async function writeObject(
  value: unknown,
  fields: readonly FieldWriter[],
  state: WriteState,
): Promise<string> {
  const object = requireObject(value);
  const texts: string[] = [];
  let length = 0;
  for (const { name, prefix, write, writeChunks, edgePath } of fields) {
    const fieldValue = edgePath === undefined ? object[name] : readEdgeValue(object, edgePath, state);
    const text = writeChunks ? writeChunks(fieldValue, state) : write(fieldValue);
    length += prefix.length + (typeof text === 'string' ? text.length : 0);
    texts.push(prefix, typeof text === 'string' ? text : await text);
  }
  if (state.budget.spend(length)) await eventLoop.yield();
  return `${texts.join('')}}`;
}

function readEdgeValue(object: Fields, path: string, { context }: WriteState): unknown {
  const result = context.edgeResults?.get(path)?.get(object);
  return result && 'value' in result ? result.value : failWrite();
}

/** Writes a list of objects with edges below them. */
async function writeEntries(
  list: unknown,
  fields: readonly FieldWriter[],
  state: WriteState,
): Promise<string> {
  if (!Array.isArray(list)) return failWrite();
  const texts: string[] = [];
  for (const entry of list as unknown[]) texts.push(await writeObject(await entry, fields, state));
  return `[${texts.join(',')}]`;
}

/** Number of entries after which their length is charged to the budget. */
const entriesPerChunk = 50;

/** Writes a list and awaits its entries. Their texts are joined before each wait, since V8 keeps concatenated strings as large trees. */
async function writeListInChunks(list: unknown, write: WriteValue, budget: LengthBudget): Promise<string> {
  if (!Array.isArray(list)) return failWrite();
  const chunks: string[] = [];
  let entryTexts: string[] = [];
  const flush = (): boolean => {
    const text = entryTexts.join(',');
    entryTexts = [];
    if (text !== '') chunks.push(text);
    return budget.spend(text.length);
  };
  for (let index = 0; index < list.length; index += 1) {
    let entry: unknown = list[index];
    if (isPromise(entry)) {
      if (flush()) await eventLoop.yield();
      entry = await entry;
    } else if (entryTexts.length === entriesPerChunk && flush()) await eventLoop.yield();
    entryTexts.push(write(entry));
  }
  flush();
  return `[${chunks.join(',')}]`;
}

/** Writes a value as JSON. Throws for a value of the wrong type. */
type WriteValue = (value: unknown) => string;

/** Signals a value that only graphql-js can judge. Shared, because a stack trace for each value would cost more than writing it. */
const unwritableError = new Error('a value that cannot be written');
const failWrite = (): never => {
  throw unwritableError;
};

function createLeafWriter(type: GraphQLLeafType): WriteValue {
  if (isEnumType(type)) return createEnumWriter(type);
  return builtInWriters[type.name] ?? createScalarWriter(type);
}

const escapedCharacterPattern = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Above this length JSON.stringify is faster than a check for escapes. */
const maxScannedLength = 100;

const writeString: WriteValue = (value) => {
  if (typeof value !== 'string') return failWrite();
  return value.length > maxScannedLength || escapedCharacterPattern.test(value)
    ? JSON.stringify(value)
    : `"${value}"`;
};

/** Writes an integer of 32 bits, which is what `| 0` keeps unchanged. */
const writeInt: WriteValue = (value) =>
  typeof value === 'number' && (value | 0) === value ? String(value) : failWrite();
const writeBoolean: WriteValue = (value) =>
  value === true ? 'true' : value === false ? 'false' : failWrite();

/** Writers of the built-in scalars, for values that need no conversion. */
const builtInWriters: Readonly<Record<string, WriteValue>> = {
  String: writeString,
  ID: writeString,
  Int: writeInt,
  Boolean: writeBoolean,
};

function createEnumWriter(type: GraphQLEnumType): WriteValue {
  const jsonByValue = new Map<unknown, string>(
    type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]),
  );
  return (value) => jsonByValue.get(value) ?? failWrite();
}

function createScalarWriter(type: GraphQLScalarType): WriteValue {
  return (value) => {
    if (typeof value === 'function' || value instanceof Error || isPromise(value)) return failWrite();
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined) return failWrite();
    return typeof serialized === 'string'
      ? writeString(serialized)
      : (JSON.stringify(serialized) ?? failWrite());
  };
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { readonly then?: unknown }).then === 'function';

/** A root field, ready to be run and written. */
export type CompiledRoot = ReturnType<typeof compileRoot>;

/** A compiled operation: reads its variables, and gives the root fields to run for their values. */
export type Plan = ReturnType<typeof compilePlan>;

/** Maximum number of condition variables: selections are compiled for each combination of their values. */
export const maxConditions = 3;

/** Compiles an operation of a valid document. Throws NotCompiledError for operations that graphql-js must run. */
export function compilePlan(
  schema: GraphQLSchema,
  { node: operation, fields, conditionNames }: OperationFields,
) {
  const type =
    operation.operation === OperationTypeNode.SUBSCRIPTION
      ? undefined
      : schema.getRootType(operation.operation);
  if (!type) throw new NotCompiledError('a subscription');
  if (conditionNames.length > maxConditions) throw new NotCompiledError('many conditions');
  const rootsByConditions = new Map<string, readonly CompiledRoot[]>();
  const rootsFor = (variables: Fields): readonly CompiledRoot[] => {
    // A variable with a default may be null, an error that graphql-js reports.
    if (conditionNames.some((name) => typeof variables[name] !== 'boolean'))
      throw new TypeError('a condition that is no boolean');
    const key = conditionNames.map((name) => (variables[name] === true ? '1' : '0')).join('');
    let roots = rootsByConditions.get(key);
    if (!roots)
      rootsByConditions.set(
        key,
        (roots = selectFields(type, fields, variables).map((field) => compileRoot(field, type))),
      );
    return roots;
  };
  // Compiling the two extreme combinations detects most unsupported documents at once.
  for (const value of [true, false])
    rootsFor(Object.fromEntries(conditionNames.map((name) => [name, value])));
  return {
    isMutation: operation.operation === OperationTypeNode.MUTATION,
    readVariables: createVariableReader(schema, operation),
    /** Returns the root fields that the conditions include. Throws for a condition that is neither true nor false. */
    rootsFor,
  };
}

type Resolve = (root: undefined, args: object, context: unknown, info: RootInfo) => unknown;

function compileRoot(field: ResponseField, type: GraphQLObjectType) {
  const { key, selectedBy, definition } = field;
  const isTypeName = definition === TypeNameMetaFieldDef;
  const resolve = isTypeName ? () => type.name : definition.resolve;
  if (!resolve) throw new NotCompiledError('a root field without a resolver');
  if (!isTypeName && isNonNullType(definition.type))
    throw new NotCompiledError('a root field that must not be null');
  return {
    key,
    prefix: `${JSON.stringify(key)}:`,
    // Resolvers of root fields read only the `RootInfo` part of their info.
    resolve: resolve as unknown as Resolve,
    readArguments: (variables: Fields) => getArgumentValues(definition, selectedBy[0].node, variables),
    info: {
      fieldNodes: selectedBy.map(({ node }) => node),
      path: { prev: undefined, key, typename: type.name },
    },
    write: isTypeName ? () => JSON.stringify(type.name) : createChunkWriter(field),
  };
}
