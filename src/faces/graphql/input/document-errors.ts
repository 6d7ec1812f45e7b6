import {
  type ASTNode,
  type DocumentNode,
  getNullableType,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import type { Issue, Path } from '../../../core/errors.ts';
import { shorten } from '../../../core/text/characters.ts';
import { schemaNames } from '../../../google/api-differences.ts';

/** Path of a value, starting with its argument, and the type expected there. */
interface ArgumentPath {
  readonly path: Path;
  readonly type: GraphQLInputType | undefined;
}

/** Finds the path of each variable's first use in an operation and its fragments: `{ event: $e }` gives e → ['event']. */
export function findVariablePaths(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlyMap<string, Path> {
  const paths = new Map<string, Path>();
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  for (const [node, { path }] of findArgumentPaths(schema, {
    ...document,
    definitions: [operation, ...fragments],
  }))
    if (node.kind === Kind.VARIABLE && !paths.has(node.name.value)) paths.set(node.name.value, path);
  return paths;
}

/** Finds the paths of all arguments in a document, and of all values in them. */
function findArgumentPaths(
  schema: GraphQLSchema,
  document: DocumentNode,
): ReadonlyMap<ASTNode, ArgumentPath> {
  const paths = new Map<ASTNode, ArgumentPath>();
  const typeInfo = new TypeInfo(schema);
  const addNamed = (node: ASTNode, value: ValueNode, argumentPath: ArgumentPath): void => {
    paths.set(node, argumentPath);
    addValue(value, argumentPath);
  };
  const addValue = (node: ValueNode, { path, type }: ArgumentPath): void => {
    paths.set(node, { path, type });
    let nullableType = getNullableType(type);
    if (node.kind === Kind.LIST) {
      const entryType = isListType(nullableType) ? (nullableType.ofType as GraphQLInputType) : undefined;
      for (const [index, value] of node.values.entries())
        addValue(value, { path: [...path, index], type: entryType });
    } else if (node.kind === Kind.OBJECT) {
      // A single value is coerced to a list of one, and resources see that list.
      const valuePath: (string | number)[] = [...path];
      for (; isListType(nullableType); nullableType = getNullableType(nullableType.ofType)) valuePath.push(0);
      const fields = isInputObjectType(nullableType) ? nullableType.getFields() : {};
      for (const field of node.fields)
        addNamed(field, field.value, {
          path: [...valuePath, field.name.value],
          type: fields[field.name.value]?.type,
        });
    }
  };
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument: (node) =>
        addNamed(node, node.value, { path: [node.name.value], type: typeInfo.getInputType() ?? undefined }),
    }),
  );
  return paths;
}

/** Creates a function that adds the path of the wrong or missing argument to a validation error. */
export function createErrorLocator(
  schema: GraphQLSchema,
  document: DocumentNode,
  maySeeSchema: boolean,
): (error: GraphQLError) => GraphQLError {
  const paths = findArgumentPaths(schema, document);
  return (error) => {
    const { nodes, source, positions, path } = error;
    const message = shorten(improveSuggestions(error.message, schema, maySeeSchema));
    const issues = toIssues(error, message, paths);
    return new GraphQLError(issues[0]?.message ?? '', {
      nodes,
      source,
      positions,
      path,
      extensions: { issues },
    });
  };
}

/** Derives the issues of a validation error from its nodes and its message. */
function toIssues(
  { nodes = [], extensions }: GraphQLError,
  message: string,
  paths: ReadonlyMap<ASTNode, ArgumentPath>,
): Issue[] {
  const [firstNode] = nodes;
  const missingArgument = /^Field "\w+" argument "(\w+)" of type "[^"]+" is required/.exec(message)?.[1];
  if (missingArgument !== undefined) return [{ path: [missingArgument], reason: 'required', message }];
  const locatedNode = nodes.find((node) => paths.has(node));
  const { path, type } = (locatedNode && paths.get(locatedNode)) ?? { path: [], type: undefined };
  if (firstNode?.kind === Kind.STRING && isEnumType(type) && type.getValue(firstNode.value)) {
    return [
      {
        path,
        reason: 'invalid',
        message: `Write ${firstNode.value} without quotes: it is a value of the enum ${type.name}.`,
      },
    ];
  }
  const keys = extensions.keys as readonly string[] | undefined;
  if (keys) return keys.map((key) => ({ path: [...path, key], reason: 'invalid', message }));
  const missingField = /^Field "\w+\.(\w+)" of required type/.exec(message)?.[1];
  if (missingField !== undefined) return [{ path: [...path, missingField], reason: 'required', message }];
  return [{ path, reason: firstNode?.kind === Kind.NULL ? 'required' : 'invalid', message }];
}

/** Suggests schema names that resemble an unknown name, or replace a name from Google's APIs. */
export const suggestNames = (name: string, knownNames: readonly string[]): string =>
  suggestReplacements(name, knownNames) || didYouMean(suggestionList(name, knownNames));

function suggestReplacements(name: string, knownNames: readonly string[]): string {
  const names = Object.hasOwn(schemaNames, name) ? (schemaNames[name] ?? []) : [];
  return didYouMean(names.filter((candidate) => knownNames.includes(candidate)));
}

/** Matches graphql-js messages about unknown names: the name, the type, and for arguments the field. */
const unknownNamePattern =
  /^(?:Unknown argument|Cannot query field|Field) "(\w+)" (?:on field|on type|is not defined by type) "(\w+)(?:\.(\w+))?"\./;

/** Improves the suggestions in a graphql-js message, or removes them for callers who may not see the schema. */
function improveSuggestions(message: string, schema: GraphQLSchema, isSchemaVisible: boolean): string {
  const messageWithoutHint = message.replace(/ ?Did you mean(.+?)\?$/, '');
  const [, name, typeName = '', fieldName] = unknownNamePattern.exec(message) ?? [];
  const type = schema.getType(typeName);
  if (!isSchemaVisible) return messageWithoutHint;
  if (name === undefined || !(isObjectType(type) || isInputObjectType(type))) return message;
  const fields = type.getFields();
  const definition = fieldName === undefined ? undefined : fields[fieldName];
  const knownNames =
    definition && 'args' in definition ? definition.args.map((arg) => arg.name) : Object.keys(fields);
  const suggestion = suggestReplacements(name, knownNames);
  return suggestion === '' ? message : messageWithoutHint + suggestion;
}
