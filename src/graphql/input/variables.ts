import { GraphQLError, isInputType, isNonNullType, typeFromAST, valueFromAST, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { errorOf, type Issue, type Path } from '../../core/kernel/errors.ts';
import { maxIssues } from '../answer/bounds.ts';
import { variablePlaces } from './argument-path.ts';
import { bare, Fitter, misfit } from './fit.ts';

type Fields = Readonly<Record<string, unknown>>;

/** By name of an input type: what a resource says of a value by itself, paths from the value on. */
export type InputChecks = Readonly<Record<string, (value: unknown) => readonly Issue[]>>;

interface FittedVariable {
  readonly name: string;
  /** The named type, for the rules of its resource. */
  readonly type: string;
  /** What of the value fits; `misfit` for nothing. */
  readonly value: unknown;
  /** Where it does not fit; paths start at the variable. */
  readonly issues: readonly Issue[];
}

/**
 * The variables of an operation as its schema has them, `__typename` of objects left out. Throws one GraphQLError with all
 * that is wrong when some do not fit: where they do not, and what the resources' own rules say of the rest. Its paths
 * start at the argument a variable is used for.
 */
export function readVariables(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, variables: Fields, checks: InputChecks): Record<string, unknown> {
  const fitted = fitVariables(schema, operation, variables);
  if (fitted.some(({ issues }) => issues.length > 0)) throw variablesError(fitted, variablePlaces(schema, document, operation), checks);
  return Object.fromEntries(fitted.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
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
      return { name, type: bare(type).name, value: misfit, issues: [{ path: [], reason: 'required', message: `$${name} needs a value of type ${String(type)}.` }] };
    }
    const fitter = new Fitter(Math.max(left, 1));
    const fitting = fitter.fit(value, type);
    left -= fitter.issues.length;
    return { name, type: bare(type).name, value: fitting, issues: fitter.issues };
  });
}

function variablesError(fitted: readonly FittedVariable[], places: ReadonlyMap<string, Path>, checks: InputChecks): GraphQLError {
  const all: Issue[] = [];
  for (const { name, type, value, issues } of fitted) {
    if (all.length >= maxIssues) break;
    // Rules that a value breaks only because a part of it did not fit are no news.
    const broken = value === misfit || value === undefined || value === null ? [] : (checks[type]?.(value) ?? []).filter((issue) => !concernsAny(issue, issues));
    const path = places.get(name) ?? [name];
    for (const issue of issues) all.push({ ...issue, path: [...path, ...issue.path] });
    for (const issue of broken.slice(0, maxIssues)) all.push({ ...issue, path: [...path, ...issue.path] });
  }
  const told = all.slice(0, maxIssues);
  return new GraphQLError(errorOf('BAD_USER_INPUT', told).message, { extensions: { issues: told } });
}

/** True when an issue speaks of a place that did not fit, or of something around it that is wrong for that reason. */
function concernsAny(issue: Issue, misfits: readonly Issue[]): boolean {
  return misfits.some(({ path }) => path.every((step, index) => issue.path[index] === step));
}
