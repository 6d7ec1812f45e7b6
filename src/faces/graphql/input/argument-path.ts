import {
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Path } from '../../../core/kernel/errors.ts';

type Ancestor = ASTNode | readonly ASTNode[] | undefined;

/** The path of a value, from its argument on, and the type expected there. */
export interface ArgumentPath {
  readonly path: Path;
  readonly type: GraphQLInputType | undefined;
}

/** The path of each variable's first use in an operation or its fragments: `{ event: $e }` gives e → ['event']. */
export function variablePaths(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlyMap<string, Path> {
  const paths = new Map<string, Path>();
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  visitArguments(schema, { ...document, definitions: [operation, ...fragments] }, (node, pathOf) => {
    if (node.kind !== Kind.VARIABLE || paths.has(node.name.value)) return;
    const found = pathOf();
    if (found) paths.set(node.name.value, found.path);
  });
  return paths;
}

/** The paths of those of these nodes that lie in arguments. */
export function argumentPaths(
  schema: GraphQLSchema,
  document: DocumentNode,
  nodes: Iterable<ASTNode>,
): ReadonlyMap<ASTNode, ArgumentPath> {
  const wanted = new Set(nodes);
  const paths = new Map<ASTNode, ArgumentPath>();
  visitArguments(schema, document, (node, pathOf) => {
    const found = wanted.has(node) ? pathOf() : undefined;
    if (found) paths.set(node, found);
  });
  return paths;
}

type Visit = (node: ASTNode, pathOf: () => ArgumentPath | undefined) => void;

function visitArguments(schema: GraphQLSchema, document: DocumentNode, visitNode: Visit): void {
  const types = new TypeInfo(schema);
  let argument: GraphQLInputType | undefined;
  const visitor: ASTVisitor = {
    enter(node, _key, parent, _path, ancestors) {
      const type = types.getInputType() ?? undefined;
      if (node.kind === Kind.ARGUMENT) argument = type;
      visitNode(node, () => {
        const [name, ...path] = stepsOf([...ancestors, parent, node]);
        return name === undefined ? undefined : { path: [name, ...throughLists(path, argument)], type };
      });
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
}

/** The path with index 0 added where a single value stands for a list of one: resources see the list. */
function throughLists(path: Path, root: GraphQLInputType | undefined): Path {
  let type = getNullableType(root);
  return path.flatMap((step): Path => {
    if (typeof step === 'number') {
      type = isListType(type) ? getNullableType(type.ofType) : undefined;
      return [step];
    }
    const steps: (string | number)[] = [step];
    for (; isListType(type); type = getNullableType(type.ofType)) steps.unshift(0);
    type = isInputObjectType(type) ? getNullableType(type.getFields()[step]?.type) : undefined;
    return steps;
  });
}

/** The steps down a chain of nodes, each the parent of the next, from its last argument on. */
function stepsOf(chain: readonly Ancestor[]): Path {
  const nodes = chain.filter((node): node is ASTNode => node !== undefined && !Array.isArray(node));
  const start = nodes.findLastIndex((node) => node.kind === Kind.ARGUMENT);
  if (start < 0) return [];
  return nodes.slice(start).flatMap((node, index, below): Path => {
    if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return [node.name.value];
    const parent = below[index - 1];
    return parent?.kind === Kind.LIST ? [parent.values.findIndex((value) => value === node)] : [];
  });
}
