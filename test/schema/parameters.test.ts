import { readFileSync } from 'node:fs';
import {
  assertValidSchema,
  buildSchema,
  getDirectiveValues,
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

/** One node of a resource, as the parameter tables write it: `attendees[].email`, `STRING`, `leaf`. */
type Row = { path: string; type: string; node: string };
type TableRow = Row & { input: string; output: string; note: string };
type Fielded = GraphQLObjectType | GraphQLInputObjectType;
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

const manageBuckets = ['cloud-platform', 'devstorage.full_control', 'devstorage.read_write'];
const readBuckets = [...manageBuckets, 'devstorage.read_only'];
const changeEvents = ['calendar', 'calendar.events'];
const readEvents = [...changeEvents, 'calendar.readonly', 'calendar.events.readonly'];

const rootFieldsOf = (
  root: string,
  names: string,
  scopes: readonly string[],
): [string, readonly string[]][] => names.split(' ').map((name) => [`${root}.${name}`, scopes]);
/** A root field that is missing here fails its test: whoever adds one decides who may use it. Without scopes, any token will do. */
const scopesOf = new Map([
  ...rootFieldsOf('Query', 'calendar calendarAccess calendars event events instances', readEvents),
  ...rootFieldsOf('Query', 'freeBusy', [...readEvents, 'calendar.freebusy']),
  ...rootFieldsOf('Query', 'bucket buckets notification notifications messages', readBuckets),
  ...rootFieldsOf('Query', 'node', [...readEvents, ...readBuckets]),
  ...rootFieldsOf('Query', 'viewer', []),
  ...rootFieldsOf('Mutation', 'insertCalendar patchCalendar deleteCalendar setCalendarAccess', ['calendar']),
  ...rootFieldsOf('Mutation', 'insertEvent patchEvent deleteEvent', changeEvents),
  ...rootFieldsOf('Mutation', 'patchFollowingEvents deleteFollowingEvents', changeEvents),
  ...rootFieldsOf('Mutation', 'insertBucket patchBucket deleteBucket publishObjectChange', manageBuckets),
  ...rootFieldsOf('Mutation', 'insertNotification deleteNotification', manageBuckets),
  ...rootFieldsOf('Mutation', 'report', [...manageBuckets, ...changeEvents]),
  ...rootFieldsOf('Subscription', 'calendarChanged calendarsChanged', readEvents),
  ...rootFieldsOf('Subscription', 'messagePublished', readBuckets),
]);

function readTable(name: string): TableRow[] {
  const text = readFileSync(new URL(`../fixtures/parameters/${name}.tsv`, import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.slice(1).map((line) => {
    const [path = '', type = '', node = '', input = '', output = '', note = ''] = line.split('\t');
    return { path, type, node, input, output, note };
  });
}

function bodyRows(table: TableRow[], side: 'input' | 'output'): Row[] {
  const mark = side === 'input' ? 'I' : 'O';
  return table
    .filter((row) => row[side] === mark && row.node !== 'control')
    .map(({ path, type, node }) => ({ path, type, node }));
}

/** Closed value sets are plain strings in the tables. */
function tableType(type: GraphQLType): string {
  const named = getNamedType(type);
  if (isEnumType(named)) return 'STRING';
  return tableTypes[named.name] ?? 'OBJECT';
}

function walk(type: Fielded, prefix = ''): Row[] {
  return fieldsOf(type).flatMap((field) => walkField(field, prefix));
}

function walkField(field: NamedField, prefix: string): Row[] {
  const named = getNamedType(field.type);
  const isList = isListType(getNullableType(field.type));
  const path = `${prefix}${field.name}${isList ? '[]' : ''}`;
  const row = { path, type: tableType(named) };
  if (isObjectType(named) || isInputObjectType(named)) {
    return [{ ...row, node: isList ? 'array-of-object' : 'object' }, ...walk(named, `${path}.`)];
  }
  if (named.name === 'StringMap') {
    const entry = { path: `${path}.customKey.value`, type: 'STRING', node: 'leaf' };
    return [{ ...row, node: 'map' }, entry];
  }
  return [{ ...row, node: isList ? 'array-of-scalar' : 'leaf' }];
}

/** The fields of the object itself: edges lead to others. */
function fieldsOf(type: Fielded): NamedField[] {
  return Object.values(type.getFields()).filter(({ name }) => !(`${type.name}.${name}` in edgeRows));
}

const byPath = (rows: Row[]): Row[] => rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));

function fielded(name: string): Fielded {
  const type = schema.getType(name);
  if (isObjectType(type) || isInputObjectType(type)) return type;
  throw new Error(`The schema has no object or input type ${name}.`);
}

/** The type and every object or input type below it, each once. */
function reachable(type: Fielded, found = new Set<Fielded>()): Set<Fielded> {
  if (found.has(type)) return found;
  found.add(type);
  for (const field of fieldsOf(type)) {
    const named = getNamedType(field.type);
    if (isObjectType(named) || isInputObjectType(named)) reachable(named, found);
  }
  return found;
}

function rootFields(): (readonly [string, GraphQLField<unknown, unknown>])[] {
  return ['Query', 'Mutation', 'Subscription'].flatMap((root) => {
    const type = schema.getType(root);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).map((field) => [`${root}.${field.name}`, field] as const);
  });
}

function argumentsOf(coordinate: string): readonly GraphQLArgument[] {
  const found = rootFields().find(([name]) => name === coordinate);
  if (!found) throw new Error(`The schema has no root field ${coordinate}.`);
  return found[1].args;
}

function argumentRow({ name, type }: GraphQLArgument): { path: string; type: string; required: boolean } {
  const named = getNamedType(type);
  const typeName = isEnumType(named) ? 'ENUMERATION' : tableType(named);
  return { path: name, type: typeName, required: isNonNullType(type) };
}

describe('the parameter tables', () => {
  test.each([
    ['event', 'Event', 'output', 118],
    ['event', 'EventInput', 'input', 118],
    ['notification', 'Notification', 'output', 10],
    ['notification', 'NotificationInput', 'input', 10],
  ] as const)('%s.tsv and %s have the same %s nodes, %i of them', (table, typeName, side, count) => {
    // `nodeId` and the edges stand beside the resource's own parameters.
    const rows = walk(fielded(typeName)).filter(({ path }) => path !== 'nodeId');
    expect(byPath(rows)).toEqual(byPath(bodyRows(readTable(table), side)));
    expect(rows).toHaveLength(count);
  });

  test.each([
    ['event', 'Mutation.patchEvent', ['ifMatch', 'validateOnly', 'attendeeChanges', 'event']],
    ['notification', 'Mutation.insertNotification', ['requestId', 'validateOnly', 'notification']],
  ])('the control rows of %s.tsv are the arguments of %s', (table, coordinate, added) => {
    const controls = readTable(table)
      .filter((row) => row.node === 'control')
      .map(({ path, type, note }) => ({ path, type, required: note === 'required' }));
    const args = argumentsOf(coordinate).map(argumentRow);
    expect(args.filter(({ path }) => !added.includes(path))).toEqual(controls);
    expect(args.map(({ path }) => path)).toEqual(expect.arrayContaining(added));
  });

  test('insertEvent takes what patchEvent takes, with requestId instead of eventId, ifMatch and attendeeChanges', () => {
    const names = (coordinate: string) => argumentsOf(coordinate).map(({ name }) => name);
    const own = ['eventId', 'ifMatch', 'attendeeChanges'];
    const kept = names('Mutation.patchEvent').filter((name) => !own.includes(name));
    expect(names('Mutation.insertEvent').toSorted()).toEqual([...kept, 'requestId'].toSorted());
  });
});

describe('the schema', () => {
  test('is valid', () => {
    expect(() => assertValidSchema(schema)).not.toThrow();
  });

  test.each(rootFields())('%s asks for its scopes, any one of them', (name, field) => {
    const valuesOf = (directiveName: string): unknown => {
      const directive = schema.getDirective(directiveName);
      return directive && field.astNode ? getDirectiveValues(directive, field.astNode) : undefined;
    };
    const scopes = scopesOf.get(name)?.map((scope) => [`https://www.googleapis.com/auth/${scope}`]);
    const isForAnyToken = scopes?.length === 0;
    expect(valuesOf('requiresScopes')).toEqual(isForAnyToken ? undefined : { scopes });
    expect(valuesOf('authenticated')).toEqual(isForAnyToken ? {} : undefined);
  });

  test.each(rootFields())('%s may be null', (_name, field) => {
    expect(isNonNullType(field.type)).toBe(false);
  });

  // A default or a required field would turn "absent" into something else, and a patch would change too much.
  test.each(['BucketInput', 'EventInput', 'NotificationInput'])(
    '%s requires and defaults nothing',
    (name) => {
      const fields = [...reachable(fielded(name))].flatMap(fieldsOf);
      const strict = fields.filter(
        (field) => isNonNullType(field.type) || ('defaultValue' in field && field.defaultValue !== undefined),
      );
      expect(strict.map((field) => field.astNode?.name.value)).toEqual([]);
    },
  );

  test.each(['Bucket', 'Event', 'Notification'])('%s promises nothing but its ids', (name) => {
    const promised = [...reachable(fielded(name))].flatMap((type) =>
      fieldsOf(type)
        .filter((field) => isNonNullType(field.type) && field.name !== 'nodeId')
        .map((field) => `${type.name}.${field.name}: ${String(field.type)}`),
    );
    expect(promised).toEqual([`${name}.id: ID!`]);
  });

  test.each(['Bucket', 'Event', 'Notification'])('%s and its input have the same fields in order', (name) => {
    const inOrder = (typeName: string) => walk(fielded(typeName)).map(({ path }) => path);
    expect(inOrder(`${name}Input`)).toEqual(inOrder(name));
  });
});
