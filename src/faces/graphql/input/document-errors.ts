import { GraphQLError, isEnumType, Kind, type ASTNode, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Issue } from '../../../core/kernel/errors.ts';
import { shorten } from '../../../core/text/characters.ts';
import { withSuggestions } from './suggestions.ts';
import { argumentPaths, type ArgumentPath } from './argument-path.ts';

/** Adds to the errors of a document's validation the path of the wrong or missing argument. `seesSchema`: for a caller who may see it. */
export function createDocumentErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  errors: readonly GraphQLError[],
  seesSchema: boolean,
): (error: GraphQLError) => GraphQLError {
  const paths = argumentPaths(
    schema,
    document,
    errors.flatMap(({ nodes }) => nodes ?? []),
  );
  return (error) => {
    const { nodes, source, positions, path } = error;
    const message = shorten(withSuggestions(error.message, schema, seesSchema));
    const issues = documentIssues(error, message, paths);
    return new GraphQLError(issues[0]?.message ?? '', {
      nodes,
      source,
      positions,
      path,
      extensions: { issues },
    });
  };
}

function documentIssues(
  { nodes = [], extensions }: GraphQLError,
  message: string,
  paths: ReadonlyMap<ASTNode, ArgumentPath>,
): Issue[] {
  const [faulty] = nodes;
  const missing = /^Field "\w+" argument "(\w+)" of type "[^"]+" is required/.exec(message)?.[1];
  if (missing !== undefined) return [{ path: [missing], reason: 'required', message }];
  const known = nodes.find((node) => paths.has(node));
  const { path, type } = (known && paths.get(known)) ?? { path: [], type: undefined };
  if (faulty?.kind === Kind.STRING && isEnumType(type) && type.getValue(faulty.value)) {
    return [
      {
        path,
        reason: 'invalid',
        message: `Write ${faulty.value} without quotes: it is a value of the enum ${type.name}.`,
      },
    ];
  }
  const keys = extensions.keys as readonly string[] | undefined;
  if (keys) return keys.map((key) => ({ path: [...path, key], reason: 'invalid', message }));
  const field = /^Field "\w+\.(\w+)" of required type/.exec(message)?.[1];
  if (field !== undefined) return [{ path: [...path, field], reason: 'required', message }];
  return [{ path, reason: faulty?.kind === Kind.NULL ? 'required' : 'invalid', message }];
}
