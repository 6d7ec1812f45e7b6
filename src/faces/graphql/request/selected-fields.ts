import {
  GraphQLError,
  Kind,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type InlineFragmentNode,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { type Fields, groupByKey } from '../../../core/json.ts';
import { type FieldSelection, type GetSelection, wholeSelection } from '../../../core/fields/table.ts';
import { type Edge, edgeOf, nodeTypes } from '../graph.ts';

/** Part of `GraphQLResolveInfo` that resolvers of root fields read. */
export type RootInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path' | 'variableValues'>;

/** A condition on a field: a `@skip` or `@include` on it or on a fragment around it, or the type condition of such a fragment. */
interface Condition {
  readonly directive?: DirectiveNode;
  readonly typeName?: string;
  /** Next condition outwards, which must hold too; a field refers to its innermost condition. */
  readonly outer: Condition | undefined;
}

/** A field that an operation selects, with fragments expanded. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly key: string;
  readonly condition: Condition | undefined;
  /** Schema coordinate: type and name, such as `Calendar.events`. */
  readonly coordinate: string;
  /** Definition in the schema; undefined for `__typename`, and for an unknown field of an invalid document. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  readonly edge: Edge | undefined;
  /** Whether the field is an edge, or has edges below it. */
  readonly leadsToEdges: boolean;
  readonly fields: readonly SelectedField[];
}

/** Operation of a document, with its fields and conditions. */
export interface OperationFields {
  readonly node: OperationDefinitionNode;
  readonly fields: readonly SelectedField[];
  readonly fieldCount: number;
  /** Variables of `@skip` and `@include`. */
  readonly conditionNames: readonly string[];
  /** Edges below the root fields. */
  readonly edges: readonly SelectedField[];
  /** Cache of the selections below root fields, by response key and values of the condition variables. */
  readonly selections: Map<string, FieldSelection>;
}

const maxOperations = 50;
/** Limits fragments, since graphql-js follows each chain of fragments from each of its ends. */
const maxFragments = 100;
const maxRootFields = 100;
const maxFields = 5_000;
/** Limits the pairs that graphql-js compares: fields with the same response path, and fragments in the same selection set. */
const maxPairs = 3_000;

/** Maximum length of response keys above edges, because errors repeat the keys for each object. */
const maxEdgeKeyLength = 256;

/** Expands the fragments of all operations, without validating them. Throws at the node that exceeds a limit, before expanding it. */
export function collectFields({ definitions }: DocumentNode, schema: GraphQLSchema) {
  const operationNodes = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  if (operationNodes.length > maxOperations)
    throw nodeError(
      `A document may hold ${maxOperations} operations at most.`,
      operationNodes[maxOperations],
    );
  if (fragments.size > maxFragments)
    throw nodeError(
      `A document may hold ${maxFragments} fragments at most.`,
      [...fragments.values()][maxFragments],
    );
  /** Whether each fragment used so far is being expanded right now, to detect cycles. */
  const isExpandingByName = new Map<string, boolean>();
  let conditionNames = new Set<string>();
  let edges: SelectedField[] = [];
  let fieldCount = 0;
  /** Number of pairs of fields and fragments that validation compares. */
  let pairCount = 0;

  const collect = (
    selectionSet: SelectionSetNode | undefined,
    type: GraphQLNamedType | null | undefined,
    outer?: Condition,
    fields: SelectedField[] = [],
  ): SelectedField[] => {
    let spreadCount = 0;
    for (const node of selectionSet?.selections ?? []) {
      let condition = outer;
      for (const directive of node.directives ?? []) {
        if (!isCondition(directive)) continue;
        // Each repetition would take memory for each use of its fragment.
        if (isRepeated(directive, condition, outer))
          throw nodeError(
            `The directive "@${directive.name.value}" can only be used once at this location.`,
            directive,
          );
        condition = { directive, outer: condition };
        for (const { value } of directive.arguments ?? [])
          if (value.kind === Kind.VARIABLE) conditionNames.add(value.name.value);
      }
      if (node.kind === Kind.FIELD) {
        fieldCount += 1;
        if (fieldCount > maxFields)
          throw nodeError(
            `A document may ask for ${maxFields} fields at most; those of a fragment count at each use.`,
            node,
          );
        const field = createField(node, type, condition, (childType) =>
          collect(node.selectionSet, childType),
        );
        if (field.leadsToEdges && field.key.length > maxEdgeKeyLength)
          throw nodeError(
            `The alias of an edge, and of a field above one, may have ${maxEdgeKeyLength} characters at most.`,
            node,
          );
        if (field.edge) edges.push(field);
        fields.push(field);
      } else if (node.kind === Kind.INLINE_FRAGMENT) collectFragment(node, type, condition, fields);
      else {
        const name = node.name.value;
        const fragment = fragments.get(name);
        if (!fragment) throw nodeError(`Unknown fragment "${name.slice(0, 100)}".`);
        if (isExpandingByName.get(name))
          throw nodeError(`Cannot spread fragment "${name.slice(0, 100)}" within itself.`, fragment);
        pairCount += spreadCount++;
        // Validation compares each pair of fragments: about n²/2 pairs for n fragments.
        if (spreadCount ** 2 > 2 * maxPairs) throw tooManyPairsError(node);
        isExpandingByName.set(name, true);
        collectFragment(fragment, type, condition, fields);
        isExpandingByName.set(name, false);
      }
    }
    return fields;
  };
  const collectFragment = (
    { typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode,
    parent: GraphQLNamedType | null | undefined,
    outer: Condition | undefined,
    fields: SelectedField[],
  ): unknown => {
    if (!typeCondition) return collect(selectionSet, parent, outer, fields);
    const typeName = typeCondition.name.value;
    return collect(selectionSet, schema.getType(typeName), { typeName, outer }, fields);
  };
  const countPairs = (fields: readonly SelectedField[]): void => {
    for (const sameKeyFields of fieldsByKey(fields)) {
      pairCount += (sameKeyFields.length * (sameKeyFields.length - 1)) / 2;
      if (pairCount > maxPairs) throw tooManyPairsError(sameKeyFields[0].node);
      countPairs(sameKeyFields.flatMap((field) => field.fields));
    }
  };

  const operations = operationNodes.map((node): OperationFields => {
    conditionNames = new Set();
    edges = [];
    const fieldCountBefore = fieldCount;
    const fields = collect(node.selectionSet, schema.getRootType(node.operation));
    // Fields of a fragment count once, because each use selects the same nodes.
    if (new Set(fields.map((field) => field.node)).size > maxRootFields)
      throw nodeError(`An operation may have ${maxRootFields} root fields at most.`, node);
    return {
      node,
      fields,
      fieldCount: fieldCount - fieldCountBefore,
      conditionNames: [...conditionNames],
      edges,
      selections: new Map(),
    };
  });
  // graphql-js would validate unused fragments too, including all pairs of their fields.
  for (const [name, node] of fragments)
    if (!isExpandingByName.has(name))
      throw nodeError(`Fragment "${name.slice(0, 100)}" is never used.`, node);
  for (const { fields } of operations) countPairs(fields);
  return { operations, pairCount };
}

const metaFields = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

/** Creates a selected field of a type, or of an unknown type. `collectBelow` returns the fields that are selected below it. */
export function createField(
  node: FieldNode,
  parent: GraphQLNamedType | null | undefined,
  condition: Condition | undefined,
  collectBelow: (type: GraphQLNamedType | undefined) => readonly SelectedField[],
): SelectedField {
  const name = node.name.value;
  // Fields of a type have no prototype, so names such as `constructor` are unknown too.
  const siblings = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : undefined;
  const definition = siblings?.[name] ?? metaFields.get(name);
  const edge = edgeOf(definition);
  const fields = collectBelow(definition && getNamedType(definition.type));
  return {
    node,
    key: (node.alias ?? node.name).value,
    condition,
    coordinate: `${parent?.name}.${name}`,
    definition,
    edge,
    leadsToEdges: edge !== undefined || fields.some((field) => field.leadsToEdges),
    fields,
  };
}

const nodeError = (message: string, node?: ASTNode): GraphQLError =>
  new GraphQLError(message, { nodes: node });

const tooManyPairsError = (node: ASTNode): GraphQLError =>
  nodeError(
    'This document selects the same field too often at one place of the response, or uses too many fragments side by side.',
    node,
  );

/** Whether the conditions inside `outer` already contain a directive of this name. */
function isRepeated(
  { name }: DirectiveNode,
  condition: Condition | undefined,
  outer: Condition | undefined,
): boolean {
  for (let current = condition; current && current !== outer; current = current.outer)
    if (current.directive?.name.value === name.value) return true;
  return false;
}

const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

/** Groups fields by response key, in response order (GraphQL, section 6.3.2). */
export const fieldsByKey = (fields: readonly SelectedField[]): [SelectedField, ...SelectedField[]][] => [
  ...groupByKey(fields, ({ key }) => key).values(),
];

/** Evaluates the conditions of a field for an object of this type; without `type`, type conditions are ignored. */
export function isIncluded({ condition }: SelectedField, variables: Fields, type?: string): boolean {
  for (let current = condition; current; current = current.outer) {
    if (!current.directive) {
      // Fragments on other types always apply in a valid document.
      if (current.typeName !== type && type !== undefined && nodeTypes.has(current.typeName ?? ''))
        return false;
      continue;
    }
    const value = current.directive.arguments?.[0]?.value;
    const isTrue =
      value?.kind === Kind.VARIABLE
        ? variables[value.name.value] === true
        : value?.kind === Kind.BOOLEAN && value.value;
    if (isTrue !== (current.directive.name.value === 'include')) return false;
  }
  return true;
}

/** Maximum number of cached selections of an operation, one for each combination of its conditions. */
const maxCachedSelections = 64;

/** Creates the function that finds the schema names of the fields selected below a root field. Results are cached. */
export const createSelectionGetter =
  (
    operation: OperationFields,
    { path, variableValues }: Pick<RootInfo, 'path' | 'variableValues'>,
  ): GetSelection =>
  () => {
    const { fields, conditionNames, selections } = operation;
    const key = `${path.key} ${conditionNames.map((name) => variableValues[name] === true).join()}`;
    const cachedSelection = selections.get(key);
    if (cachedSelection) return cachedSelection;
    const roots = fields.filter((field) => field.key === path.key && isIncluded(field, variableValues));
    const selection = selectionBelow(roots, variableValues);
    if (selections.size < maxCachedSelections) selections.set(key, selection);
    return selection;
  };

const fieldNameOf = ({ node }: SelectedField): string => node.name.value;

/** Merges the selections below fields with the same key. An edge selects the fields that its arguments need. */
export function selectionBelow(
  sameKeyFields: readonly SelectedField[],
  variables: RootInfo['variableValues'],
): FieldSelection {
  const childFields = sameKeyFields
    .flatMap(({ fields }) => fields)
    .filter((field) => isIncluded(field, variables) && !fieldNameOf(field).startsWith('__'));
  const fields = new Map<string, FieldSelection>();
  for (const [name, group] of groupByKey(childFields, fieldNameOf)) {
    const [{ edge }] = group;
    if (edge) for (const requiredField of edge.requiredFields) fields.set(requiredField, wholeSelection);
    else fields.set(name, selectionBelow(group, variables));
  }
  return { isWhole: sameKeyFields.some(({ fields }) => fields.length === 0), fields };
}
