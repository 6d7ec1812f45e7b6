import {
  Kind,
  OperationTypeNode,
  TypeNameMetaFieldDef,
  visit,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../context.ts';
import { argumentReader, type ReadArguments } from './arguments.ts';
import { fieldsOf, NotCompiled, type Scope, type SelectedField } from './selection.ts';
import { createVariableReader, type VariableReader, type Variables } from '../input/variable-reader.ts';
import { WriterFactory, type WriteRoot } from './writer.ts';

/** A root field, ready to be run. */
export interface Root {
  readonly key: string;
  /** The text before its value in the answer. */
  readonly head: string;
  readonly resolve: GraphQLFieldResolver<undefined, GatewayContext>;
  readonly readArguments: ReadArguments;
  readonly info: Omit<GraphQLResolveInfo, 'variableValues'>;
  readonly write: WriteRoot;
}

/** An operation that was compiled. */
export interface Plan {
  /** Its size in bytes (estimated). */
  readonly size: number;
  readonly isMutation: boolean;
  readonly readVariables: VariableReader;
  /** The root fields that the conditions of the document include. Throws for a condition that is neither true nor false. */
  readonly rootsFor: (variables: Variables) => readonly Root[];
}

/** The selections of an operation are compiled for each combination of its conditions. */
const maxConditions = 3;
/** Memory that a parsed document takes for each character, and a compiled plan for each field (estimates). */
const bytesPerCharacter = 50;
const bytesPerField = 400;

/** Compiles an operation of a document that fits the schema. Throws NotCompiled for what is left to the library. */
export function compilePlan(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Plan {
  const type =
    operation.operation === OperationTypeNode.SUBSCRIPTION
      ? undefined
      : schema.getRootType(operation.operation);
  if (!type) throw new NotCompiled('a subscription');
  const fragmentNodes = document.definitions.filter(
    (one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION,
  );
  const fragments = new Map(fragmentNodes.map((one) => [one.name.value, one]));
  const conditions = conditionsOf(document);
  const known = {
    parentType: type,
    schema,
    fragments: Object.fromEntries(fragments),
    rootValue: undefined,
    operation,
  };
  const compile = (isTrue: Scope['isTrue']): { readonly roots: readonly Root[]; readonly fields: number } => {
    const factory = new WriterFactory({ fragments, isTrue });
    const selected = fieldsOf({ fragments, isTrue }, type, [operation.selectionSet]);
    return {
      roots: selected.map((field) => rootOf(field, type, known, factory)),
      fields: factory.fields + selected.length,
    };
  };
  const variants = new Map<string, readonly Root[]>();
  const signature = (isTrue: Scope['isTrue']): string =>
    conditions.map((name) => (isTrue(name) ? '1' : '0')).join('');
  const all = compile(() => true);
  variants.set(
    signature(() => true),
    all.roots,
  );
  return {
    size:
      (document.loc?.source.body.length ?? 0) * bytesPerCharacter +
      Math.max(all.fields, compile(() => false).fields) * bytesPerField * 2 ** conditions.length,
    isMutation: operation.operation === OperationTypeNode.MUTATION,
    readVariables: createVariableReader(schema, operation),
    rootsFor: (variables) => {
      // A variable with a default may be null: an error that the library reports.
      if (conditions.some((name) => typeof variables[name] !== 'boolean'))
        throw new TypeError('a condition that is no boolean');
      const isTrue = (name: string): boolean => variables[name] === true;
      const key = conditions.length === 0 ? '' : signature(isTrue);
      let roots = variants.get(key);
      if (!roots) variants.set(key, (roots = compile(isTrue).roots));
      return roots;
    },
  };
}

/** The variables of `@skip` and `@include`. */
function conditionsOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  if (names.size > maxConditions) throw new NotCompiled('many conditions');
  return [...names];
}

type Info = Pick<GraphQLResolveInfo, 'parentType' | 'schema' | 'fragments' | 'rootValue' | 'operation'>;

function rootOf(field: SelectedField, type: GraphQLObjectType, info: Info, factory: WriterFactory): Root {
  const { key, nodes, definition } = field;
  const isTypeName = definition === TypeNameMetaFieldDef;
  const resolve = isTypeName ? () => type.name : definition.resolve;
  if (!resolve) throw new NotCompiled('a root field without a resolver');
  return {
    key,
    head: `${JSON.stringify(key)}:`,
    resolve,
    readArguments: argumentReader(definition, nodes[0]),
    info: {
      ...info,
      fieldName: definition.name,
      fieldNodes: [...nodes],
      returnType: definition.type,
      path: { prev: undefined, key, typename: type.name },
    },
    write: isTypeName ? () => JSON.stringify(type.name) : factory.rootWriter(field),
  };
}
