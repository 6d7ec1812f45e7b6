import type { ApolloServerPlugin, GraphQLRequestContext } from '@apollo/server';
import { getOperationAST, GraphQLError, Kind, type GraphQLSchema } from 'graphql';
import Negotiator from 'negotiator';
import { AppError, errorOf } from '../core/errors.ts';
import type { RateLimiter } from '../core/rate-limit.ts';
import type { GatewayContext } from './context.ts';
import { bounded, maxErrors } from './bounds.ts';
import { clientError, refusalOf, type ClientError } from './errors.ts';
import { documentError } from './document-errors.ts';
import { errorWithIssues, variableIssues, type InputChecks } from './input-errors.ts';
import { admit, createNeedsReader, type Introspection } from './operation-scopes.ts';
import type { Gateway } from './schema.ts';

type Plugin = ApolloServerPlugin<GatewayContext>;

/** Decides on scopes, introspection and the rate limit for the whole operation, before anything of it runs. */
export function admission({ scopeRules }: Gateway, introspection: Introspection, limiter: RateLimiter | undefined): Plugin {
  const needsOf = createNeedsReader(scopeRules);
  return {
    requestDidStart: async () => ({
      // A document that does not fit the schema is not resolved: who may not run it is told so, and nothing of its faults.
      validationDidStart: async ({ document, request, contextValue }) => {
        const operation = getOperationAST(document, request.operationName);
        try {
          if (operation) admit(contextValue.viewer, needsOf(document, operation), introspection);
        } catch (error) {
          contextValue.notes.refusal = error as AppError;
        }
      },
      didResolveOperation: async ({ document, operation, contextValue }) => {
        if (!operation) return;
        const needs = needsOf(document, operation);
        admit(contextValue.viewer, needs, introspection);
        const caller = contextValue.viewer?.key ?? contextValue.address;
        const wait = limiter?.(caller, Math.max(1, needs.rootFields)) ?? 0;
        if (wait > 0) throw new RateLimitedError(wait);
      },
    }),
  };
}

/** Carries the seconds to wait to the `Retry-After` header. */
class RateLimitedError extends AppError {
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('RATE_LIMITED', 'rateLimitExceeded', `Too many requests. Try again in ${retryAfter} s.`);
    this.retryAfter = retryAfter;
  }
}

/** Gives errors their final form and status, and the response its `extensions`. */
export function answers(schema: GraphQLSchema, checks: InputChecks): Plugin {
  return {
    requestDidStart: async () => ({
      willSendResponse: async (request) => {
        const { response, contextValue } = request;
        if (response.body.kind !== 'single') return;
        const { singleResult: result } = response.body;
        const errors = request.errors && clientErrors(request, schema, checks);
        if (errors) {
          result.errors = errors;
          setStatus(request, errors, result.data);
        }
        const { warnings, guestsNotified } = contextValue.notes;
        if (warnings.length > 0 || guestsNotified !== undefined) {
          result.extensions = {
            ...result.extensions,
            ...(warnings.length > 0 && { warnings }),
            ...(guestsNotified !== undefined && { guestsNotified }),
          };
        }
      },
    }),
  };
}

function clientErrors(request: GraphQLRequestContext<GatewayContext>, schema: GraphQLSchema, checks: InputChecks): ClientError[] {
  const { errors = [], document, contextValue } = request;
  const { requestId, log, notes } = contextValue;
  if (notes.refusal) return [clientError(notes.refusal, requestId, log)];
  const misfit = errors.find((error) => !isOfDocument(error) && error.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION);
  const told = misfit ? [variablesError(request, schema, checks, misfit)] : errors.filter(({ path }, index) => path !== undefined || index < maxErrors);
  return bounded(
    told.map((error) => {
      const client = clientError(isOfDocument(error) ? documentError(error, schema, document) : error, requestId, log);
      const wait = error.originalError instanceof RateLimitedError ? error.originalError.retryAfter : undefined;
      return wait === undefined ? client : { ...client, extensions: { ...client.extensions, retryAfter: wait } };
    }),
  );
}

/** True for faults that the GraphQL library finds in the document, some of them only when it reads an argument. */
const isOfDocument = ({ extensions, path, originalError }: GraphQLError): boolean =>
  extensions.code === 'GRAPHQL_VALIDATION_FAILED' || (path !== undefined && originalError instanceof GraphQLError);

/** One error for all that is wrong with the variables. */
function variablesError(
  { document, operation, request }: GraphQLRequestContext<GatewayContext>,
  schema: GraphQLSchema,
  checks: InputChecks,
  misfit: GraphQLError,
): GraphQLError {
  const issues = document && operation ? variableIssues(schema, document, operation, request.variables ?? {}, checks) : [];
  return issues.length > 0 ? errorWithIssues(misfit, errorOf('BAD_USER_INPUT', issues).message, issues) : misfit;
}

/**
 * A request of which nothing was done gets the status of its refusal. One that does not fit the schema gets 400, or 200
 * where the client asks for application/json (GraphQL over HTTP, section 6.4); one without a document is none at all.
 */
function setStatus({ request, response, source }: GraphQLRequestContext<GatewayContext>, errors: readonly ClientError[], data: unknown): void {
  const { http } = response;
  if (http.status === 405) return;
  const executed = data !== undefined && data !== null;
  const done = executed && Object.values(data).some((value) => value !== null);
  const [first, ...others] = errors.map(refusalOf);
  if (!done && first && others.every((other) => other?.status === first.status)) {
    http.status = first.status;
    for (const [name, value] of Object.entries(first.headers)) http.headers.set(name, value);
    return;
  }
  const noRequest = source === undefined && errors.every(({ extensions }) => extensions.code === 'BAD_USER_INPUT');
  const plain = executed || data === null || wantsPlainJson(request.http?.headers.get('accept'));
  http.status = plain && !noRequest ? 200 : 400;
}

function wantsPlainJson(accept: string | undefined): boolean {
  const types = ['application/json', 'application/graphql-response+json'];
  return new Negotiator({ headers: { accept } }).mediaType(types) !== types[1];
}
