import { calendarNotFound, roleTooLowMessage } from '../../calendar/calendar.access.ts';
import {
  type AppError,
  errorAt,
  errorOf,
  invalidInputError,
  type Path,
  serviceUnavailableError,
} from '../../core/errors.ts';
import { eventNotFoundError } from '../../event/event.requests.ts';
import { expiredCursorIssue, expiredSyncTokenIssue } from '../../event/list/list-request.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import { outcomeUnknownError, ServiceRefusal } from '../client/responses.ts';
import { insufficientScopeError, issueReasonOf, quoteRefusal, unexpectedRefusalError } from '../errors.ts';

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

/** Paths of issues by the reason of a 400 response without a location. */
const pathsByReason: Readonly<Record<string, Path>> = {
  timeRangeEmpty: ['event', 'end'],
  eventRemindersCountExceedsLimit: ['event', 'reminders', 'overrides'],
  cannotUseDefaultRemindersAndSpecifyOverride: ['event', 'reminders', 'useDefault'],
};
const writeReasons: readonly string[] = ['immutable', ...Object.keys(pathsByReason)];

/**
 * Converts a refusal of a write to an error of the gateway; returns other errors unchanged. `defaultArgument`: argument that errors
 * refer to if the service names none.
 */
export function toWriteError(
  error: unknown,
  schemas: Schemas,
  defaultArgument: 'calendarId' | 'eventId' = 'eventId',
): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  const { status, reason, location, serviceText } = error;
  const fieldPath = location === undefined ? undefined : parseLocation(schemas, location);
  const message = quoteRefusal('calendar', error);
  switch (status) {
    case 400: {
      const textPath = /\bsequence\b/i.test(serviceText) ? ['event', 'sequence'] : ['event'];
      const path = fieldPath ?? pathsByReason[reason] ?? textPath;
      return errorAt('BAD_USER_INPUT', path, issueReasonOf(error, writeReasons), message);
    }
    case 403:
      return toForbiddenError(error, fieldPath);
    case 404: {
      if (fieldPath)
        return errorAt('NOT_FOUND', fieldPath, 'notFound', 'There is no such event on this calendar.');
      const argument = location === 'calendarId' || location === 'eventId' ? location : defaultArgument;
      return argument === 'eventId' ? eventNotFoundError() : calendarNotFound([['calendarId']]);
    }
    case 409:
      return duplicateError(fieldPath && location !== undefined ? location : 'id');
    // 410 means a deleted event; of a list, it means an expired sync token (`toReadError`).
    case 410:
      return eventNotFoundError();
    case 412:
      return changedMeanwhileError();
    case 413:
      return errorAt('BAD_USER_INPUT', ['event'], 'invalid', message);
    case 414:
    case 431:
      return errorAt('BAD_USER_INPUT', [defaultArgument], 'tooLong', message);
    default:
      return unexpectedRefusalError('calendar', error);
  }
}

function toForbiddenError(refusal: ServiceRefusal, fieldPath: Path | undefined): AppError {
  if (refusal.lacksScope) return insufficientScopeError();
  const { reason, location } = refusal;
  if (reason === 'forbiddenForNonOrganizer')
    return errorAt('FORBIDDEN', fieldPath ?? ['event'], reason, 'Only the organizer can change this.');
  const isRoleTooLow = location === 'calendarId' || reason === 'requiredAccessLevel';
  return errorAt(
    'FORBIDDEN',
    fieldPath ?? ['calendarId'],
    'forbidden',
    isRoleTooLow ? roleTooLowMessage : 'The calendar service does not let you do this.',
  );
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
  const { status, location, serviceText } = error;
  const { isEventRead = false, calendarPaths = [['calendarId']] } = operation;
  if (status === 410 && operation.usesSyncToken) return invalidInputError([expiredSyncTokenIssue]);
  if (status === 404 || (status === 410 && isEventRead))
    return isEventRead && location !== 'calendarId' ? eventNotFoundError() : calendarNotFound(calendarPaths);
  if (error.lacksScope) return insufficientScopeError();
  if (status === 403) {
    const message = 'You may not read this calendar.';
    return errorOf(
      'FORBIDDEN',
      calendarPaths.map((path) => ({ path, reason: 'forbidden', message })),
    );
  }
  const idPath = isEventRead ? ['eventId'] : (calendarPaths[0] ?? []);
  const defaultPath = operation.argument === undefined ? idPath : [operation.argument];
  if (status === 414 || status === 431)
    return errorAt('BAD_USER_INPUT', defaultPath, 'tooLong', 'This is too long for the calendar service.');
  if (status !== 400 && status !== 410)
    return serviceUnavailableError('The calendar service could not answer this.', {}, error);
  if (location === 'pageToken') return invalidInputError([expiredCursorIssue]);
  const path = location ? [argumentsByParameter[location] ?? location] : defaultPath;
  const message = serviceText || 'The calendar service does not accept this.';
  return errorAt('BAD_USER_INPUT', path, issueReasonOf(error), message);
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
