import type { GraphQLResolveInfo } from 'graphql';
import type { FieldSelection, Selected } from '../../core/fields/selection.ts';
import type { GatewayContext } from './context.ts';
import { isIncluded, type SelectedField } from './request/selected-fields.ts';

type Variables = GraphQLResolveInfo['variableValues'];

interface Growing extends FieldSelection {
  whole: boolean;
  readonly fields: Map<string, Growing>;
}

/** Upper bound of remembered selections of an operation: each combination of its conditions makes another one. */
const maxSelections = 64;

/** Fields that are selected of the value of a root field, by their names in the schema. */
export const selectedBy =
  (
    { path, variableValues }: Pick<GraphQLResolveInfo, 'path' | 'variableValues'>,
    { admitted }: GatewayContext,
  ): Selected =>
  () => {
    const { fields, conditionNames, selections } = admitted.operation;
    const key = `${path.key} ${conditionNames.map((name) => variableValues[name] === true).join()}`;
    const known = selections.get(key);
    if (known) return known;
    const root: Growing = { whole: false, fields: new Map() };
    for (const field of fields) if (field.key === path.key) addField(root, field, variableValues);
    const [selection = root] = root.fields.values();
    if (selections.size < maxSelections) selections.set(key, selection);
    return selection;
  };

/** There are no abstract types below root fields: each fragment applies. */
function addField(into: Growing, field: SelectedField, variables: Variables): void {
  if (!isIncluded(field, variables)) return;
  const name = field.node.name.value;
  if (name.startsWith('__')) return;
  const inner = into.fields.get(name) ?? { whole: false, fields: new Map() };
  into.fields.set(name, inner);
  if (field.fields.length === 0) inner.whole = true;
  for (const below of field.fields) addField(inner, below, variables);
}
