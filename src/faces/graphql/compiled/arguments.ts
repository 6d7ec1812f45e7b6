import { isNonNullType, Kind, valueFromAST, type FieldNode, type GraphQLArgument, type GraphQLField, type ValueNode } from 'graphql';
import { unexpected } from './leaves.ts';
import type { Variables } from '../input/variable-reader.ts';

/** The arguments of a field. Throws when one does not fit, which the full pipeline tells. */
export type ReadArguments = (variables: Variables) => Record<string, unknown>;

type ReadArgument = (variables: Variables) => unknown;

/** As the GraphQL library reads them (GraphQL, section 6.4.1): one that is not given, and has no default, is not there. */
export function argumentReader({ args }: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const values = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]));
  const readers = args.map((argument) => ({ name: argument.name, read: readerOf(argument, values.get(argument.name)) }));
  return (variables) => {
    const read: Record<string, unknown> = {};
    for (const reader of readers) {
      const value = reader.read(variables);
      if (value !== undefined) read[reader.name] = value;
    }
    return read;
  };
}

function readerOf({ type, defaultValue }: GraphQLArgument, node: ValueNode | undefined): ReadArgument {
  const required = isNonNullType(type);
  const usual = (): unknown => (defaultValue === undefined && required ? unexpected() : defaultValue);
  if (!node) return usual;
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    return (variables) => {
      const value = variables[name];
      if (value === undefined) return usual();
      return value === null && required ? unexpected() : value;
    };
  }
  // Made anew for each request, so that nobody shares it.
  return (variables) => {
    const value = valueFromAST(node, type, variables);
    return value === undefined ? unexpected() : value;
  };
}
