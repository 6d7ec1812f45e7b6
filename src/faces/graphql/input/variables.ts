import { GraphQLError, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import type { Issue } from '../../../core/kernel/errors.ts';
import { besideCoercionErrors } from '../../../core/coercion/other-issues.ts';
import { maxIssues } from '../../../core/kernel/report.ts';
import { inputError, relationsOf, type Rehearsal } from '../../../operations/faults.ts';
import type { InputChecks } from '../../../operations/module.ts';
import { variablePaths } from './argument-path.ts';
import type { GatewayContext } from '../context.ts';
import { argumentIssues, rehearse } from './rehearse.ts';
import { suggest } from './suggestions.ts';
import { createVariableReader, namedTypes, type Variables } from './variable-reader.ts';

export interface VariablesRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly checks: InputChecks;
  readonly context: GatewayContext;
}

/**
 * Coerces the variables of an operation. Throws one GraphQLError with the coercion errors, and all issues of the values
 * that fit, when some do not. Paths start at the argument that a variable is used for.
 */
export async function readVariables(request: VariablesRequest): Promise<Variables> {
  const { schema, document, operation, variables, checks, context } = request;
  const { values, issues, warnings } = createVariableReader(schema, operation)(
    variables,
    context.seesSchema ? suggest : undefined,
  );
  context.variableWarnings = warnings;
  if (issues.length === 0) return values;
  const paths = variablePaths(schema, document, operation);
  const inArguments = ({ path: [variable = '', ...rest], ...issue }: Issue): Issue => ({
    ...issue,
    path: [...(paths.get(variable as string) ?? [variable]), ...rest],
  });
  const coercionErrors = issues.map(inArguments);
  const names = new Set(issues.map(({ path: [variable] }) => variable as string));
  const rehearsal =
    coercionErrors.length < maxIssues
      ? await rehearse({ schema, document, operation, values, names }, context)
      : undefined;
  const others = [
    ...argumentIssues({ schema, document, operation, values, names }),
    ...bodyIssues(operation, values, checks).map(inArguments),
  ];
  throw variablesError(
    rehearsal,
    coercionErrors,
    besideCoercionErrors(coercionErrors, others, rehearsal?.issues, relationsOf(checks)),
  );
}

/** The issues that the rules of a resource find in each value alone. Paths start with the name of the variable. */
function bodyIssues(operation: OperationDefinitionNode, values: Variables, checks: InputChecks): Issue[] {
  return namedTypes(operation).flatMap(([name, type]) => {
    const found = (values[name] ?? null) === null ? [] : (checks[type]?.issuesOf(values[name]) ?? []);
    return found.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  });
}

function variablesError(
  rehearsal: Rehearsal | undefined,
  coercionErrors: readonly Issue[],
  others: readonly Issue[],
): GraphQLError {
  const error = inputError(rehearsal, coercionErrors, others);
  return error.code === 'BAD_USER_INPUT'
    ? new GraphQLError(error.message, { extensions: { issues: error.issues } })
    : new GraphQLError(error.message, { originalError: error });
}
