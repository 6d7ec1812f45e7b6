import {
  GraphQLError,
  Kind,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { grouped } from '../../../core/patch.ts';
import type { FieldSelection, Selected } from '../../../core/fields/table.ts';
import { type Edge, nodeTypes } from '../graph.ts';

/** The part of `GraphQLResolveInfo` that resolvers of root fields read. */
export type RootInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path' | 'variableValues'>;

/** A `@skip` or `@include` of a field or of a fragment that it comes from, or the type `on` which the fragment is; and the one around it. */
interface Condition {
  readonly directive?: DirectiveNode;
  readonly on?: string;
  readonly outer: Condition | undefined;
}

/** A field that an operation selects, with fragments expanded. */
export interface SelectedField {
  readonly node: FieldNode;
  /** The key in the answer: the alias, or else the name. */
  readonly key: string;
  readonly condition: Condition | undefined;
  readonly fields: readonly SelectedField[];
}

/** The fields of an operation. */
export interface OperationFields {
  readonly node: OperationDefinitionNode;
  readonly fields: readonly SelectedField[];
  /** The number of all fields, at every depth. */
  readonly fieldCount: number;
  /** The variables of its conditions. */
  readonly conditionNames: readonly string[];
  /** Edges below its root fields, and the fields that lead to them (undefined); absent where there are none. */
  edges?: ReadonlyMap<SelectedField, Edge | undefined>;
  /** A cache: what is selected of root fields' values, by the key of the root field and the values of conditions. */
  readonly selections: Map<string, FieldSelection>;
}

const maxOperations = 50;
/** The library follows each chain of fragments from each of its ends. */
const maxFragments = 100;
const maxRootFields = 100;
const maxFields = 5_000;
/** The library compares each pair of fields with the same response path, and each pair of fragments side by side. */
const maxPairs = 3_000;

/** Collects the fields of all operations, which need not fit the schema. Throws at the node that exceeds a limit, before it is expanded. */
export function collectFields({ definitions }: DocumentNode) {
  const nodes = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  if (nodes.length > maxOperations)
    throw fault(`A document may hold ${maxOperations} operations at most.`, nodes[maxOperations]);
  if (fragments.size > maxFragments)
    throw fault(
      `A document may hold ${maxFragments} fragments at most.`,
      [...fragments.values()][maxFragments],
    );
  /** Whether fragments are being expanded, for those that are used. */
  const isOpen = new Map<string, boolean>();
  let conditionNames = new Set<string>();
  let count = 0;
  /** The number of pairs of fields and of fragments that validation compares. */
  let pairs = 0;

  const collect = (
    set: SelectionSetNode | undefined,
    outer?: Condition,
    into: SelectedField[] = [],
  ): SelectedField[] => {
    let spreads = 0;
    for (const node of set?.selections ?? []) {
      let condition = outer;
      for (const directive of node.directives ?? []) {
        if (!isCondition(directive)) continue;
        // Each takes memory for each use of its fragment.
        if (isRepeated(directive, condition, outer))
          throw fault(
            `The directive "@${directive.name.value}" can only be used once at this location.`,
            directive,
          );
        condition = { directive, outer: condition };
        for (const { value } of directive.arguments ?? [])
          if (value.kind === Kind.VARIABLE) conditionNames.add(value.name.value);
      }
      if (node.kind === Kind.FIELD) {
        count += 1;
        if (count > maxFields)
          throw fault(
            `A document may ask for ${maxFields} fields at most; those of a fragment count wherever it is used.`,
            node,
          );
        const key = (node.alias ?? node.name).value;
        into.push({ node, key, condition, fields: collect(node.selectionSet) });
      } else if (node.kind === Kind.INLINE_FRAGMENT)
        collect(node.selectionSet, within(node.typeCondition, condition), into);
      else {
        const name = node.name.value;
        const fragment = fragments.get(name);
        if (!fragment) throw fault(`Unknown fragment "${name.slice(0, 100)}".`);
        if (isOpen.get(name))
          throw fault(`Cannot spread fragment "${name.slice(0, 100)}" within itself.`, fragment);
        pairs += spreads++;
        if (spreads ** 2 > 2 * maxPairs) throw tooManyPairs(node);
        isOpen.set(name, true);
        collect(fragment.selectionSet, within(fragment.typeCondition, condition), into);
        isOpen.set(name, false);
      }
    }
    return into;
  };
  const comparePairs = (fields: readonly SelectedField[]): void => {
    for (const same of fieldsByKey(fields)) {
      pairs += (same.length * (same.length - 1)) / 2;
      if (pairs > maxPairs) throw tooManyPairs(same[0].node);
      comparePairs(same.flatMap((field) => field.fields));
    }
  };

  const operations = nodes.map((node): OperationFields => {
    conditionNames = new Set();
    const before = count;
    const fields = collect(node.selectionSet);
    // Fields of a fragment count once: its uses select the same ones.
    if (new Set(fields.map((field) => field.node)).size > maxRootFields)
      throw fault(`An operation may have ${maxRootFields} root fields at most.`, node);
    const selections = new Map<string, FieldSelection>();
    return { node, fields, fieldCount: count - before, conditionNames: [...conditionNames], selections };
  });
  // The library validates unused fragments as well, and each pair of their fields.
  for (const [name, node] of fragments)
    if (!isOpen.has(name)) throw fault(`Fragment "${name.slice(0, 100)}" is never used.`, node);
  for (const { fields } of operations) comparePairs(fields);
  return { operations, pairs };
}

const fault = (message: string, node?: ASTNode): GraphQLError => new GraphQLError(message, { nodes: node });

const tooManyPairs = (node: ASTNode): GraphQLError =>
  fault(
    'This document asks too often for the same field at one place of the answer, or uses too many fragments side by side.',
    node,
  );

/** Whether the conditions of a node, those inside of `outer`, have one of this name. */
function isRepeated(
  { name }: DirectiveNode,
  condition: Condition | undefined,
  outer: Condition | undefined,
): boolean {
  for (let one = condition; one && one !== outer; one = one.outer)
    if (one.directive?.name.value === name.value) return true;
  return false;
}

const within = (type: NamedTypeNode | undefined, outer: Condition | undefined): Condition | undefined =>
  type ? { on: type.name.value, outer } : outer;

const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

/** Fields that share a key, in the order of the answer (GraphQL, section 6.3.2). */
export const fieldsByKey = (fields: readonly SelectedField[]): [SelectedField, ...SelectedField[]][] => [
  ...grouped(fields, ({ key }) => key).values(),
];

/** Evaluates the conditions of a field of an object of this type, in a document that fits the schema; absent: of any type. */
export function isIncluded(
  { condition }: SelectedField,
  variables: Readonly<Record<string, unknown>>,
  type?: string,
): boolean {
  for (let one = condition; one; one = one.outer) {
    if (!one.directive) {
      // A fragment on another type than one of the nodes is on the object's own type, or on the interface.
      if (one.on !== type && type !== undefined && nodeTypes.has(one.on ?? '')) return false;
      continue;
    }
    const value = one.directive.arguments?.[0]?.value;
    const isTrue =
      value?.kind === Kind.VARIABLE
        ? variables[value.name.value] === true
        : value?.kind === Kind.BOOLEAN && value.value;
    if (isTrue !== (one.directive.name.value === 'include')) return false;
  }
  return true;
}

/** Upper bound of cached selections of an operation: each combination of its conditions makes another one. */
const maxSelections = 64;

/** Finds the fields that are selected of the value of a root field, by their names in the schema. */
export const selectedBy =
  (
    operation: OperationFields,
    { path, variableValues }: Pick<RootInfo, 'path' | 'variableValues'>,
  ): Selected =>
  () => {
    const { fields, conditionNames, selections } = operation;
    const key = `${path.key} ${conditionNames.map((name) => variableValues[name] === true).join()}`;
    const known = selections.get(key);
    if (known) return known;
    const roots = fields.filter((field) => field.key === path.key && isIncluded(field, variableValues));
    const selection = selectedIn(operation, roots, variableValues);
    if (selections.size < maxSelections) selections.set(key, selection);
    return selection;
  };

const fieldName = ({ node }: SelectedField): string => node.name.value;

/** Selection below fields with the same key; an edge selects the fields that it reads. */
export function selectedIn(
  operation: Pick<OperationFields, 'edges'>,
  same: readonly SelectedField[],
  variables: RootInfo['variableValues'],
): FieldSelection {
  const below = same
    .flatMap(({ fields }) => fields)
    .filter((field) => isIncluded(field, variables) && !fieldName(field).startsWith('__'));
  const fields = new Map<string, FieldSelection>();
  for (const [name, group] of grouped(below, fieldName)) {
    const edge = operation.edges?.get(group[0]);
    if (edge) for (const read of edge.requiredFields) fields.set(read, wholeField);
    else fields.set(name, selectedIn(operation, group, variables));
  }
  return { whole: same.some(({ fields }) => fields.length === 0), fields };
}

const wholeField: FieldSelection = { whole: true, fields: new Map() };

/** The type that a field is selected on: that of the innermost fragment around it, or else its parent's. */
export function typeAround(
  { condition }: SelectedField,
  parent: GraphQLNamedType | null | undefined,
  schema: GraphQLSchema,
): GraphQLNamedType | null | undefined {
  for (let one = condition; one; one = one.outer) if (one.on !== undefined) return schema.getType(one.on);
  return parent;
}
