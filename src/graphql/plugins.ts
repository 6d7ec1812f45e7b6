import type { ApolloServerPlugin, GraphQLRequestContext } from '@apollo/server';
import { Kind, type GraphQLError, type GraphQLSchema } from 'graphql';
import Negotiator from 'negotiator';
import { AppError, errorOf } from '../core/errors.ts';
import type { RateLimiter } from '../core/rate-limit.ts';
import type { GatewayContext } from './context.ts';
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
      didResolveOperation: async ({ document, operation, contextValue }) => {
        if (!operation) return;
        const needs = needsOf(document, operation);
        admit(contextValue.viewer, needs, introspection);
        const caller = contextValue.viewer?.sub ?? contextValue.address;
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

const maxErrors = 20;
const maxIssues = 100;

function clientErrors(request: GraphQLRequestContext<GatewayContext>, schema: GraphQLSchema, checks: InputChecks): ClientError[] {
  const { errors = [], document, contextValue } = request;
  const { requestId, log } = contextValue;
  const misfit = errors.find((error) => error.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION);
  const told = misfit ? [variablesError(request, schema, checks, misfit)] : errors.slice(0, maxErrors);
  return told.map((error) => {
    const ofDocument = error.extensions.code === 'GRAPHQL_VALIDATION_FAILED' && !misfit;
    const client = clientError(ofDocument ? documentError(error, schema, document) : error, requestId, log);
    const wait = error.originalError instanceof RateLimitedError ? error.originalError.retryAfter : undefined;
    const { issues } = client.extensions;
    const extensions = { ...client.extensions, issues: issues.slice(0, maxIssues), ...(wait !== undefined && { retryAfter: wait }) };
    return { ...client, extensions };
  });
}

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
 * where the client asks for application/json (GraphQL over HTTP, section 6.4).
 */
function setStatus({ request, response }: GraphQLRequestContext<GatewayContext>, errors: readonly ClientError[], data: unknown): void {
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
  http.status = executed || data === null || wantsPlainJson(request.http?.headers.get('accept')) ? 200 : 400;
}

function wantsPlainJson(accept: string | undefined): boolean {
  const types = ['application/json', 'application/graphql-response+json'];
  return new Negotiator({ headers: { accept } }).mediaType(types) !== types[1];
}
