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
import { createErrorLocator } from './input/document-errors.ts';
import { toAppError, shortenIssue } from '../../operations/failure.ts';

/** Limit of the locations of one error in the document. */
const maxLocations = 10;

interface ErrorExtensions {
  readonly code: string;
  readonly reason: string;
  readonly issues: readonly Issue[];
  readonly requestId: string;
}

/** Error in the form that clients get. */
export type ClientError = GraphQLFormattedError & {
  readonly extensions: ErrorExtensions & Record<string, unknown>;
};

/** Converts an error to its client form: document errors become BAD_USER_INPUT, unknown errors are masked. `hasSucceeded`: the operation was carried out. */
export function toClientError(
  error: unknown,
  requestId: string,
  log: Log,
  hasSucceeded = false,
): ClientError {
  const graphqlError = error instanceof GraphQLError ? error : undefined;
  const cause = graphqlError ? causeOf(graphqlError) : error;
  const formatError = (message: string, extensions: ErrorExtensions): ClientError => ({
    message,
    ...(graphqlError?.locations && { locations: graphqlError.locations.slice(0, maxLocations) }),
    ...(graphqlError?.path && { path: graphqlError.path }),
    extensions: { ...extensions },
  });
  if (graphqlError && cause === undefined && !isResultError(graphqlError)) {
    // Apollo's clients react to this code; all others become BAD_USER_INPUT.
    const isUnknownHash = graphqlError.extensions.code === 'PERSISTED_QUERY_NOT_FOUND';
    const code = isUnknownHash ? 'PERSISTED_QUERY_NOT_FOUND' : 'BAD_USER_INPUT';
    const message = isUnknownHash ? graphqlError.message : endSentence(shorten(graphqlError.message));
    const issues = (graphqlError.extensions.issues as Issue[] | undefined) ?? [
      { path: [], reason: 'invalid', message },
    ];
    return formatError(message, {
      code,
      reason: issues[0]?.reason ?? 'invalid',
      issues,
      requestId,
    });
  }
  const { code, reason, issues, details, message } = toAppError(cause ?? error, requestId, log, hasSucceeded);
  return formatError(message, { code, reason, issues, ...details, requestId });
}

/** Returns the error that a resolver threw; undefined for errors of graphql-js, which the server wraps again. */
function causeOf({ originalError }: GraphQLError): unknown {
  return originalError instanceof GraphQLError ? causeOf(originalError) : originalError;
}

/** Whether a result does not fit the schema: then the node is a field, not an argument, and the server is at fault. */
const isResultError = ({ path, nodes }: GraphQLError): boolean =>
  path !== undefined && nodes?.[0]?.kind === Kind.FIELD;

const endSentence = (message: string): string => (/[.!?…)]$/.test(message) ? message : `${message}.`);

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Maps an error to the status of a request that did nothing; undefined for errors that are sent with status 200. */
export function refusalHead({ extensions }: ClientError): ResponseHead | undefined {
  const { code, reason } = extensions;
  const retryAfter = extensions.retryAfter as number | undefined;
  if (code === 'UNAUTHENTICATED') return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  if (reason === 'insufficientScope')
    return { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } };
  // A daily limit of one field has no `retryAfter`, and refuses that field alone.
  if (code === 'RATE_LIMITED' && retryAfter !== undefined)
    return { status: 429, headers: { 'retry-after': String(retryAfter) } };
  if (code === 'UNAVAILABLE') return { status: 503, headers: { 'retry-after': String(retryAfter ?? 1) } };
  if (code === 'INTERNAL_SERVER_ERROR') return { status: 500, headers: {} };
  return undefined;
}

/** Converts the errors of an operation to their client form. Errors about the document get the path of their argument. */
export function toClientErrors(
  errors: readonly unknown[],
  schema: GraphQLSchema,
  { admittedRequest: { operation, maySeeSchema }, requestId, log }: GatewayContext,
): ClientError[] {
  const reportedErrors = errors.filter((error, index) => pathOf(error) !== undefined || index < maxErrors);
  const locateError = reportedErrors.some(isDocumentError)
    ? createErrorLocator(schema, operation.document.node, maySeeSchema)
    : undefined;
  return limitErrors(
    reportedErrors.map((error) => {
      // The mutation was carried out if the error lies below its root field.
      const isBelowRoot = (pathOf(error)?.length ?? 0) > 1;
      const isMutationDone = isBelowRoot && operation.node.operation === OperationTypeNode.MUTATION;
      const locatedError = locateError && isDocumentError(error) ? locateError(error) : error;
      return toClientError(locatedError, requestId, log, isMutationDone);
    }),
  );
}

const pathOf = (error: unknown) => (error instanceof GraphQLError ? error.path : undefined);

/** Whether an error comes from validation. graphql-js finds some of these only when it reads an argument. */
const isDocumentError = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError &&
  (error.path === undefined
    ? error.nodes !== undefined && error.extensions.issues === undefined
    : error.originalError instanceof GraphQLError);

/** Maximum number of document errors; others are dropped. */
export const maxErrors = 20;
const maxErrorBytes = 16_000;

/** Limits errors and issues to `maxErrorBytes`, so that a faulty request cannot produce a long response. */
export function limitErrors(errors: readonly ClientError[]): ClientError[] {
  let bytesLeft = maxErrorBytes;
  const reserveBytes = (value: object): boolean =>
    (bytesLeft -= Buffer.byteLength(JSON.stringify(value))) >= 0;
  const limitedErrors: ClientError[] = [];
  for (const [index, error] of errors.entries()) {
    const { issues, ...otherExtensions } = error.extensions;
    // Errors with a path are always kept, because each explains a null.
    const fits = reserveBytes({ ...error, extensions: otherExtensions }) && index < maxErrors;
    if (!fits && index > 0 && error.path === undefined) continue;
    limitedErrors.push({
      ...error,
      extensions: {
        ...otherExtensions,
        issues: issues.slice(0, maxIssues).map(shortenIssue).filter(reserveBytes),
      },
    });
  }
  return limitedErrors;
}
