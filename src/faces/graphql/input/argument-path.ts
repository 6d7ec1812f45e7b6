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

/** What lies in an argument: the path from that argument on, and the type that is asked for there. */
export interface ArgumentPlace {
  readonly path: Path;
  readonly type: GraphQLInputType | undefined;
}

/** Where an operation, or a fragment, uses each variable first: `{ event: $e }` gives e → ['event']. */
export function variablePlaces(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  visitArguments(schema, { ...document, definitions: [operation, ...fragments] }, (node, placeOf) => {
    if (node.kind !== Kind.VARIABLE || places.has(node.name.value)) return;
    const place = placeOf();
    if (place) places.set(node.name.value, place.path);
  });
  return places;
}

/** The places of these nodes, as far as they lie in arguments. */
export function argumentPlaces(schema: GraphQLSchema, document: DocumentNode, nodes: Iterable<ASTNode>): ReadonlyMap<ASTNode, ArgumentPlace> {
  const wanted = new Set(nodes);
  const places = new Map<ASTNode, ArgumentPlace>();
  visitArguments(schema, document, (node, placeOf) => {
    const place = wanted.has(node) ? placeOf() : undefined;
    if (place) places.set(node, place);
  });
  return places;
}

type See = (node: ASTNode, placeOf: () => ArgumentPlace | undefined) => void;

function visitArguments(schema: GraphQLSchema, document: DocumentNode, see: See): void {
  const types = new TypeInfo(schema);
  let argument: GraphQLInputType | undefined;
  const visitor: ASTVisitor = {
    enter(node, _key, parent, _path, ancestors) {
      const type = types.getInputType() ?? undefined;
      if (node.kind === Kind.ARGUMENT) argument = type;
      see(node, () => {
        const [name, ...path] = pathOf([...ancestors, parent, node]);
        return name === undefined ? undefined : { path: [name, ...throughLists(path, argument)], type };
      });
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
}

/** The path with an index 0 wherever a single value stands for a list of one, since that is how resources see it. */
export function throughLists(path: Path, root: GraphQLInputType | undefined): Path {
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

/** The path down a chain of nodes, each the parent of the next, from the last argument among them on. */
function pathOf(chain: readonly Ancestor[]): Path {
  const nodes = chain.filter((node): node is ASTNode => node !== undefined && !Array.isArray(node));
  const start = nodes.findLastIndex((node) => node.kind === Kind.ARGUMENT);
  if (start < 0) return [];
  return nodes.slice(start).flatMap((node, index, below): Path => {
    if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return [node.name.value];
    const parent = below[index - 1];
    return parent?.kind === Kind.LIST ? [parent.values.findIndex((value) => value === node)] : [];
  });
}
