import {
  getDirectiveValues,
  getNamedType,
  type GraphQLField,
  type GraphQLObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { ScopeRule } from '../../src/access/permissions.ts';
import { nodeIdOf } from '../../src/core/node-id.ts';
import { edgeOf, edgeRows, nodeTypes } from '../../src/faces/graphql/graph.ts';
import { rootFields } from '../../src/faces/graphql/root-fields.ts';
import { createGateway } from '../../src/faces/graphql/schema.ts';

type Field = GraphQLField<unknown, unknown>;

const { schema, scopeRules } = createGateway();
const queries = schema.getQueryType()?.getFields() ?? {};

function objectType(name: string): GraphQLObjectType {
  const type = schema.getType(name);
  if (isObjectType(type)) return type;
  throw new Error(`The schema has no object type ${name}.`);
}

/** Parent object with every field that an edge reads. */
const parent = {
  nodeId: nodeIdOf('any', 'names', 'of', 'objects'),
  calendarId: 'calendar',
  recurringEventId: 'series',
  recurrence: ['RRULE:FREQ=DAILY'],
  iCalUID: 'series@example.com',
  email: 'alice@example.com',
};

const edges = Object.entries(edgeRows).map(([path, row]) => {
  const [typeName = '', name = ''] = path.split('.');
  const field = objectType(typeName).getFields()[name];
  const root = queries[row.operation];
  if (!field || !root) throw new Error(`The schema has no ${path} or no ${row.operation}.`);
  return { path, type: objectType(typeName), row, field, root };
});

/** Edges that take no argument, though their root fields do: the series comes as `event` reads it by default. */
const withoutArguments = ['Event.recurringEvent'];

const listSizeOf = ({ astNode }: Field): unknown => {
  const directive = schema.getDirective('listSize');
  return directive && astNode && getDirectiveValues(directive, astNode);
};

const argumentsOf = ({ args }: Field) =>
  args.map(({ name, type, defaultValue }) => ({ name, type: String(type), defaultValue }));

describe('an edge', () => {
  test.each(edges)('$path has the arguments of its root field that the object does not give', (edge) => {
    const { argumentsOf: ofObject } = edge.row;
    // An instance has no instances.
    const series = { ...parent, recurringEventId: undefined };
    const own = Object.keys(ofObject(parent as never) ?? ofObject(series as never) ?? {});
    const all = argumentsOf(edge.root);
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
    const left = withoutArguments.includes(edge.path) ? [] : all.filter(({ name }) => !own.includes(name));
    expect(argumentsOf(edge.field)).toEqual(left);
  });

  test.each(edges)('$path gives what its root field gives, of the same size', ({ field, root }) => {
    expect(String(field.type)).toBe(String(root.type));
    expect(listSizeOf(field)).toEqual(listSizeOf(root));
  });

  // The rest of the answer stays when an edge fails.
  test.each(edges)('$path may be null', ({ field }) => expect(isNonNullType(field.type)).toBe(false));

  test.each(edges)('$path is made of fields of its object', ({ type, row }) => {
    expect(Object.keys(type.getFields())).toEqual(expect.arrayContaining([...row.requiredFields]));
    const { requiredFields: reads } = row;
    const known = Object.fromEntries(Object.entries(parent).filter(([name]) => reads.includes(name)));
    expect(row.argumentsOf(known as never)).toEqual(row.argumentsOf(parent as never));
  });
});

describe('the interface Node', () => {
  test('is implemented by the types with a nodeId, and by no other', () => {
    const node = schema.getType('Node');
    const types = isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
    const withNodeId = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && 'nodeId' in type.getFields(),
    );
    expect(types.sort()).toEqual(withNodeId.map(({ name }) => name).sort());
    expect(types).toEqual([...nodeTypes].sort());
  });

  test('is the type of no field but node', () => {
    const giving = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => getNamedType(field.type).name === 'Node')
          .map(({ name }) => `${type.name}.${name}`),
      );
    expect(giving).toEqual(['Query.node']);
  });
});

describe('scopes', () => {
  const ruleOf = (name: string): ScopeRule => scopeRules.get(name) ?? [];
  /** Edges below a field, at any depth, that no field with a rule of its own stands before. */
  function edgesBelow(field: Field, found = new Set<string>(), passed = new Set<string>()): Set<string> {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || passed.has(type.name)) return found;
    passed.add(type.name);
    for (const below of Object.values(type.getFields())) {
      if (scopeRules.has(`${type.name}.${below.name}`)) continue;
      if (edgeOf(below)) found.add(`${type.name}.${below.name}`);
      edgesBelow(below, found, passed);
    }
    return found;
  }

  // `node` decides by the kind of its nodeId, so that it gives only what the token's scopes open.
  const roots = [...rootFields(schema).values()].filter(({ name }) => name !== 'node');
  const ways = roots.flatMap((root) => [...edgesBelow(root)].map((path) => ({ root: root.name, path })));

  test('are compared for many ways from a root field to an edge', () =>
    expect(ways.length).toBeGreaterThan(80));

  test.each(roots.map(({ name }) => name))('that open %s open all edges below it', (name) => {
    const shut = ways
      .filter(({ root }) => root === name)
      .filter(({ path }) => {
        const needed = ruleOf(edgeRows[path]?.operation ?? '');
        return !ruleOf(name).every((all) => needed.some((one) => one.every((scope) => all.includes(scope))));
      });
    expect(shut).toEqual([]);
  });

  test('are declared by the edges of Viewer alone, which any token reads: those of their root fields', () => {
    const declared = [...scopeRules.keys()].filter((name) => name.includes('.'));
    const ofViewer = edges.filter(({ type }) => type.name === 'Viewer');
    expect(declared.sort()).toEqual(ofViewer.map(({ path }) => path).sort());
    for (const { path, row } of ofViewer) expect(ruleOf(path)).toEqual(ruleOf(row.operation));
  });
});
