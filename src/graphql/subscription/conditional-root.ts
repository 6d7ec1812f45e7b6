import { GraphQLError, Kind, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/**
 * The faults of a subscription whose root field may be left out: the specification has one root field, always, and the
 * library does not look at `@skip` and `@include` there.
 */
export function conditionalRoot({ definitions }: DocumentNode, { selectionSet }: OperationDefinitionNode): GraphQLError[] {
  const seen = new Set<string>();
  const faults: GraphQLError[] = [];
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      const conditions = (selection.directives ?? []).filter(({ name }) => name.value === 'skip' || name.value === 'include');
      if (conditions.length > 0) faults.push(new GraphQLError('The root field of a subscription must not depend on @skip or @include.', { nodes: conditions }));
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
      seen.add(selection.name.value);
      for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value) visit(one.selectionSet);
    }
  };
  visit(selectionSet);
  return faults;
}
