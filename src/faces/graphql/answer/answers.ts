import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../context.ts';
import { readVariables } from '../input/variables.ts';
import { clientErrors } from './client-errors.ts';

/** Coerces the variables of operations that fit the schema, and gives errors their final form. */
export function answers(schema: GraphQLSchema): ApolloServerPlugin<GatewayContext> {
  return {
    // Apollo replaces the error by one without its message.
    unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) => {
      contextValue.log.error({ err: error, requestId: contextValue.requestId }, 'the GraphQL engine failed');
    },
    requestDidStart: async () => ({
      didResolveOperation: async ({ request, document, operation, contextValue: context }) => {
        if (!operation) return; // was found before
        request.variables = await readVariables({
          schema,
          document,
          operation,
          variables: request.variables ?? {},
          context,
        });
      },
      willSendResponse: async ({
        response: { body },
        errors,
        document,
        operation,
        contextValue: { seesSchema, requestId, log },
      }) => {
        if (body.kind === 'single' && errors)
          body.singleResult.errors = clientErrors(errors, {
            schema,
            document,
            operation,
            seesSchema,
            requestId,
            log,
          });
      },
    }),
  };
}
