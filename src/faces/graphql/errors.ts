import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
} from 'graphql';
import type { Issue } from '../../core/errors.ts';
import { maxIssues } from '../../core/report.ts';
import type { Log } from '../../core/runtime/log.ts';
import { shorten } from '../../core/text/characters.ts';
import type { GatewayContext } from './context.ts';
import { createDocumentErrors } from './input/document-errors.ts';
import { failureOf, shortIssue } from '../../operations/failure.ts';

const maxLocations = 10;

/** The members that `extensions` of an error always have. */
interface ErrorExtensions {
  readonly code: string;
  readonly reason: string;
  readonly issues: readonly Issue[];
  readonly requestId: string;
}

export type ClientError = GraphQLFormattedError & {
  readonly extensions: ErrorExtensions & Record<string, unknown>;
};

/** Codes that Apollo's clients act upon: they are not replaced by BAD_USER_INPUT. */
const protocolCodes = ['PERSISTED_QUERY_NOT_FOUND'];

/**
 * Converts an error to what clients may see: AppError as it is, errors of the document as BAD_USER_INPUT, others masked.
 * Masked errors are logged under the request's id, UNAVAILABLE once a second for each cause. `done`: the operation was carried
 * out, only its answer failed.
 */
export function clientError(error: unknown, requestId: string, log: Log, done = false): ClientError {
  const graphqlError = error instanceof GraphQLError ? error : undefined;
  const cause = graphqlError ? causeOf(graphqlError) : error;
  const position = graphqlError && { path: graphqlError.path, locations: graphqlError.locations };
  if (graphqlError && cause === undefined && !isOfResult(graphqlError)) {
    const known = protocolCodes.find((one) => one === graphqlError.extensions.code);
    const code = known ?? 'BAD_USER_INPUT';
    const message = known ? graphqlError.message : sentence(shorten(graphqlError.message));
    const issues = (graphqlError.extensions.issues as Issue[] | undefined) ?? [
      { path: [], reason: 'invalid', message },
    ];
    return shaped(message, position, { code, reason: issues[0]?.reason ?? 'invalid', issues, requestId });
  }
  const { code, reason, issues, details, message } = failureOf(cause ?? error, requestId, log, done);
  return shaped(message, position, { code, reason, issues, ...details, requestId });
}

/** The error that a resolver threw; undefined for errors of the library, which the server wraps once more. */
function causeOf({ originalError }: GraphQLError): unknown {
  return originalError instanceof GraphQLError ? causeOf(originalError) : originalError;
}

/** True when a result does not fit the schema, which is no error of the request: its node is a field, not an argument. */
const isOfResult = ({ path, nodes }: GraphQLError): boolean =>
  path !== undefined && nodes?.[0]?.kind === Kind.FIELD;

type Position = Pick<GraphQLFormattedError, 'path' | 'locations'> | undefined;

function shaped(message: string, position: Position, extensions: ErrorExtensions): ClientError {
  return {
    message,
    ...(position?.locations && { locations: position.locations.slice(0, maxLocations) }),
    ...(position?.path && { path: position.path }),
    extensions: { ...extensions },
  };
}

const sentence = (message: string): string => (/[.!?…)]$/.test(message) ? message : `${message}.`);

/** The HTTP status and headers of an error that refuses a request as a whole. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The status for a request of which nothing was done; undefined for errors that are answered with 200. */
export function refusalOf({ extensions }: ClientError): Refusal | undefined {
  const { code, reason } = extensions;
  const retryAfter = extensions.retryAfter as number | undefined;
  if (code === 'UNAUTHENTICATED') return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  if (reason === 'insufficientScope')
    return { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } };
  // The bound of one field by the day says no time: it refuses that field alone.
  if (code === 'RATE_LIMITED' && retryAfter !== undefined)
    return { status: 429, headers: { 'retry-after': String(retryAfter) } };
  if (code === 'UNAVAILABLE') return { status: 503, headers: { 'retry-after': String(retryAfter ?? 1) } };
  if (code === 'INTERNAL_SERVER_ERROR') return { status: 500, headers: {} };
  return undefined;
}

/** The errors of an operation in their final form. */
export function clientErrors(
  errors: readonly unknown[],
  schema: GraphQLSchema,
  { admitted: { operation }, seesSchema, requestId, log }: GatewayContext,
): ClientError[] {
  const bound = errors.filter((error, index) => pathOf(error) !== undefined || index < maxErrors);
  const documentError = bound.some(isOfDocument)
    ? createDocumentErrors(schema, operation.document.node, seesSchema)
    : undefined;
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

/** Errors of a document beyond this number are dropped. */
export const maxErrors = 20;
const maxBytes = 16_000;

/** Keeps as many errors and issues as fit into a short answer, so that a faulty request cannot produce a long one. */
export function bounded(errors: readonly ClientError[]): ClientError[] {
  let left = maxBytes;
  const take = (part: object): boolean => (left -= Buffer.byteLength(JSON.stringify(part))) >= 0;
  const taken: ClientError[] = [];
  for (const [index, error] of errors.entries()) {
    const { issues, ...rest } = error.extensions;
    // Errors of fields that ran are always kept: each explains a null.
    const fits = take({ ...error, extensions: rest }) && index < maxErrors;
    if (!fits && index > 0 && error.path === undefined) continue;
    taken.push({
      ...error,
      extensions: { ...rest, issues: issues.slice(0, maxIssues).map(shortIssue).filter(take) },
    });
  }
  return taken;
}
