import {
  coerceInputValue,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Issue, Path } from '../core/errors.ts';
import { shorten } from './errors.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Everything that keeps the variables of an operation from fitting the schema, with paths that start at the argument
 * a variable is used for.
 */
export function variableIssues(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Issue[] {
  const places = variablePlaces(document);
  return (operation.variableDefinitions ?? []).flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    const path = places.get(name) ?? [name];
    if (!isInputType(type)) return [{ path, reason: 'invalid' as const, message: `The type of $${name} does not exist.` }];
    const value = variables[name];
    if (value === undefined || value === null) {
      const needed = isNonNullType(type) && !(value === undefined && definition.defaultValue);
      return needed ? [{ path, reason: 'required' as const, message: `$${name} needs a value of type ${String(type)}.` }] : [];
    }
    return coercionIssues(value, type, path);
  });
}

function coercionIssues(value: unknown, type: GraphQLInputType, prefix: Path): Issue[] {
  const issues: Issue[] = [];
  coerceInputValue(value, type, (path, invalid, error) => {
    const keys = (error.extensions.keys as string[] | undefined)?.map((key) => [key]) ?? [[]];
    const reason = invalid === null || invalid === undefined ? 'required' : 'invalid';
    const message = shorten(error.message) + allowedAt(type, path);
    for (const key of keys) issues.push({ path: [...prefix, ...path, ...key], reason, message });
  });
  return issues;
}

/** What an enum at this path allows, for the message. */
function allowedAt(root: GraphQLInputType, path: Path): string {
  let type = bare(root);
  for (const step of path) {
    if (typeof step === 'number') continue;
    const field = isInputObjectType(type) ? type.getFields()[step] : undefined;
    if (!field) return '';
    type = bare(field.type);
  }
  if (!isEnumType(type)) return '';
  return ` Allowed: ${type.getValues().map(({ name }) => name).join(', ')}.`;
}

function bare(type: GraphQLInputType): GraphQLInputType {
  return isNonNullType(type) || isListType(type) ? bare(type.ofType) : type;
}

/** Where each variable is used first: `{ event: $e }` gives e → ['event']. */
function variablePlaces(document: DocumentNode): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  visit(document, {
    Variable(node, _key, _parent, _path, ancestors) {
      const place = argumentPath([...ancestors.flat(), node]);
      if (place && !places.has(node.name.value)) places.set(node.name.value, place);
    },
  });
  return places;
}

/** The path from an argument down to the last of these nodes, each the parent of the next; none outside arguments. */
function argumentPath(chain: readonly (ASTNode | readonly ASTNode[])[]): Path | undefined {
  const nodes = chain.filter((node): node is ASTNode => !Array.isArray(node));
  const start = nodes.findLastIndex((node) => node.kind === Kind.ARGUMENT);
  if (start < 0) return undefined;
  const path: (string | number)[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index < start) continue;
    if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.push(node.name.value);
    const parent = nodes[index - 1];
    if (index > start && parent?.kind === Kind.LIST) path.push(parent.values.findIndex((value) => value === node));
  }
  return path;
}

/** A fault of the document itself, with the path of the argument in which it lies. */
export function withArgumentPath(error: GraphQLError, document: DocumentNode | undefined): GraphQLError {
  const faulty = error.nodes?.[0];
  let place: Path | undefined;
  if (document && faulty) {
    visit(document, {
      enter(node, _key, _parent, _path, ancestors) {
        if (node === faulty) place ??= argumentPath([...ancestors.flat(), node]);
      },
    });
  }
  const issue: Issue = { path: place ?? [], reason: 'invalid', message: shorten(error.message) };
  return new GraphQLError(error.message, { nodes: error.nodes, source: error.source, positions: error.positions, extensions: { issues: [issue] } });
}
