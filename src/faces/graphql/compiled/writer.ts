import type { Fields, LengthBudget } from '../../../core/json.ts';
import {
  getArgumentValues,
  getNullableType,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLList,
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
  TypeNameMetaFieldDef,
} from 'graphql';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { EdgeResults } from '../graph.ts';
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

/** Fields that an operation selects of a value; those with the same response key merge. */
interface Selection {
  readonly fields: readonly SelectedField[];
  /** Response keys from the root to the value, joined by dots. */
  readonly path: string;
  /** Values of the `@skip` and `@include` variables. */
  readonly conditions: Fields;
}

/** Groups the fields by response key that are selected of an object of this type. */
const groupFields = (type: GraphQLObjectType, { fields, conditions }: Omit<Selection, 'path'>) =>
  fieldsByKey(fields.filter((field) => isIncluded(field, conditions, type.name)));

function requireDefinition(name: string, type: GraphQLObjectType): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const definition = type.getFields()[name];
  if (!definition) throw new NotCompiledError(`the field ${name}`);
  return definition;
}

/** Writes a value as JSON. Throws for a value of the wrong type. */
type WriteValue = (value: unknown) => string;

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
  readonly writeChunks?: WriteChunks | undefined;
  /** Response path of an edge, whose value was read before; absent for other fields. */
  readonly edgePath?: string | undefined;
}

const leadToEdges = (fields: readonly SelectedField[]): boolean =>
  fields.some(({ leadsToEdges }) => leadsToEdges);

const isObjectList = (type: GraphQLOutputType): type is GraphQLList<GraphQLOutputType> =>
  isListType(type) && isObjectType(getNullableType(type.ofType));

/** Creates the writer of a root field, an edge, a list of objects, or a field with edges below it. Throws NotCompiledError for unsupported fields. */
function createChunkWriter(type: GraphQLOutputType, selection: Selection): WriteChunks {
  const write = createNonNullChunkWriter(getNullableType(type), selection);
  const writeNull = isNonNullType(type) ? failWrite : () => 'null';
  return (value, state) => (value === null || value === undefined ? writeNull() : write(value, state));
}

function createNonNullChunkWriter(type: GraphQLOutputType, selection: Selection): WriteChunks {
  if (isObjectList(type)) {
    const createEntryWriter = leadToEdges(selection.fields) ? createChunkWriter : createWriter;
    const writeEntry = createEntryWriter(type.ofType, selection);
    return (value, state) => writeListInChunks(value, writeEntry, state);
  }
  if (!isObjectType(type)) return createNonNullWriter(type, selection);
  const writers = createFieldWriters(type, selection, /* inChunks */ true);
  if (!writers.some(({ writeChunks }) => writeChunks)) return createObjectWriter(writers);
  return (value, state) => writeObject(value, writers, state);
}

/** Creates the writer of a value in one piece. */
const createWriter = (type: GraphQLOutputType, selection: Selection): WriteValue =>
  isNonNullType(type)
    ? refuseNull(createNonNullWriter(type.ofType, selection))
    : acceptNull(createNonNullWriter(type, selection));

/** Creates the writer of values that are known not to be null. */
function createNonNullWriter(type: GraphQLOutputType, selection: Selection): WriteValue {
  if (isListType(type)) return createListWriter(createWriter(type.ofType, selection));
  if (isLeafType(type)) return createLeafWriter(type);
  if (!isObjectType(type)) throw new NotCompiledError(`the type ${String(type)}`);
  return createObjectWriter(createFieldWriters(type, selection, /* inChunks */ false));
}

/** Creates the writers of an object's fields. `inChunks`: whether the object is written in chunks. */
function createFieldWriters(type: GraphQLObjectType, selection: Selection, inChunks: boolean): FieldWriter[] {
  if (type.isTypeOf) throw new NotCompiledError('a type that is asked about its values');
  return groupFields(type, selection).map((sameKeyFields, index): FieldWriter => {
    const [{ key, node, edge }] = sameKeyFields;
    const definition = requireDefinition(node.name.value, type);
    const prefix = `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (definition === TypeNameMetaFieldDef)
      return { name: '', prefix, write: () => JSON.stringify(type.name) };
    const { name, type: fieldType, resolve, args } = definition;
    if (!edge && (resolve || args.length > 0))
      throw new NotCompiledError(`the resolver of ${type.name}.${name}`);
    const path = `${selection.path}.${key}`;
    const childSelection = { ...selection, fields: sameKeyFields.flatMap(({ fields }) => fields), path };
    const isLong = leadToEdges(sameKeyFields) || (inChunks && isObjectList(getNullableType(fieldType)));
    return isLong
      ? {
          name,
          prefix,
          write: failWrite,
          writeChunks: createChunkWriter(fieldType, childSelection),
          edgePath: edge && path,
        }
      : { name, prefix, write: createWriter(fieldType, childSelection) };
  });
}

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

/** Number of entries after which their length is charged to the budget. */
const entriesPerChunk = 50;

/** Writes a list and awaits its entries. Their texts are joined before each wait, since V8 keeps concatenated strings as large trees. */
async function writeListInChunks(list: unknown, write: WriteChunks, state: WriteState): Promise<string> {
  if (!Array.isArray(list)) return failWrite();
  const chunks: string[] = [];
  let entryTexts: string[] = [];
  /** Characters of `entryTexts` that are not charged yet: an entry that is written in chunks charges itself. */
  let length = 0;
  const flush = (): boolean => {
    if (entryTexts.length > 0) chunks.push(entryTexts.join(','));
    const mustYield = state.budget.spend(length);
    entryTexts = [];
    length = 0;
    return mustYield;
  };
  for (const item of list as unknown[]) {
    if ((isPromise(item) || entryTexts.length === entriesPerChunk) && flush()) await eventLoop.yield();
    const text = write(isPromise(item) ? await item : item, state);
    if (typeof text === 'string') length += text.length;
    entryTexts.push(typeof text === 'string' ? text : await text);
  }
  flush();
  return `[${chunks.join(',')}]`;
}

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
  const rootsByConditions = new Map<string, readonly ReturnType<typeof compileRoot>[]>();
  const rootsFor = (variables: Fields) => {
    // A variable with a default may be null, an error that graphql-js reports.
    if (conditionNames.some((name) => typeof variables[name] !== 'boolean'))
      throw new TypeError('a condition that is no boolean');
    const key = conditionNames.map((name) => (variables[name] === true ? '1' : '0')).join('');
    let roots = rootsByConditions.get(key);
    if (!roots) {
      // Not `variables`, which would live as long as the plan.
      const conditions = Object.fromEntries(conditionNames.map((name) => [name, variables[name]]));
      roots = groupFields(type, { fields, conditions }).map((group) => compileRoot(group, type, conditions));
      rootsByConditions.set(key, roots);
    }
    return roots;
  };
  // Compiling the two extreme combinations detects most unsupported documents at once.
  for (const value of [true, false])
    rootsFor(Object.fromEntries(conditionNames.map((name) => [name, value])));
  return {
    readVariables: createVariableReader(schema, operation),
    /** Returns the root fields that the conditions include. Throws for a condition that is neither true nor false. */
    rootsFor,
  };
}

type Resolve = (root: undefined, args: object, context: unknown, info: RootInfo) => unknown;

function compileRoot(
  sameKeyFields: readonly [SelectedField, ...SelectedField[]],
  type: GraphQLObjectType,
  conditions: Fields,
) {
  const [{ key, node }] = sameKeyFields;
  const definition = requireDefinition(node.name.value, type);
  const isTypeName = definition === TypeNameMetaFieldDef;
  const resolve = isTypeName ? () => type.name : definition.resolve;
  if (!resolve) throw new NotCompiledError('a root field without a resolver');
  if (!isTypeName && isNonNullType(definition.type))
    throw new NotCompiledError('a root field that must not be null');
  const fields = sameKeyFields.flatMap((field) => field.fields);
  return {
    key,
    prefix: `${JSON.stringify(key)}:`,
    // Resolvers of root fields read only the `RootInfo` part of their info.
    resolve: resolve as unknown as Resolve,
    readArguments: (variables: Fields) => getArgumentValues(definition, node, variables),
    info: {
      fieldNodes: sameKeyFields.map((field) => field.node),
      path: { prev: undefined, key, typename: type.name },
    },
    write: isTypeName
      ? () => JSON.stringify(type.name)
      : createChunkWriter(definition.type, { fields, path: key, conditions }),
  };
}
