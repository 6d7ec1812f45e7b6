import { isEnumType, isRequiredArgument, Kind, type DocumentNode, type FieldNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Issue } from '../core/errors.ts';
import { argumentPlace } from './argument-path.ts';
import { shorten } from './errors.ts';
import { errorWithIssues } from './input-errors.ts';

/** A fault of the document itself, with the path of the argument that is wrong or missing. */
export function documentError(error: GraphQLError, schema: GraphQLSchema, document: DocumentNode | undefined): GraphQLError {
  const issues = documentIssues(error, shorten(error.message), schema, document);
  return errorWithIssues(error, issues[0]?.message ?? '', issues);
}

function documentIssues({ nodes = [], extensions }: GraphQLError, message: string, schema: GraphQLSchema, document?: DocumentNode): Issue[] {
  const [faulty] = nodes;
  const missing = faulty?.kind === Kind.FIELD && nodes.length === 1 ? missingArguments(faulty, schema) : [];
  const required = missing.filter((name) => message.includes(`"${name}"`));
  if (required.length > 0) return required.map((name) => ({ path: [name], reason: 'required', message }));
  const { path, type } = (document && argumentPlace(schema, document, nodes)) ?? { path: [] };
  if (faulty?.kind === Kind.STRING && isEnumType(type) && type.getValue(faulty.value)) {
    return [{ path, reason: 'invalid', message: `Write ${faulty.value} without quotes: it is a value of the enum ${type.name}.` }];
  }
  const keys = extensions.keys as readonly string[] | undefined;
  if (keys) return keys.map((key) => ({ path: [...path, key], reason: 'invalid', message }));
  const field = /^Field "\w+\.(\w+)" of required type/.exec(message)?.[1];
  if (field !== undefined) return [{ path: [...path, field], reason: 'required', message }];
  return [{ path, reason: faulty?.kind === Kind.NULL ? 'required' : 'invalid', message }];
}

/** The arguments a root field needs and does not have. */
function missingArguments({ name, arguments: given = [] }: FieldNode, schema: GraphQLSchema): string[] {
  const field = schema.getQueryType()?.getFields()[name.value] ?? schema.getMutationType()?.getFields()[name.value];
  return (field?.args ?? [])
    .filter((arg) => isRequiredArgument(arg) && !given.some((one) => one.name.value === arg.name))
    .map((arg) => arg.name);
}
