import type { GraphQLSchema } from 'graphql';

/** Where a router finds the SDL of a subgraph (Apollo Federation, subgraph specification). */
export const serviceField = 'Query._service';

/** The fields of a subgraph beside its own schema. It has no entities, so there is no `_entities`. */
export const serviceTypeDefs = `
"""What a router of a federated graph needs to know of this subgraph."""
type _Service {
  """The SDL of the subgraph with its Federation directives."""
  sdl: String!
}

extend type Query {
  """The subgraph as a router of a federated graph composes it. Open to whoever may introspect."""
  _service: _Service!
}
`;

/** Sets the resolver of `_service`, in place. */
export function serveSdl(schema: GraphQLSchema, sdl: string): void {
  const field = schema.getQueryType()?.getFields()._service;
  if (!field) throw new Error('the schema has no _service');
  field.resolve = () => ({ sdl });
}
