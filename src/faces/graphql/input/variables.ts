import { GraphQLError, isInputType, isNonNullType, typeFromAST, valueFromAST, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { errorOf, type Issue, type Path } from '../../../core/kernel/errors.ts';
import { besideCoercionErrors } from '../../../core/kernel/coercion-errors.ts';
import type { InputChecks } from '../../../operations/module.ts';
import { maxIssues } from '../answer/bounds.ts';
import { variablePlaces } from './argument-path.ts';
import type { GatewayContext } from '../context.ts';
import { bare, Fitter, coercionError } from './fit.ts';
import { rehearse, type Rehearsal } from './rehearse.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface VariablesRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Fields;
  readonly checks: InputChecks;
  readonly context: GatewayContext;
}

interface FittedVariable {
  readonly name: string;
  /** The named type, for the rules of its resource. */
  readonly type: string;
  /** What of the value fits; `coercionError` for nothing. */
  readonly value: unknown;
  /** Where it does not fit; paths start at the variable. */
  readonly issues: readonly Issue[];
}

/**
 * The variables of an operation as its schema has them, `__typename` of objects left out. Throws one GraphQLError with all
 * that is wrong when some do not fit: where they do not, and what there is to say of the rest. Its paths start at the
 * argument a variable is used for.
 */
export async function readVariables(request: VariablesRequest): Promise<Record<string, unknown>> {
  const { schema, document, operation, variables, checks, context } = request;
  const fitted = fitVariables(schema, operation, variables);
  const fitting = Object.fromEntries(fitted.flatMap(({ name, value }) => (value === undefined || value === coercionError ? [] : [[name, value]])));
  const wrong = fitted.filter(({ issues }) => issues.length > 0);
  if (wrong.length === 0) return fitting;
  const places = variablePlaces(schema, document, operation);
  const coercionErrors = wrong.flatMap(({ name, issues }) => issues.map((issue) => ({ ...issue, path: [...(places.get(name) ?? [name]), ...issue.path] })));
  // Where as much is wrong as is told, there is nothing to add.
  const names = new Set(wrong.map(({ name }) => name));
  const rehearsal = coercionErrors.length < maxIssues ? await rehearse({ schema, document, operation, fitting, names }, context) : undefined;
  throw variablesError(rehearsal, coercionErrors, besideCoercionErrors(coercionErrors, bodyIssues(fitted, places, checks), rehearsal?.issues));
}

function fitVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Fields): FittedVariable[] {
  let left = maxIssues;
  return (operation.variableDefinitions ?? []).map((definition): FittedVariable => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return { name, type: '', value: undefined, issues: [] }; // not in a document that was validated
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined || value === null) {
      const absent = value === undefined && definition.defaultValue;
      if (!isNonNullType(type) || absent) return { name, type: bare(type).name, value: absent ? valueFromAST(definition.defaultValue, type) : value, issues: [] };
      return { name, type: bare(type).name, value: coercionError, issues: [{ path: [], reason: 'required', message: `$${name} needs a value of type ${String(type)}.` }] };
    }
    const fitter = new Fitter(Math.max(left, 1));
    const fitting = fitter.fit(value, type);
    left -= fitter.issues.length;
    return { name, type: bare(type).name, value: fitting, issues: fitter.issues };
  });
}

/** What the resources' own rules say of the values by themselves. */
function bodyIssues(fitted: readonly FittedVariable[], places: ReadonlyMap<string, Path>, checks: InputChecks): Issue[] {
  return fitted.flatMap(({ name, type, value }) => {
    const broken = value === coercionError || value === undefined || value === null ? [] : (checks[type]?.(value) ?? []);
    return broken.map((issue) => ({ ...issue, path: [...(places.get(name) ?? [name]), ...issue.path] }));
  });
}

function variablesError(rehearsal: Rehearsal | undefined, coercionErrors: readonly Issue[], broken: readonly Issue[]): GraphQLError {
  const { code = 'BAD_USER_INPUT', details } = rehearsal ?? {};
  const isRefused = code !== 'BAD_USER_INPUT';
  // A refusal comes first: the error's reason is that of its first issue.
  const told = (isRefused ? [...broken, ...coercionErrors] : [...coercionErrors, ...broken]).slice(0, maxIssues);
  const error = errorOf(code, told, details);
  return isRefused ? new GraphQLError(error.message, { originalError: error }) : new GraphQLError(error.message, { extensions: { issues: told } });
}
