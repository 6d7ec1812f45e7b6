import { readFileSync } from 'node:fs';
import {
  assertValidSchema,
  buildSchema,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql';
import { readTypeDefs } from '../../src/faces/graphql/schema.ts';
import type {
  GraphQLArgument,
  GraphQLField,
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLObjectType,
  GraphQLType,
} from 'graphql';

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

const changeCalendars = ['calendar'];

/** A root field that is missing here fails its test: whoever adds one decides who may use it. */
const scopesOf: Record<string, string[]> = {
  'Query.calendarAccess': readEvents,
  'Mutation.insertCalendar': changeCalendars,
  'Mutation.patchCalendar': changeCalendars,
  'Mutation.deleteCalendar': changeCalendars,
  'Mutation.setCalendarAccess': changeCalendars,
  'Mutation.deleteEvent': changeEvents,
  'Mutation.patchFollowingEvents': changeEvents,
  'Mutation.deleteFollowingEvents': changeEvents,
  'Subscription.calendarChanged': readEvents,
  'Subscription.calendarsChanged': readEvents,
  'Subscription.messagePublished': readBuckets,
  'Query.instances': readEvents,
  'Query.calendars': readEvents,
  'Query.freeBusy': [...readEvents, 'calendar.freebusy'],
  'Query.calendar': readEvents,
  'Query.event': readEvents,
  'Query.events': readEvents,
  'Query.bucket': readBuckets,
  'Query.buckets': readBuckets,
  'Query.notification': readBuckets,
  'Query.notifications': readBuckets,
  'Query.messages': readBuckets,
  'Mutation.insertBucket': manageBuckets,
  'Mutation.patchBucket': manageBuckets,
  'Mutation.deleteBucket': manageBuckets,
  'Mutation.deleteNotification': manageBuckets,
  'Mutation.insertEvent': changeEvents,
  'Mutation.insertNotification': manageBuckets,
  'Mutation.patchEvent': changeEvents,
  'Mutation.publishObjectChange': manageBuckets,
};

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
    return [
      { ...row, node: 'map' },
      { path: `${path}.customKey.value`, type: 'STRING', node: 'leaf' },
    ];
  }
  return [{ ...row, node: isList ? 'array-of-scalar' : 'leaf' }];
}

function fieldsOf(type: Fielded): NamedField[] {
  return Object.values(type.getFields());
}

function hasDefault(field: NamedField): boolean {
  return 'defaultValue' in field && field.defaultValue !== undefined;
}

function byPath(rows: Row[]): Row[] {
  return rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

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

function rootFields(): [string, GraphQLField<unknown, unknown>][] {
  return ['Query', 'Mutation', 'Subscription'].flatMap((root) => {
    const type = schema.getType(root);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).map((field): [string, typeof field] => [
      `${root}.${field.name}`,
      field,
    ]);
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

/** Everything in the schema that can carry a description, with the description it has. */
function describable(): { name: string; description: string }[] {
  const named = (name: string, { description }: { description?: string | null }) => ({
    name,
    description: (description ?? '').trim(),
  });
  const directives = schema
    .getDirectives()
    .filter((directive) => !isSpecifiedDirective(directive))
    .flatMap((directive) => [
      named(`@${directive.name}`, directive),
      ...directive.args.map((arg) => named(`@${directive.name}(${arg.name})`, arg)),
    ]);
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => {
      const own = [named(type.name, type)];
      if (isEnumType(type)) {
        return [...own, ...type.getValues().map((value) => named(`${type.name}.${value.name}`, value))];
      }
      if (!isObjectType(type) && !isInputObjectType(type)) return own;
      const fields = fieldsOf(type).flatMap((field) => [
        named(`${type.name}.${field.name}`, field),
        ...('args' in field ? field.args : []).map((arg) =>
          named(`${type.name}.${field.name}(${arg.name})`, arg),
        ),
      ]);
      return [...own, ...fields];
    });
  return [...directives, ...types];
}

describe('the parameter tables', () => {
  test.each([
    ['event', 'Event', 'output', 118],
    ['event', 'EventInput', 'input', 118],
    ['notification', 'Notification', 'output', 10],
    ['notification', 'NotificationInput', 'input', 10],
  ] as const)('%s.tsv and %s have the same %s nodes, %i of them', (table, typeName, side, count) => {
    // `nodeId` stands beside the resource's own parameters.
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
    const kept = names('Mutation.patchEvent').filter(
      (name) => !['eventId', 'ifMatch', 'attendeeChanges'].includes(name),
    );
    expect(names('Mutation.insertEvent').toSorted()).toEqual([...kept, 'requestId'].toSorted());
  });
});

describe('the schema', () => {
  test('is valid', () => {
    expect(() => assertValidSchema(schema)).not.toThrow();
  });

  test('describes every type, field, argument, enum value and directive', () => {
    const missing = describable().filter(({ description }) => description === '');
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test.each(rootFields())('%s asks for its scopes, any one of them', (name, field) => {
    const directive = schema.getDirective('requiresScopes');
    const rule = directive && field.astNode ? getDirectiveValues(directive, field.astNode) : undefined;
    const alternatives = scopesOf[name]?.map((scope) => [`https://www.googleapis.com/auth/${scope}`]);
    expect(rule).toEqual({ scopes: alternatives });
  });

  test.each(rootFields())('%s may be null', (_name, field) => {
    expect(isNonNullType(field.type)).toBe(false);
  });

  // A default or a required field would turn "absent" into something else, and a patch would change too much.
  test.each(['BucketInput', 'EventInput', 'NotificationInput'])(
    '%s has no required field and no default',
    (name) => {
      const strict = [...reachable(fielded(name))].flatMap((type) =>
        fieldsOf(type)
          .filter((field) => isNonNullType(field.type) || hasDefault(field))
          .map((field) => `${type.name}.${field.name}`),
      );
      expect(strict).toEqual([]);
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

  test.each(['Bucket', 'Event', 'Notification'])(
    '%s and its input list the same fields in the same order',
    (name) => {
      const inOrder = (typeName: string) => walk(fielded(typeName)).map(({ path }) => path);
      expect(inOrder(`${name}Input`)).toEqual(inOrder(name));
    },
  );
});
