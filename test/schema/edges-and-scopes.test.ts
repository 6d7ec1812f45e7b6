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
import { nodeIdOf } from '../../src/core/ids.ts';
import { edgeOf, edgeRows, nodeTypes } from '../../src/faces/graphql/graph.ts';
import { listRootFields } from '../../src/faces/graphql/root-resolvers.ts';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';

type Field = GraphQLField<unknown, unknown>;

const { schema, scopeRules } = createGatewaySchema();
const queries = schema.getQueryType()?.getFields() ?? {};

function getObjectType(name: string): GraphQLObjectType {
  const type = schema.getType(name);
  if (isObjectType(type)) return type;
  throw new Error(`The schema has no object type ${name}.`);
}

/** A parent object with every field that edges require. */
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
  const field = getObjectType(typeName).getFields()[name];
  const root = queries[row.operation];
  if (!field || !root) throw new Error(`The schema has no ${path} or no ${row.operation}.`);
  return { path, type: getObjectType(typeName), row, field, root };
});

/** Edges without arguments, although their root fields have some: they use the defaults. */
const edgesWithoutArguments = ['Event.recurringEvent'];

const listSizeOf = ({ astNode }: Field): unknown => {
  const directive = schema.getDirective('listSize');
  return directive && astNode && getDirectiveValues(directive, astNode);
};

const describeArguments = ({ args }: Field) =>
  args.map(({ name, type, defaultValue }) => ({ name, type: String(type), defaultValue }));

describe('an edge', () => {
  test.each(edges)('$path has the arguments of its root field except those taken from the object', (edge) => {
    const { argumentsOf: takeArguments } = edge.row;
    // The parent of `instances` must be a series, not an instance.
    const series = { ...parent, recurringEventId: undefined };
    const ownArgumentNames = Object.keys(
      takeArguments(parent as never) ?? takeArguments(series as never) ?? {},
    );
    const rootArguments = describeArguments(edge.root);
    expect(rootArguments.map(({ name }) => name)).toEqual(expect.arrayContaining(ownArgumentNames));
    const expectedArguments = edgesWithoutArguments.includes(edge.path)
      ? []
      : rootArguments.filter(({ name }) => !ownArgumentNames.includes(name));
    expect(describeArguments(edge.field)).toEqual(expectedArguments);
  });

  test.each(edges)('$path has the type and list size of its root field', ({ field, root }) => {
    expect(String(field.type)).toBe(String(root.type));
    expect(listSizeOf(field)).toEqual(listSizeOf(root));
  });

  // Nullable, so that a failing edge leaves the rest of the response.
  test.each(edges)('$path may be null', ({ field }) => expect(isNonNullType(field.type)).toBe(false));

  test.each(edges)('$path takes its arguments from its required fields', ({ type, row }) => {
    expect(Object.keys(type.getFields())).toEqual(expect.arrayContaining([...row.requiredFields]));
    const { requiredFields: requiredNames } = row;
    const requiredFieldsOnly = Object.fromEntries(
      Object.entries(parent).filter(([name]) => requiredNames.includes(name)),
    );
    expect(row.argumentsOf(requiredFieldsOnly as never)).toEqual(row.argumentsOf(parent as never));
  });
});

describe('the interface Node', () => {
  test('is implemented exactly by the types with a nodeId', () => {
    const node = schema.getType('Node');
    const implementingTypeNames = isInterfaceType(node)
      ? schema.getPossibleTypes(node).map(({ name }) => name)
      : [];
    const typesWithNodeId = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && 'nodeId' in type.getFields(),
    );
    expect(implementingTypeNames.sort()).toEqual(typesWithNodeId.map(({ name }) => name).sort());
    expect(implementingTypeNames).toEqual([...nodeTypes].sort());
  });

  test('is the type of the field node alone', () => {
    const nodeFields = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => getNamedType(field.type).name === 'Node')
          .map(({ name }) => `${type.name}.${name}`),
      );
    expect(nodeFields).toEqual(['Query.node']);
  });
});

describe('scopes', () => {
  const ruleOf = (name: string): ScopeRule => scopeRules.get(name) ?? [];
  /** Edges below a field at any depth, up to fields with scope rules of their own. */
  function collectEdgesBelow(
    field: Field,
    edgePaths = new Set<string>(),
    visitedTypes = new Set<string>(),
  ): Set<string> {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || visitedTypes.has(type.name)) return edgePaths;
    visitedTypes.add(type.name);
    for (const nestedField of Object.values(type.getFields())) {
      if (scopeRules.has(`${type.name}.${nestedField.name}`)) continue;
      if (edgeOf(nestedField)) edgePaths.add(`${type.name}.${nestedField.name}`);
      collectEdgesBelow(nestedField, edgePaths, visitedTypes);
    }
    return edgePaths;
  }

  // `node` checks the scopes of the nodeId's type itself.
  const roots = [...listRootFields(schema).values()].filter(({ name }) => name !== 'node');
  const pairs = roots.flatMap((root) =>
    [...collectEdgesBelow(root)].map((path) => ({ root: root.name, path })),
  );

  test('are compared for more than 80 pairs of root field and edge', () =>
    expect(pairs.length).toBeGreaterThan(80));

  test.each(roots.map(({ name }) => name))('that allow %s allow all edges below it', (name) => {
    const unreachablePairs = pairs
      .filter(({ root }) => root === name)
      .filter(({ path }) => {
        const requiredScopes = ruleOf(edgeRows[path]?.operation ?? '');
        return !ruleOf(name).every((allowedScopes) =>
          requiredScopes.some((alternative) => alternative.every((scope) => allowedScopes.includes(scope))),
        );
      });
    expect(unreachablePairs).toEqual([]);
  });

  test('are declared on edges of Viewer, equal to those of their root fields, and on one other field', () => {
    const declaredEdges = [...scopeRules.keys()].filter((name) => name.includes('.'));
    const viewerEdges = edges.filter(({ type }) => type.name === 'Viewer');
    expect(declaredEdges.sort()).toEqual(['Calendar.feedUrl', ...viewerEdges.map(({ path }) => path)].sort());
    for (const { path, row } of viewerEdges) expect(ruleOf(path)).toEqual(ruleOf(row.operation));
  });
});
