import { readFileSync } from 'node:fs';
import {
  assertValidSchema,
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLType,
} from 'graphql';
import { edgeRows } from '../../src/faces/graphql/graph.ts';
import { readTypeDefs } from '../../src/faces/graphql/schema.ts';

/** A node of a resource as in the parameter tables: `attendees[].email`, `STRING`, `leaf`. */
type Row = { path: string; type: string; node: string };
/** A row of a parameter table: whether the node is part of the input (`I`) and of the output (`O`). */
type TableRow = Row & { input: string; output: string; note: string };
type FieldedType = GraphQLObjectType | GraphQLInputObjectType;
type NamedField = GraphQLField<unknown, unknown> | GraphQLInputField;

const schema = buildSchema(readTypeDefs().join('\n'));

const tableTypes: Record<string, string> = {
  Boolean: 'BOOLEAN',
  DateTime: 'DATE_TIME',
  ID: 'STRING',
  Int: 'INTEGER',
  LocalDate: 'DATE',
  String: 'STRING',
  StringMap: 'OBJECT',
  ZonedDateTime: 'DATE_TIME',
};

function readTable(name: string): TableRow[] {
  const text = readFileSync(new URL(`../fixtures/parameters/${name}.tsv`, import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.slice(1).map((line) => {
    const [path = '', type = '', node = '', input = '', output = '', note = ''] = line.split('\t');
    return { path, type, node, input, output, note };
  });
}

function filterBodyRows(table: TableRow[], side: 'input' | 'output'): Row[] {
  const sideMark = side === 'input' ? 'I' : 'O';
  return table
    .filter((row) => row[side] === sideMark && row.node !== 'control')
    .map(({ path, type, node }) => ({ path, type, node }));
}

/** Table type of a GraphQL type; enums are strings in the tables. */
function toTableType(type: GraphQLType): string {
  const namedType = getNamedType(type);
  if (isEnumType(namedType)) return 'STRING';
  return tableTypes[namedType.name] ?? 'OBJECT';
}

function listRows(type: FieldedType, prefix = ''): Row[] {
  return fieldsOf(type).flatMap((field) => listFieldRows(field, prefix));
}

function listFieldRows(field: NamedField, prefix: string): Row[] {
  const namedType = getNamedType(field.type);
  const isList = isListType(getNullableType(field.type));
  const path = `${prefix}${field.name}${isList ? '[]' : ''}`;
  const row = { path, type: toTableType(namedType) };
  if (isObjectType(namedType) || isInputObjectType(namedType)) {
    return [{ ...row, node: isList ? 'array-of-object' : 'object' }, ...listRows(namedType, `${path}.`)];
  }
  if (namedType.name === 'StringMap') {
    const entry = { path: `${path}.customKey.value`, type: 'STRING', node: 'leaf' };
    return [{ ...row, node: 'map' }, entry];
  }
  return [{ ...row, node: isList ? 'array-of-scalar' : 'leaf' }];
}

/** Fields of the object itself, without edges to other objects. */
function fieldsOf(type: FieldedType): NamedField[] {
  return Object.values(type.getFields()).filter(({ name }) => !(`${type.name}.${name}` in edgeRows));
}

const sortByPath = (rows: Row[]): Row[] => rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));

function getFieldedType(name: string): FieldedType {
  const type = schema.getType(name);
  if (isObjectType(type) || isInputObjectType(type)) return type;
  throw new Error(`The schema has no object or input type ${name}.`);
}

/** A type and all object or input types below it. */
function listReachableTypes(type: FieldedType, visited = new Set<FieldedType>()): Set<FieldedType> {
  if (visited.has(type)) return visited;
  visited.add(type);
  for (const field of fieldsOf(type)) {
    const namedType = getNamedType(field.type);
    if (isObjectType(namedType) || isInputObjectType(namedType)) listReachableTypes(namedType, visited);
  }
  return visited;
}

function listRootFields(): (readonly [string, GraphQLField<unknown, unknown>])[] {
  return ['Query', 'Mutation', 'Subscription'].flatMap((root) => {
    const type = schema.getType(root);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).map((field) => [`${root}.${field.name}`, field] as const);
  });
}

function getRootFieldArguments(coordinate: string): readonly GraphQLArgument[] {
  const rootField = listRootFields().find(([name]) => name === coordinate);
  if (!rootField) throw new Error(`The schema has no root field ${coordinate}.`);
  return rootField[1].args;
}

function toArgumentRow({ name, type }: GraphQLArgument): { path: string; type: string; required: boolean } {
  const namedType = getNamedType(type);
  const typeName = isEnumType(namedType) ? 'ENUMERATION' : toTableType(namedType);
  return { path: name, type: typeName, required: isNonNullType(type) };
}

describe('the parameter tables', () => {
  test.each([
    ['event', 'Event', 'output', 118],
    ['event', 'EventInput', 'input', 118],
    ['notification', 'Notification', 'output', 10],
    ['notification', 'NotificationInput', 'input', 10],
  ] as const)('%s.tsv and %s have the same %s nodes, %i of them', (table, typeName, side, count) => {
    // `nodeId` is not part of the official resource.
    const rows = listRows(getFieldedType(typeName)).filter(({ path }) => path !== 'nodeId');
    expect(sortByPath(rows)).toEqual(sortByPath(filterBodyRows(readTable(table), side)));
    expect(rows).toHaveLength(count);
  });

  test.each([
    ['event', 'Mutation.patchEvent', ['ifMatch', 'validateOnly', 'attendeeChanges', 'event']],
    ['notification', 'Mutation.insertNotification', ['requestId', 'validateOnly', 'notification']],
  ])('the control rows of %s.tsv are the arguments of %s', (table, coordinate, gatewayArguments) => {
    const controlRows = readTable(table)
      .filter((row) => row.node === 'control')
      .map(({ path, type, note }) => ({ path, type, required: note === 'required' }));
    const args = getRootFieldArguments(coordinate).map(toArgumentRow);
    expect(args.filter(({ path }) => !gatewayArguments.includes(path))).toEqual(controlRows);
    expect(args.map(({ path }) => path)).toEqual(expect.arrayContaining(gatewayArguments));
  });

  test('insertEvent has the arguments of patchEvent, with requestId instead of eventId, ifMatch and attendeeChanges', () => {
    const names = (coordinate: string) => getRootFieldArguments(coordinate).map(({ name }) => name);
    const patchOnly = ['eventId', 'ifMatch', 'attendeeChanges'];
    const sharedNames = names('Mutation.patchEvent').filter((name) => !patchOnly.includes(name));
    expect(names('Mutation.insertEvent').toSorted()).toEqual([...sharedNames, 'requestId'].toSorted());
  });
});

describe('the schema', () => {
  test('is valid', () => {
    expect(() => assertValidSchema(schema)).not.toThrow();
  });

  test.each(listRootFields())('%s may be null', (_name, field) => {
    expect(isNonNullType(field.type)).toBe(false);
  });

  // A default or required field would be set by every patch that omits it.
  test.each(['BucketInput', 'EventInput', 'NotificationInput'])(
    '%s has no required fields and no defaults',
    (name) => {
      const fields = [...listReachableTypes(getFieldedType(name))].flatMap(fieldsOf);
      const requiredOrDefaultedFields = fields.filter(
        (field) => isNonNullType(field.type) || ('defaultValue' in field && field.defaultValue !== undefined),
      );
      expect(requiredOrDefaultedFields.map((field) => field.astNode?.name.value)).toEqual([]);
    },
  );

  test.each(['Bucket', 'Event', 'Notification'])('%s has no non-null field except its id', (name) => {
    const nonNullFieldNames = [...listReachableTypes(getFieldedType(name))].flatMap((type) =>
      fieldsOf(type)
        .filter((field) => isNonNullType(field.type) && field.name !== 'nodeId')
        .map((field) => `${type.name}.${field.name}: ${String(field.type)}`),
    );
    expect(nonNullFieldNames).toEqual([`${name}.id: ID!`]);
  });

  test.each(['Bucket', 'Event', 'Notification'])('%s and its input have the same field order', (name) => {
    const pathsInOrder = (typeName: string) => listRows(getFieldedType(typeName)).map(({ path }) => path);
    expect(pathsInOrder(`${name}Input`)).toEqual(pathsInOrder(name));
  });
});
