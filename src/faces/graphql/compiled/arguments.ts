import {
  isNonNullType,
  Kind,
  valueFromAST,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type ValueNode,
} from 'graphql';
import { unexpected } from './leaves.ts';
import type { Variables } from '../input/variable-reader.ts';

/** Reads the arguments of a field. Throws for a coercion error, which the full pipeline reports. */
export type ReadArguments = (variables: Variables) => Record<string, unknown>;

type ReadArgument = (variables: Variables) => unknown;

/** Reads arguments as the GraphQL library does (GraphQL, section 6.4.1): those without value and default are absent. */
export function argumentReader({ args }: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const values = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]));
  const readers = args.map((argument) => ({
    name: argument.name,
    read: readerOf(argument, values.get(argument.name)),
  }));
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
  // A new object for each request: requests must not share it.
  return (variables) => {
    const value = valueFromAST(node, type, variables);
    return value === undefined ? unexpected() : value;
  };
}
