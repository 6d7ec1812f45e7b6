import {
  coerceInputValue,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type DocumentNode,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Issue, Path } from '../core/errors.ts';
import { isFields } from '../core/patch.ts';
import { printPath } from '../core/path.ts';
import { throughLists, variablePlaces } from './argument-path.ts';
import { maxIssues } from './bounds.ts';
import { shorten } from './errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** By name of an input type: what a resource says of a value by itself, paths from the value on. */
export type InputChecks = Readonly<Record<string, (value: unknown) => Issue[]>>;

/**
 * Everything that is wrong with the variables of an operation, when some of them do not fit the schema: where they do
 * not fit, and what the resources' own rules say of the rest. Paths start at the argument a variable is used for.
 */
export function variableIssues(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Fields,
  checks: InputChecks,
): Issue[] {
  const places = variablePlaces(schema, document, operation);
  return (operation.variableDefinitions ?? []).flatMap((definition): Issue[] => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    const path = places.get(name) ?? [name];
    if (!isInputType(type)) return [];
    const value = variables[name];
    if (value === undefined || value === null) {
      const needed = isNonNullType(type) && !(value === undefined && definition.defaultValue);
      return needed ? [{ path, reason: 'required', message: `$${name} needs a value of type ${String(type)}.` }] : [];
    }
    const misfits = misfitIssues(value, type);
    const rules = misfits.length > maxIssues ? undefined : checks[bare(type).name];
    if (!rules) return misfits.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
    const fitting = without(value, misfits.map((issue) => issue.path));
    // Coerced like any input, so that the rules see a list where a client sent its only entry.
    const rest = rules(coerceInputValue(fitting, type, () => undefined)).filter((issue) => !concernsAny(issue, misfits));
    return [...misfits, ...rest].map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  });
}

/** Where a value does not fit its type. */
function misfitIssues(value: unknown, type: GraphQLInputType): Issue[] {
  const issues = new Map<string, Issue>();
  const objects = new Set<unknown>(); // each is told of once for every field it must not have
  const add = (issue: Issue): unknown => issues.set(printPath(issue.path), issue);
  coerceInputValue(value, type, (place, invalid, error) => {
    const path = throughLists(place, type);
    const at = typeAt(type, path);
    const message = shorten(error.message);
    const keys = error.extensions.keys as string[] | undefined;
    if (isInputObjectType(at) && isFields(invalid)) {
      if (!objects.has(invalid)) fieldIssues(invalid, at, path).forEach(add);
      objects.add(invalid);
    } else if (keys) keys.forEach((key) => add({ path: [...path, key], reason: 'invalid', message }));
    else if (invalid === null || invalid === undefined) add({ path, reason: 'required', message: 'This must not be null.' });
    else add({ path, reason: 'invalid', message: isEnumType(at) ? notAllowedBy(at) : message });
  });
  return [...issues.values()];
}

/** The fields an input object must not have, and those it lacks. */
function fieldIssues(value: Fields, type: ReturnType<typeof typeAt>, path: Path): Issue[] {
  if (!isInputObjectType(type)) return [];
  const fields = type.getFields();
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name) && !(name in fields));
  const missing = Object.values(fields).filter(
    ({ name, type: of, defaultValue }) => isNonNullType(of) && defaultValue === undefined && value[name] === undefined,
  );
  return [
    ...unknown.map((name): Issue => ({ path: [...path, name], reason: 'invalid', message: `${type.name} has no field ${shorten(name)}.` })),
    ...missing.map(({ name }): Issue => ({ path: [...path, name], reason: 'required', message: `${name} is required.` })),
  ];
}

/** The value with everything left out that does not fit. Entries of lists keep their places; a single one is at 0. */
function without(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return undefined;
  const below = (step: string | number): Path[] => paths.filter(([first]) => first === step).map((path) => path.slice(1));
  if (Array.isArray(value)) return value.map((entry, index) => without(entry, below(index)) ?? null);
  if (!isFields(value)) return value;
  if (typeof paths[0]?.[0] === 'number') return without(value, below(0));
  const entries = Object.entries(value).map(([name, field]) => [name, without(field, below(name))] as const);
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined));
}

/** True when an issue speaks of a place that did not fit, or of something around it that is wrong for that reason. */
function concernsAny(issue: Issue, misfits: readonly Issue[]): boolean {
  return misfits.some(({ path }) => path.every((step, index) => issue.path[index] === step));
}

function typeAt(root: GraphQLInputType, path: Path) {
  let type = bare(root);
  for (const step of path) {
    if (typeof step === 'number') continue;
    const field = isInputObjectType(type) ? type.getFields()[step] : undefined;
    if (field) type = bare(field.type);
  }
  return type;
}

function notAllowedBy(type: GraphQLEnumType): string {
  return `This value is not allowed here. Allowed: ${type.getValues().map(({ name }) => name).join(', ')}.`;
}

type NamedInput = Exclude<GraphQLInputType, { readonly ofType: unknown }>;

function bare(type: GraphQLInputType): NamedInput {
  return isNonNullType(type) || isListType(type) ? bare(type.ofType) : type;
}

export function errorWithIssues({ nodes, source, positions, path }: GraphQLError, message: string, issues: readonly Issue[]): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { issues } });
}
