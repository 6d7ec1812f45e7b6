import { isRequiredArgument, Kind, type DocumentNode, type FieldNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Issue } from '../core/errors.ts';
import { argumentPath } from './argument-path.ts';
import { shorten } from './errors.ts';
import { errorWithIssues } from './input-errors.ts';

/** A fault of the document itself, with the path of the argument that is wrong or missing. */
export function documentError(error: GraphQLError, schema: GraphQLSchema, document: DocumentNode | undefined): GraphQLError {
  const faulty = error.nodes?.[0];
  const message = shorten(error.message);
  const missing = faulty?.kind === Kind.FIELD && error.nodes?.length === 1 ? missingArguments(faulty, schema) : [];
  const required = missing.filter((name) => message.includes(`"${name}"`));
  const issues: Issue[] = required.length > 0
    ? required.map((name) => ({ path: [name], reason: 'required', message }))
    : [{ path: (document && faulty && argumentPath(document, faulty)) ?? [], reason: 'invalid', message }];
  return errorWithIssues(error, message, issues);
}

/** The arguments a root field needs and does not have. */
function missingArguments({ name, arguments: given = [] }: FieldNode, schema: GraphQLSchema): string[] {
  const field = schema.getQueryType()?.getFields()[name.value] ?? schema.getMutationType()?.getFields()[name.value];
  return (field?.args ?? [])
    .filter((arg) => isRequiredArgument(arg) && !given.some((one) => one.name.value === arg.name))
    .map((arg) => arg.name);
}
