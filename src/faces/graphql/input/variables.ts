import { GraphQLError, valueFromAST, type FieldNode, type GraphQLSchema } from 'graphql';
import type { Issue } from '../../../core/errors.ts';
import { inputError, type InvalidCall } from '../../../operations/failure.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { GatewayContext } from '../context.ts';
import { supportsDryRun, type RootField } from '../root-fields.ts';
import { suggest, variablePaths } from './document-errors.ts';
import { variablesOf } from '../request/cost.ts';
import { isIncluded } from '../request/selected-fields.ts';
import { createVariableReader, type Variables } from './variable-reader.ts';

/** Upper bound of the root fields and edges that are checked further. */
const maxCalls = 5;

/**
 * Coerces the variables of an operation. Throws one GraphQLError with the coercion errors, and all issues of the values
 * that fit, when some do not. Paths start at the argument that a variable is used for.
 */
export async function readVariables(schema: GraphQLSchema, context: GatewayContext): Promise<Variables> {
  const { operation, variables } = context.admitted;
  const { node, document } = operation;
  const {
    values,
    issues: found,
    warnings,
  } = createVariableReader(schema, node)(variables, context.seesSchema ? suggest : undefined);
  const issues = [...found];
  context.variableWarnings = warnings;
  // The library would find it below a mutation that was carried out.
  const condition = operation.conditionNames.find((name) => values[name] === null);
  if (condition !== undefined)
    issues.push({ path: [condition], reason: 'required', message: conditionNeeded(condition) });
  if (issues.length === 0) return values;
  const paths = variablePaths(schema, document.node, node);
  const coercionErrors = issues.map(({ path: [variable = '', ...rest], ...issue }): Issue => ({
    ...issue,
    path: [...(paths.get(variable as string) ?? [variable]), ...rest],
  }));
  const names = new Set(issues.map(({ path: [variable] }) => variable as string));
  const fields = schema.getRootType(node.operation)?.getFields() ?? {};
  const edges = [...(operation.edges ?? [])].flatMap(([field, edge]) => (edge ? [field] : []));
  const calls = [...operation.fields, ...edges]
    .filter(
      (field) =>
        isIncluded(field, values) && variablesOf(field.node).some(({ variable }) => names.has(variable)),
    )
    .slice(0, maxCalls)
    .flatMap((field) =>
      invalidCallOf(operation.edges?.get(field)?.field ?? fields[field.node.name.value], field.node, values),
    );
  const error = await inputError(coercionErrors, calls, context);
  throw error.code === 'BAD_USER_INPUT'
    ? new GraphQLError(error.message, { extensions: { issues: error.issues } })
    : new GraphQLError(error.message, { originalError: error });
}

const conditionNeeded = (name: string): string =>
  `$${name} must be true or false, as @include and @skip need it: leave it out for its default.`;

/** The call of a root field or an edge with what of its arguments fits; nothing for introspection. */
function invalidCallOf(field: RootField | undefined, node: FieldNode, values: Variables): InvalidCall[] {
  if (!field?.extensions.operation) return [];
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const args: Record<string, unknown> = {};
  for (const { name, type, defaultValue } of field.args) {
    const read: unknown = valueFromAST(given.get(name), type, values);
    const value = read === undefined ? defaultValue : read;
    if (value !== undefined) args[name] = value;
  }
  const operation = field.extensions.operation as Operation;
  return [{ operation, args, supportsDryRun: supportsDryRun(field, args) }];
}
