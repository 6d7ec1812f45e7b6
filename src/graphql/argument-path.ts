import { Kind, visit, type ASTNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { Path } from '../core/errors.ts';

type Ancestor = ASTNode | readonly ASTNode[] | undefined;

/** Where an operation, or a fragment, uses each variable first: `{ event: $e }` gives e → ['event']. */
export function variablePlaces(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  visit({ ...document, definitions: [operation, ...fragments] }, {
    Variable(node, _key, parent, _path, ancestors) {
      const place = pathOf([...ancestors, parent, node]);
      if (place && !places.has(node.name.value)) places.set(node.name.value, place);
    },
  });
  return places;
}

/** The path of a node that lies in an argument, from that argument on. */
export function argumentPath(document: DocumentNode, wanted: ASTNode): Path | undefined {
  let place: Path | undefined;
  visit(document, {
    enter(node, _key, parent, _path, ancestors) {
      if (node === wanted) place ??= pathOf([...ancestors, parent, node]);
    },
  });
  return place;
}

/** The path down a chain of nodes, each the parent of the next, from the last argument among them on. */
function pathOf(chain: readonly Ancestor[]): Path | undefined {
  const nodes = chain.filter((node): node is ASTNode => node !== undefined && !Array.isArray(node));
  const start = nodes.findLastIndex((node) => node.kind === Kind.ARGUMENT);
  if (start < 0) return undefined;
  return nodes.slice(start).flatMap((node, index, below): Path => {
    if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return [node.name.value];
    const parent = below[index - 1];
    return parent?.kind === Kind.LIST ? [parent.values.findIndex((value) => value === node)] : [];
  });
}
