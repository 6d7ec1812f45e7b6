import { GraphQLError, valueFromAST, type FieldNode, type GraphQLSchema } from 'graphql';
import type { Issue } from '../../../core/errors.ts';
import type { Fields } from '../../../core/json.ts';
import { createInputError, type InvalidCall } from '../../../operations/failure.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { GatewayContext } from '../context.ts';
import { supportsDryRun, type RootField } from '../root-resolvers.ts';
import { suggestNames, findVariablePaths } from './document-errors.ts';
import { variablesOf } from '../request/cost.ts';
import { isIncluded } from '../request/selected-fields.ts';
import { createVariableReader } from './variable-reader.ts';

/** Maximum number of root fields and edges that are checked after a coercion error. */
const maxCheckedCalls = 5;

/**
 * Coerces variables. Throws one GraphQLError if a value cannot be coerced: with all coercion errors, and with the broken rules
 * of the values that can. Paths of issues start at the argument.
 */
export async function readVariables(schema: GraphQLSchema, context: GatewayContext): Promise<Fields> {
  const { operation, variables, maySeeSchema } = context.admittedRequest;
  const { node, document } = operation;
  const {
    values,
    issues: readerIssues,
    warnings,
  } = createVariableReader(schema, node)(variables, maySeeSchema ? suggestNames : undefined);
  const issues = [...readerIssues];
  context.variableWarnings = warnings;
  // graphql-js would report a null condition only after the mutation was carried out.
  const nullCondition = operation.conditionNames.find((name) => values[name] === null);
  if (nullCondition !== undefined)
    issues.push({ path: [nullCondition], reason: 'required', message: nullConditionMessage(nullCondition) });
  if (issues.length === 0) return values;
  const paths = findVariablePaths(schema, document.node, node);
  const coercionErrors = issues.map(({ path: [variable = '', ...valuePath], ...issue }): Issue => ({
    ...issue,
    path: [...(paths.get(variable as string) ?? [variable]), ...valuePath],
  }));
  const invalidVariables = new Set(issues.map(({ path: [variable] }) => variable as string));
  const invalidCalls = [...operation.fields, ...operation.edges]
    .filter(
      (field) =>
        isIncluded(field, values) &&
        variablesOf(field.node).some(({ variable }) => invalidVariables.has(variable)),
    )
    .slice(0, maxCheckedCalls)
    .flatMap(({ definition, node: fieldNode }) => toInvalidCalls(definition, fieldNode, values));
  const error = await createInputError(coercionErrors, invalidCalls, context);
  throw error.code === 'BAD_USER_INPUT'
    ? new GraphQLError(error.message, { extensions: { issues: error.issues } })
    : new GraphQLError(error.message, { originalError: error });
}

const nullConditionMessage = (name: string): string =>
  `$${name} must be true or false, as @include and @skip need it: leave it out for its default.`;

/** Builds the call of a root field or an edge with its valid arguments; an empty list for introspection. */
function toInvalidCalls(field: RootField | undefined, node: FieldNode, values: Fields): InvalidCall[] {
  if (!field?.extensions.operation) return [];
  const argumentNodes = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const args: Record<string, unknown> = {};
  for (const { name, type, defaultValue } of field.args) {
    const sentValue: unknown = valueFromAST(argumentNodes.get(name), type, values);
    const value = sentValue === undefined ? defaultValue : sentValue;
    if (value !== undefined) args[name] = value;
  }
  const operation = field.extensions.operation as Operation;
  return [{ operation, args, supportsDryRun: supportsDryRun(field, args) }];
}
