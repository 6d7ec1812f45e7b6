import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../context.ts';
import { readVariables } from '../input/variables.ts';
import { clientErrors } from './client-errors.ts';

/** Coerces the variables of operations that fit the schema, and gives errors their final form. */
export const answers = (schema: GraphQLSchema): ApolloServerPlugin<GatewayContext> => ({
  // Apollo replaces the error by one without its message.
  unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) => {
    contextValue.log.error({ err: error, requestId: contextValue.requestId }, 'the GraphQL engine failed');
  },
  requestDidStart: async () => ({
    didResolveOperation: async ({ request, contextValue }) => {
      request.variables = await readVariables(schema, contextValue);
    },
    willSendResponse: async ({ response: { body }, errors, document, contextValue }) => {
      if (body.kind === 'single' && errors)
        body.singleResult.errors = clientErrors(errors, schema, contextValue, document);
    },
  }),
});
