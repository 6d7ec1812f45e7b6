import { GraphQLError, Kind, type GraphQLFormattedError } from 'graphql';
import { AppError, type Issue } from '../../core/kernel/errors.ts';
import { shorten } from '../../core/text/characters.ts';
import { CallerGoneError } from '../../core/runtime/work-budget.ts';
import type { Log } from '../../core/runtime/log.ts';

const maxLocations = 10;

/** What an error's `extensions` always hold. */
export interface ErrorExtensions {
  readonly code: string;
  readonly reason: string;
  readonly issues: readonly Issue[];
  readonly requestId: string;
}

export type ClientError = GraphQLFormattedError & { readonly extensions: ErrorExtensions & Record<string, unknown> };

/** Codes that Apollo's clients act upon, kept as they are. */
const protocolCodes = ['PERSISTED_QUERY_NOT_FOUND'];

/**
 * An error as a client may see it: ours as they are, faults of the request as BAD_USER_INPUT, anything else masked.
 * What is masked is logged under the request's id, and so is what makes the gateway unavailable. `done` says that what was asked for is done, and only the answer failed.
 */
export function clientError(error: unknown, requestId: string, log: Log, done = false): ClientError {
  const graphqlError = error instanceof GraphQLError ? error : undefined;
  const cause = graphqlError ? causeOf(graphqlError) : error;
  const place = graphqlError && { path: graphqlError.path, locations: graphqlError.locations };
  if (cause instanceof AppError) {
    const { code, reason, issues, details, message } = cause;
    if (code === 'UNAVAILABLE' && !(cause instanceof CallerGoneError)) logUnavailable(cause, requestId, log);
    return shaped(message, place, { code, reason, issues, ...details, requestId });
  }
  if (graphqlError && cause === undefined && !isOfResult(graphqlError)) {
    const known = protocolCodes.find((one) => one === graphqlError.extensions.code);
    const code = known ?? 'BAD_USER_INPUT';
    const message = known ? graphqlError.message : sentence(shorten(graphqlError.message));
    const issues = (graphqlError.extensions.issues as Issue[] | undefined) ?? [{ path: [], reason: 'invalid', message }];
    return shaped(message, place, { code, reason: issues[0]?.reason ?? 'invalid', issues, requestId });
  }
  log.error({ err: cause ?? error, requestId }, 'an unexpected error was masked');
  const what = done ? 'This was carried out, but its answer could not be built. Read the result instead of sending it again.' : 'Something went wrong on the server.';
  const message = `${what} The operators find it under the id ${requestId}.`;
  return shaped(message, place, { code: 'INTERNAL_SERVER_ERROR', reason: 'internalError', issues: [], requestId });
}

/** The request that an error was logged for last: its fields may share the error. */
const loggedFor = new WeakMap<AppError, string>();

/** Something failed below where there is a cause; else a limit was reached. */
function logUnavailable(err: AppError, requestId: string, log: Log): void {
  if (loggedFor.get(err) === requestId) return;
  loggedFor.set(err, requestId);
  const level = err.cause === undefined ? 'warn' : 'error';
  log[level]({ err, requestId }, 'unavailable');
}

/** What a resolver threw. Faults the library finds in a request are errors of its own, wrapped once more by the server. */
function causeOf({ originalError }: GraphQLError): unknown {
  return originalError instanceof GraphQLError ? causeOf(originalError) : originalError;
}

/** True when a result does not fit the schema, which is no fault of the request: it carries the field, not an argument. */
const isOfResult = ({ path, nodes }: GraphQLError): boolean => path !== undefined && nodes?.[0]?.kind === Kind.FIELD;

type Place = Pick<GraphQLFormattedError, 'path' | 'locations'> | undefined;

function shaped(message: string, place: Place, extensions: ErrorExtensions): ClientError {
  return {
    message,
    ...(place?.locations && { locations: place.locations.slice(0, maxLocations) }),
    ...(place?.path && { path: place.path }),
    extensions: { ...extensions },
  };
}

const sentence = (message: string): string => (/[.!?…)]$/.test(message) ? message : `${message}.`);

/** The HTTP status for errors that refuse a request as a whole, headers included. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer's status when nothing of the request was done, undefined when that is for GraphQL to say (200). */
export function refusalOf({ extensions }: ClientError): Refusal | undefined {
  const { code, reason } = extensions;
  if (code === 'UNAUTHENTICATED') return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  if (reason === 'insufficientScope') {
    return { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } };
  }
  if (code === 'RATE_LIMITED') return { status: 429, headers: { 'retry-after': `${extensions.retryAfter as number}` } };
  if (code === 'UNAVAILABLE') return { status: 503, headers: { 'retry-after': `${(extensions.retryAfter as number | undefined) ?? 1}` } };
  if (code === 'INTERNAL_SERVER_ERROR') return { status: 500, headers: {} };
  return undefined;
}
