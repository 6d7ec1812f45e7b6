import {
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import type { Path } from '../../../core/kernel/errors.ts';

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
  for (const [node, { path }] of argumentPaths(schema, {
    ...document,
    definitions: [operation, ...fragments],
  }))
    if (node.kind === Kind.VARIABLE && !paths.has(node.name.value)) paths.set(node.name.value, path);
  return paths;
}

/** The paths of the arguments of a document, and of all values in them. */
export function argumentPaths(
  schema: GraphQLSchema,
  document: DocumentNode,
): ReadonlyMap<ASTNode, ArgumentPath> {
  const paths = new Map<ASTNode, ArgumentPath>();
  const types = new TypeInfo(schema);
  const addNamed = (node: ASTNode, value: ValueNode, place: ArgumentPath): void => {
    paths.set(node, place);
    addValue(value, place);
  };
  const addValue = (node: ValueNode, { path, type }: ArgumentPath): void => {
    paths.set(node, { path, type });
    let inner = getNullableType(type);
    if (node.kind === Kind.LIST) {
      const entry = isListType(inner) ? (inner.ofType as GraphQLInputType) : undefined;
      for (const [index, value] of node.values.entries())
        addValue(value, { path: [...path, index], type: entry });
    } else if (node.kind === Kind.OBJECT) {
      // A single value stands for a list of one: resources see the list.
      const steps: (string | number)[] = [...path];
      for (; isListType(inner); inner = getNullableType(inner.ofType)) steps.push(0);
      const fields = isInputObjectType(inner) ? inner.getFields() : {};
      for (const field of node.fields)
        addNamed(field, field.value, {
          path: [...steps, field.name.value],
          type: fields[field.name.value]?.type,
        });
    }
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      Argument: (node) =>
        addNamed(node, node.value, { path: [node.name.value], type: types.getInputType() ?? undefined }),
    }),
  );
  return paths;
}
