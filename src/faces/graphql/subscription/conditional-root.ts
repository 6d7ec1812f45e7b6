import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * The error of a document with a subscription whose root field depends on `@skip` or `@include`: the specification demands
 * exactly one root field. The library counts root fields without knowing variables, and would throw for such a document,
 * whichever of its operations is to run.
 */
export function conditionalRoot({ definitions }: DocumentNode): GraphQLError | undefined {
  const subscriptions = definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION && one.operation === OperationTypeNode.SUBSCRIPTION ? [one] : [],
  );
  if (subscriptions.length === 0) return undefined;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const conditions: DirectiveNode[] = [];
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      conditions.push(
        ...(selection.directives ?? []).filter(
          ({ name }) => name.value === 'skip' || name.value === 'include',
        ),
      );
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD) continue;
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value); // once is enough
      if (fragment) visit(fragment.selectionSet);
    }
  };
  for (const { selectionSet } of subscriptions) visit(selectionSet);
  return conditions.length === 0
    ? undefined
    : new GraphQLError('The root field of a subscription must not depend on @skip or @include.', {
        nodes: conditions,
      });
}
