import {
  Kind,
  type BooleanValueNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { FieldSelection, Selected } from '../../core/fields/selection.ts';

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'operation' | 'path' | 'variableValues'>;

interface Growing extends FieldSelection {
  whole: boolean;
  readonly fields: Map<string, Growing>;
}

/** So many selections of one operation are remembered: its conditions make other ones of it. */
const mostKnown = 64;

const known = new WeakMap<OperationDefinitionNode, Map<string, FieldSelection>>();

/** What a root field is asked for, in the names of the schema. */
export const selectedBy =
  (info: Info): Selected =>
  () => {
    const { operation, path, fieldNodes, variableValues } = info;
    let selections = known.get(operation);
    if (!selections) known.set(operation, (selections = new Map<string, FieldSelection>()));
    const key = `${path.key} ${fieldNodes.length} ${conditionsOf(operation, variableValues)}`;
    let selection = selections.get(key);
    if (!selection) {
      selection = read(info);
      if (selections.size < mostKnown) selections.set(key, selection);
    }
    return selection;
  };

/** The values of all variables that a condition may name. */
const conditionsOf = (
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: Info['variableValues'],
): string =>
  variableDefinitions
    .map(({ type, variable }) => {
      const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
      return named.kind === Kind.NAMED_TYPE && named.name.value === 'Boolean'
        ? String(values[variable.name.value])
        : '';
    })
    .join();

function read({ fieldNodes, fragments, variableValues }: Info): FieldSelection {
  const selection = empty();
  for (const node of fieldNodes) addField(selection, node, fragments, variableValues);
  return selection;
}

const empty = (): Growing => ({ whole: false, fields: new Map() });

function addField(
  into: Growing,
  { selectionSet }: FieldNode,
  fragments: Info['fragments'],
  values: Info['variableValues'],
): void {
  if (selectionSet) addSet(into, selectionSet, fragments, values);
  else into.whole = true;
}

/** There are no abstract types below root fields: each fragment applies. */
function addSet(
  into: Growing,
  { selections }: SelectionSetNode,
  fragments: Info['fragments'],
  values: Info['variableValues'],
): void {
  for (const one of selections) {
    if (!isIncluded(one, values)) continue;
    if (one.kind === Kind.FIELD) {
      const name = one.name.value;
      if (name.startsWith('__')) continue;
      const field = into.fields.get(name) ?? empty();
      into.fields.set(name, field);
      addField(field, one, fragments, values);
    } else {
      addSet(
        into,
        one.kind === Kind.INLINE_FRAGMENT
          ? one.selectionSet
          : (fragments[one.name.value] as FragmentDefinitionNode).selectionSet,
        fragments,
        values,
      );
    }
  }
}

const isIncluded = ({ directives = [] }: SelectionNode, values: Info['variableValues']): boolean =>
  directives.every(
    ({ name, arguments: given }) => isTrue(given?.[0]?.value, values) === (name.value === 'include'),
  );

const isTrue = (condition: ValueNode | undefined, values: Info['variableValues']): boolean =>
  condition?.kind === Kind.VARIABLE
    ? values[condition.name.value] === true
    : (condition as BooleanValueNode).value;
