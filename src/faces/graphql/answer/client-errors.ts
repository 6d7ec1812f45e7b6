import { GraphQLError, OperationTypeNode, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../context.ts';
import { clientError, type ClientError } from '../errors.ts';
import { createDocumentErrors } from '../input/document-errors.ts';
import { bounded, maxErrors } from './bounds.ts';

/** The errors of an operation in their final form. `document`: the one that their nodes are of, where it was parsed once more. */
export function clientErrors(
  errors: readonly unknown[],
  schema: GraphQLSchema,
  { admitted: { operation }, seesSchema, requestId, log }: GatewayContext,
  document: DocumentNode = operation.document.node,
): ClientError[] {
  const bound = errors.filter((error, index) => pathOf(error) !== undefined || index < maxErrors);
  const ofDocument = bound.filter(isOfDocument);
  const documentError =
    ofDocument.length > 0 ? createDocumentErrors(schema, document, ofDocument, seesSchema) : undefined;
  return bounded(
    bound.map((error) => {
      // An error below the root field of a mutation: the mutation itself was carried out.
      const isBelow = (pathOf(error)?.length ?? 0) > 1;
      const done = isBelow && operation.node.operation === OperationTypeNode.MUTATION;
      const known = documentError && isOfDocument(error) ? documentError(error) : error;
      return clientError(known, requestId, log, done);
    }),
  );
}

const pathOf = (error: unknown) => (error instanceof GraphQLError ? error.path : undefined);

/** True for errors of validation; the GraphQL library finds some of them only when it reads an argument. */
const isOfDocument = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError &&
  (error.path === undefined
    ? error.nodes !== undefined && error.extensions.issues === undefined
    : error.originalError instanceof GraphQLError);
