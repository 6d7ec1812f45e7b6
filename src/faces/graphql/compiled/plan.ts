import {
  getArgumentValues,
  OperationTypeNode,
  TypeNameMetaFieldDef,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { createVariableReader, type VariableReader, type Variables } from '../input/variable-reader.ts';
import type { OperationFields, RootInfo } from '../request/selected-fields.ts';
import { answerFields, NotCompiled, rootWriter, type AnswerField, type WriteRoot } from './writer.ts';

/** A root field, ready to be run. */
export interface Root {
  readonly key: string;
  /** The text before its value in the answer. */
  readonly head: string;
  readonly resolve: (root: undefined, args: object, context: unknown, info: RootInfo) => unknown;
  /** Throws for a coercion error. */
  readonly readArguments: (variables: Variables) => Record<string, unknown>;
  readonly info: Omit<RootInfo, 'variableValues'>;
  readonly write: WriteRoot;
}

/** An operation that was compiled. */
export interface Plan {
  readonly isMutation: boolean;
  readonly readVariables: VariableReader;
  /** The root fields that the conditions of the document include. Throws for a condition that is neither true nor false. */
  readonly rootsFor: (variables: Variables) => readonly Root[];
}

/** The selections of an operation are compiled for each combination of its conditions. */
export const maxConditions = 3;

/** Compiles an operation of a document that fits the schema. Throws NotCompiled for what is left to the library. */
export function compilePlan(
  schema: GraphQLSchema,
  { node: operation, fields, conditionNames }: OperationFields,
): Plan {
  const type =
    operation.operation === OperationTypeNode.SUBSCRIPTION
      ? undefined
      : schema.getRootType(operation.operation);
  if (!type) throw new NotCompiled('a subscription');
  if (conditionNames.length > maxConditions) throw new NotCompiled('many conditions');
  const variants = new Map<string, readonly Root[]>();
  const rootsFor = (variables: Variables): readonly Root[] => {
    // A variable with a default may be null: an error that the library reports.
    if (conditionNames.some((name) => typeof variables[name] !== 'boolean'))
      throw new TypeError('a condition that is no boolean');
    const key = conditionNames.map((name) => (variables[name] === true ? '1' : '0')).join('');
    let roots = variants.get(key);
    if (!roots)
      variants.set(key, (roots = answerFields(type, fields, variables).map((field) => rootOf(field, type))));
    return roots;
  };
  // Compiles the two extreme combinations, so that most documents that cannot be compiled are known at once.
  for (const value of [true, false])
    rootsFor(Object.fromEntries(conditionNames.map((name) => [name, value])));
  return {
    isMutation: operation.operation === OperationTypeNode.MUTATION,
    readVariables: createVariableReader(schema, operation),
    rootsFor,
  };
}

function rootOf(field: AnswerField, type: GraphQLObjectType): Root {
  const { key, selectedBy, definition } = field;
  const isTypeName = definition === TypeNameMetaFieldDef;
  const resolve = isTypeName ? () => type.name : definition.resolve;
  if (!resolve) throw new NotCompiled('a root field without a resolver');
  return {
    key,
    head: `${JSON.stringify(key)}:`,
    // Resolvers of root fields read no more of their info than `RootInfo` has.
    resolve: resolve as unknown as Root['resolve'],
    readArguments: (variables) => getArgumentValues(definition, selectedBy[0].node, variables),
    info: {
      fieldNodes: selectedBy.map(({ node }) => node),
      path: { prev: undefined, key, typename: type.name },
    },
    write: isTypeName ? () => JSON.stringify(type.name) : rootWriter(field),
  };
}
