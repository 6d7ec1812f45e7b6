import {
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type SelectionSetNode,
} from 'graphql';

/** A document has something that is not compiled: it is left to the GraphQL library. */
export class NotCompiled extends Error {}

/** What selections need to be resolved: fragments, and the values of conditions. */
export interface Scope {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Whether the variable of a condition is true. */
  readonly isTrue: (variable: string) => boolean;
}

/** One field of an answer, with all nodes of the document that ask for it. */
export interface SelectedField {
  readonly key: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly definition: GraphQLField<unknown, unknown>;
}

/** The fields that selections of an object type ask for, in the order of the answer (GraphQL, section 6.3.2). */
export function fieldsOf(
  scope: Scope,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): SelectedField[] {
  const found = new Map<string, SelectedField & { readonly nodes: [FieldNode, ...FieldNode[]] }>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (!isIncluded(selection.directives ?? [], scope)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const known = found.get(key);
        if (known) known.nodes.push(selection);
        else
          found.set(key, { key, nodes: [selection], definition: definitionOf(selection.name.value, type) });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        checkType(selection.typeCondition?.name.value, type);
        collect(selection.selectionSet);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = scope.fragments.get(selection.name.value);
        checkType(fragment?.typeCondition.name.value, type);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) collect(set);
  return [...found.values()];
}

/** There are no abstract types to compile for: a fragment on another type than this would never apply. */
function checkType(condition: string | undefined, type: GraphQLObjectType): void {
  if (condition !== undefined && condition !== type.name) throw new NotCompiled('a fragment on another type');
}

function definitionOf(name: string, type: GraphQLObjectType): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const definition = type.getFields()[name];
  if (!definition || name === SchemaMetaFieldDef.name || name === TypeMetaFieldDef.name)
    throw new NotCompiled(`the field ${name}`);
  return definition;
}

function isIncluded(directives: readonly DirectiveNode[], { isTrue }: Scope): boolean {
  return directives.every((directive) => {
    const wanted = conditions[directive.name.value];
    if (wanted === undefined) throw new NotCompiled(`the directive ${directive.name.value}`);
    const value = directive.arguments?.[0]?.value;
    if (value?.kind === Kind.VARIABLE) return isTrue(value.name.value) === wanted;
    if (value?.kind !== Kind.BOOLEAN) throw new NotCompiled('a condition that is no boolean');
    return value.value === wanted;
  });
}

const conditions: Readonly<Record<string, boolean>> = { include: true, skip: false };
