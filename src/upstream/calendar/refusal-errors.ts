import { calendarNotFound, roleTooLowMessage } from '../../calendar/calendar.access.ts';
import {
  type AppError,
  errorAt,
  errorOf,
  invalidInputError,
  type Issue,
  type Path,
  type Reason,
  serviceUnavailableError,
} from '../../core/errors.ts';
import { eventNotFoundError } from '../../event/event.requests.ts';
import { expiredCursorIssue, expiredSyncTokenIssue } from '../../event/list/list-request.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import { outcomeUnknownError, ServiceRefusal } from '../client/responses.ts';
import { insufficientScopeError } from '../field-mappings.ts';

/** Whether an error is a refusal by the service with one of these statuses. */
export const isRefusal = (error: unknown, ...statuses: readonly number[]): error is ServiceRefusal =>
  error instanceof ServiceRefusal && statuses.includes(error.status);

/** Whether an earlier attempt of the same write, whose response was lost, may have changed the etag. */
export const mayBeOwnWrite = (error: unknown): boolean => isRefusal(error, 412) && error.hasEarlierAttempt;

/** Creates the error of a write with several attempts, if the outcome of the first is unknown. */
export const unconfirmedWriteError = (): AppError =>
  outcomeUnknownError(
    'The calendar service did not confirm this. It may have been carried out: check before you send it again.',
  );

/** Whether a refusal may be about the body, so that the gateway's rules may explain it. */
export const concernsBody = (error: unknown): boolean =>
  isRefusal(error, 400) ||
  (isRefusal(error, 403) &&
    !error.lacksScope &&
    error.location !== 'calendarId' &&
    error.reason !== 'requiredAccessLevel');

/** Argument that errors refer to if the service names none. */
type DefaultArgument = 'calendarId' | 'eventId';

/** Converts a refusal of a write to an error of the gateway; returns other errors unchanged. */
export function toWriteError(
  error: unknown,
  schemas: Schemas,
  defaultArgument: DefaultArgument = 'eventId',
): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  const { location } = error;
  const field = location === undefined ? undefined : parseLocation(schemas, location);
  return (errorsByStatus[error.status] ?? unexpectedRefusalError)(error, field, defaultArgument);
}

/** Errors by status. `field`: path of the field in the body that the refusal is about. */
const errorsByStatus: Readonly<
  Record<
    number,
    (refusal: ServiceRefusal, field: Path | undefined, defaultArgument: DefaultArgument) => AppError
  >
> = {
  400: invalidBodyError,
  403: forbiddenError,
  404: notFoundError,
  409: ({ location = 'id' }, field) => duplicateError(field ? location : 'id'),
  // 410 means a deleted event here; in lists, an expired sync token.
  410: () => eventNotFoundError(),
  412: () => changedMeanwhileError(),
  413: (refusal) => errorAt('BAD_USER_INPUT', ['event'], 'invalid', quotedRefusalMessage(refusal)),
  414: tooLongError,
  431: tooLongError,
};

/** Paths of issues by the reason of a 400 response without a location. */
const pathsByReason: Readonly<Record<string, Path>> = {
  timeRangeEmpty: ['event', 'end'],
  eventRemindersCountExceedsLimit: ['event', 'reminders', 'overrides'],
  cannotUseDefaultRemindersAndSpecifyOverride: ['event', 'reminders', 'useDefault'],
};
/** Reasons of the service that the gateway has, too; others become `invalid`. */
const knownWriteReasons: ReadonlySet<string> = new Set<Reason>([
  'required',
  'immutable',
  'tooLong',
  'tooMany',
  ...(Object.keys(pathsByReason) as Reason[]),
]);

function invalidBodyError(refusal: ServiceRefusal, field: Path | undefined): AppError {
  const { reason, serviceText } = refusal;
  const path =
    field ?? pathsByReason[reason] ?? (/\bsequence\b/i.test(serviceText) ? ['event', 'sequence'] : ['event']);
  return errorAt(
    'BAD_USER_INPUT',
    path,
    knownWriteReasons.has(reason) ? (reason as Reason) : 'invalid',
    quotedRefusalMessage(refusal),
  );
}

function tooLongError(
  refusal: ServiceRefusal,
  _field: Path | undefined,
  defaultArgument: DefaultArgument,
): AppError {
  return errorAt('BAD_USER_INPUT', [defaultArgument], 'tooLong', quotedRefusalMessage(refusal));
}

function forbiddenError(refusal: ServiceRefusal, field: Path | undefined): AppError {
  if (refusal.lacksScope) return insufficientScopeError();
  const { reason, location } = refusal;
  if (reason === 'forbiddenForNonOrganizer')
    return errorAt('FORBIDDEN', field ?? ['event'], reason, 'Only the organizer can change this.');
  const isRoleTooLow = location === 'calendarId' || reason === 'requiredAccessLevel';
  return errorAt(
    'FORBIDDEN',
    field ?? ['calendarId'],
    'forbidden',
    isRoleTooLow ? roleTooLowMessage : 'The calendar service does not let you do this.',
  );
}

function notFoundError(
  { location }: ServiceRefusal,
  field: Path | undefined,
  defaultArgument: DefaultArgument,
): AppError {
  if (field) return errorAt('NOT_FOUND', field, 'notFound', 'There is no such event on this calendar.');
  const argument = location === 'calendarId' || location === 'eventId' ? location : defaultArgument;
  return argument === 'eventId' ? eventNotFoundError() : calendarNotFound([['calendarId']]);
}

/** Error for an insert whose id or iCalUID exists already. */
export const duplicateError = (field: string): AppError =>
  errorAt(
    'CONFLICT',
    ['event', field],
    'duplicate',
    `The calendar has an event with this ${field}. Leave ${field} out to get a new one.`,
  );

/** Error for a failed `ifMatch`. `etag`: the current one, if known. */
export const changedMeanwhileError = (etag?: string): AppError =>
  errorOf(
    'PRECONDITION_FAILED',
    [
      {
        path: ['ifMatch'],
        reason: 'conditionNotMet',
        message: 'The event was changed after you read it. Read it again and repeat the change.',
      },
    ],
    etag === undefined ? {} : { etag },
  );

const unexpectedRefusalError = ({ status }: ServiceRefusal): AppError =>
  serviceUnavailableError(`The calendar service refused this in an unexpected way (${status}).`);

const quotedRefusalMessage = (refusal: ServiceRefusal): string =>
  `The calendar service refused this${refusal.serviceText && `: ${refusal.serviceText}`}`;

/** Parses a location in the body, such as `reminders.overrides[0].minutes`; undefined for other locations. */
function parseLocation(schemas: Schemas, location: string): Path | undefined {
  let property: Property | undefined = { $ref: 'Event' };
  const path: (string | number)[] = ['event'];
  for (const step of location.match(/[^.[\]]+/g) ?? []) {
    const schema: Property = { ...(property.$ref === undefined ? {} : schemas[property.$ref]), ...property };
    const isIndex: boolean = schema.items !== undefined && /^\d+$/.test(step);
    property = isIndex ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties);
    if (!property) return undefined;
    path.push(isIndex ? Number(step) : (property.field ?? step));
  }
  return path.length > 1 ? path : undefined;
}

/** A read, as far as the errors for its refusals depend on it. */
export interface ReadOperation {
  /** Whether one event is read, so that a 404 is about the event. */
  readonly isEventRead?: boolean;
  /** Whether the read has a sync token, so that a 410 is about the token. */
  readonly usesSyncToken?: boolean;
  /** Paths of the calendar ids in the request; default: `calendarId`. */
  readonly calendarPaths?: readonly Path[];
  /** Argument that errors refer to if the service names none. */
  readonly argument?: string;
}

/** Converts a refusal of a read to an error of the gateway; returns other errors unchanged. */
export function toReadError(error: unknown, operation: ReadOperation = {}): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  const { status, location } = error;
  const { calendarPaths = [['calendarId']] } = operation;
  if (status === 410 && operation.usesSyncToken) return invalidInputError([expiredSyncTokenIssue]);
  if (status === 404 || (status === 410 && operation.isEventRead))
    return operation.isEventRead && location !== 'calendarId'
      ? eventNotFoundError()
      : calendarNotFound(calendarPaths);
  if (error.lacksScope) return insufficientScopeError();
  if (status === 403)
    return errorOf(
      'FORBIDDEN',
      calendarPaths.map((path) => ({
        path,
        reason: 'forbidden',
        message: 'You may not read this calendar.',
      })),
    );
  if (status === 414 || status === 431)
    return invalidInputError([
      {
        path: defaultPathOf(operation),
        reason: 'tooLong',
        message: 'This is too long for the calendar service.',
      },
    ]);
  if (status === 400 || status === 410) return invalidInputError([createReadIssue(error, operation)]);
  return serviceUnavailableError('The calendar service could not answer this.', {}, error);
}

/** Creates the handler of a rejected read, which throws the converted error. */
export const rethrowReadError =
  (operation?: ReadOperation) =>
  (error: unknown): never => {
    throw toReadError(error, operation);
  };

/** Names of arguments by the parameters of the service, where they differ. */
const argumentsByParameter: Readonly<Record<string, string>> = {
  maxResults: 'first',
  pageToken: 'after',
  items: 'calendarIds',
};

const knownReadReasons: ReadonlySet<string> = new Set<Reason>(['required', 'invalid', 'tooLong', 'tooMany']);

/** Path that errors refer to if the service names none. */
const defaultPathOf = ({
  argument,
  isEventRead,
  calendarPaths: [calendar = []] = [['calendarId']],
}: ReadOperation): Path => (argument === undefined ? (isEventRead ? ['eventId'] : calendar) : [argument]);

function createReadIssue(refusal: ServiceRefusal, operation: ReadOperation): Issue {
  const { reason, location } = refusal;
  if (location === 'pageToken') return expiredCursorIssue;
  const message = refusal.serviceText || 'The calendar service does not accept this.';
  return {
    path: location ? [argumentsByParameter[location] ?? location] : defaultPathOf(operation),
    reason: knownReadReasons.has(reason) ? (reason as Reason) : 'invalid',
    message,
  };
}
