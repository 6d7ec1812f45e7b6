import type { ApolloServerPlugin, GraphQLRequestContext } from '@apollo/server';
import { GraphQLError, OperationTypeNode, type GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../context.ts';
import { clientError, type ClientError } from '../errors.ts';
import { createDocumentErrors } from '../input/document-errors.ts';
import { readVariables, type InputChecks } from '../input/variables.ts';
import { bounded, maxErrors } from './bounds.ts';

type Request = GraphQLRequestContext<GatewayContext>;

/** Reads the variables of an operation that fits the schema, and gives errors their final form. */
export function answers(schema: GraphQLSchema, checks: InputChecks): ApolloServerPlugin<GatewayContext> {
  return {
    // What Apollo throws in its place tells nothing.
    unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) => {
      contextValue.log.error({ err: error, requestId: contextValue.requestId }, 'the GraphQL engine failed');
    },
    requestDidStart: async () => ({
      didResolveOperation: async ({ request, document, operation }) => {
        if (!operation) return; // was found before
        request.variables = readVariables(schema, document, operation, request.variables ?? {}, checks);
      },
      willSendResponse: async (request) => {
        const { body } = request.response;
        if (body.kind === 'single' && request.errors) body.singleResult.errors = clientErrors(request, schema);
      },
    }),
  };
}

function clientErrors({ errors = [], document, operation, contextValue }: Request, schema: GraphQLSchema): ClientError[] {
  const { requestId, log } = contextValue;
  const told = errors.filter(({ path }, index) => path !== undefined || index < maxErrors);
  const ofDocument = told.filter(isOfDocument);
  const documentError = document && ofDocument.length > 0 ? createDocumentErrors(schema, document, ofDocument) : undefined;
  return bounded(
    told.map((error) => {
      // Below the root field of a mutation, what was asked for is done.
      const done = operation?.operation === OperationTypeNode.MUTATION && (error.path?.length ?? 0) > 1;
      return clientError(documentError && isOfDocument(error) ? documentError(error) : error, requestId, log, done);
    }),
  );
}

/** True for faults that the GraphQL library finds in the document, some of them only when it reads an argument. */
const isOfDocument = ({ extensions, path, originalError }: GraphQLError): boolean =>
  extensions.code === 'GRAPHQL_VALIDATION_FAILED' || (path !== undefined && originalError instanceof GraphQLError);
