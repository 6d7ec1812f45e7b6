import {
  GraphQLError,
  Kind,
  valueFromAST,
  visit,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Issue } from '../../../core/kernel/errors.ts';
import { inputError, type UnfitCall } from '../../../operations/input-error.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { GatewayContext } from '../context.ts';
import { canDryRun, type RootField } from '../root-fields.ts';
import { variablePaths } from './argument-path.ts';
import { suggest } from './suggestions.ts';
import { createVariableReader, type Variables } from './variable-reader.ts';

export interface VariablesRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly context: GatewayContext;
}

/** So many root fields of an operation are asked what else is wrong with their arguments. */
const maxRootFields = 5;

/**
 * Coerces the variables of an operation. Throws one GraphQLError with the coercion errors, and all issues of the values
 * that fit, when some do not. Paths start at the argument that a variable is used for.
 */
export async function readVariables(request: VariablesRequest): Promise<Variables> {
  const { schema, document, operation, variables, context } = request;
  const { values, issues, warnings } = createVariableReader(schema, operation)(
    variables,
    context.seesSchema ? suggest : undefined,
  );
  context.variableWarnings = warnings;
  if (issues.length === 0) return values;
  const paths = variablePaths(schema, document, operation);
  const coercionErrors = issues.map(({ path: [variable = '', ...rest], ...issue }): Issue => ({
    ...issue,
    path: [...(paths.get(variable as string) ?? [variable]), ...rest],
  }));
  const names = new Set(issues.map(({ path: [variable] }) => variable as string));
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const calls = rootFieldNodes(document, operation.selectionSet)
    .slice(0, maxRootFields)
    .filter((node) => usesAny(node, names))
    .flatMap((node) => unfitCall(fields[node.name.value], node, values));
  const error = await inputError(coercionErrors, calls, context);
  throw error.code === 'BAD_USER_INPUT'
    ? new GraphQLError(error.message, { extensions: { issues: error.issues } })
    : new GraphQLError(error.message, { originalError: error });
}

/** The call of a root field with what of its arguments fits; nothing for introspection. */
function unfitCall(field: RootField | undefined, node: FieldNode, values: Variables): UnfitCall[] {
  if (!field?.extensions.operation) return [];
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const args: Record<string, unknown> = {};
  for (const { name, type, defaultValue } of field.args) {
    const read: unknown = valueFromAST(given.get(name), type, values);
    const value = read === undefined ? defaultValue : read;
    if (value !== undefined) args[name] = value;
  }
  const operation = field.extensions.operation as Operation;
  return [{ operation, args, canDryRun: canDryRun(field, args) }];
}

function rootFieldNodes(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection): FieldNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFieldNodes(document, selection.selectionSet);
    const fragment = document.definitions.find(
      (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootFieldNodes(document, fragment.selectionSet) : [];
  });
}

/** Whether an argument of a root field uses one of these variables. */
function usesAny(node: FieldNode, names: ReadonlySet<string>): boolean {
  let found = false;
  visit(
    { ...node, selectionSet: undefined },
    { Variable: ({ name }) => void (found ||= names.has(name.value)) },
  );
  return found;
}
