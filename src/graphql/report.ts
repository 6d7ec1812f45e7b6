import type { ApolloServerPlugin } from '@apollo/server';
import { Kind } from 'graphql';
import type { GatewayContext } from './context.ts';

/** What the GraphQL layer tells of a request, for the log, the figures and the trace. Filled in while it runs. */
export interface RequestReport {
  operation?: {
    readonly kind: 'query' | 'mutation' | 'subscription';
    readonly name?: string;
    /** SHA-256 of the document, hexadecimal. */
    readonly hash: string;
    /** Names of the schema, aliases resolved, each once. */
    readonly rootFields: readonly string[];
  };
  /** The codes of the errors, in their order. */
  codes: readonly string[];
  /** True when the operation was refused for what it would have cost. */
  costRefused?: boolean;
}

/** Operation names come from clients: in a log they are short. */
const maxNameLength = 100;

/** Fills in the report of each request. */
export function reporting(): ApolloServerPlugin<GatewayContext> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ operation, operationName, queryHash, contextValue }) => {
        if (!operation || queryHash === undefined) return;
        const names = operation.selectionSet.selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []));
        contextValue.report.operation = {
          kind: operation.operation,
          name: operationName?.slice(0, maxNameLength),
          hash: queryHash,
          rootFields: [...new Set(names)],
        };
      },
      willSendResponse: async ({ response, contextValue }) => {
        if (response.body.kind !== 'single') return;
        const { errors = [] } = response.body.singleResult;
        contextValue.report.codes = errors.map(({ extensions }) => String(extensions?.code));
      },
    }),
  };
}
