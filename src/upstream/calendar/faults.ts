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
import { eventNotFound } from '../../event/event.requests.ts';
import { expiredCursor, expiredSyncToken } from '../../event/list/list-request.ts';
import type { Property, Schemas } from '../../google/schemas.ts';
import { outcomeUnknown, ServiceRefusal } from '../client/responses.ts';
import { insufficientScopeError } from '../form.ts';

/** A write, as far as the errors for its refusals depend on it. */
interface WriteOperation {
  readonly schemas: Schemas;
  /** Argument that errors refer to if the service names none. */
  readonly defaultArgument: 'calendarId' | 'eventId';
}

export const isRefusal = (error: unknown, ...statuses: readonly number[]): error is ServiceRefusal =>
  error instanceof ServiceRefusal && statuses.includes(error.status);

/** Whether an earlier attempt of the same write, whose response was lost, may have changed the etag. */
export const mayBeOwnWrite = (error: unknown): boolean => isRefusal(error, 412) && error.hasEarlierAttempt;

/** Error for a write with several attempts, if the outcome of the first is unknown. */
export const unknownOutcomeError = (): AppError =>
  outcomeUnknown(
    'The calendar service did not confirm this. It may have been carried out: check before you send it again.',
  );

/** Whether a refusal may be about the body, so that the gateway's rules may explain it. */
export const concernsBody = (error: unknown): boolean =>
  isRefusal(error, 400) ||
  (isRefusal(error, 403) &&
    !error.lacksScope &&
    error.location !== 'calendarId' &&
    error.reason !== 'requiredAccessLevel');

/** Converts a refusal of a write to an error of the gateway; returns other errors unchanged. */
export function toWriteError(error: unknown, operation: WriteOperation): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  return (errorsByStatus[error.status] ?? unexpectedRefusalError)(error, operation);
}

const errorsByStatus: Readonly<
  Record<number, (refusal: ServiceRefusal, operation: WriteOperation) => AppError>
> = {
  400: invalidBodyError,
  403: forbiddenError,
  404: notFoundError,
  409: ({ location }, { schemas }) =>
    duplicateError(location !== undefined && fieldPath(schemas, location) ? location : 'id'),
  // 410 means a deleted event here; in lists, an expired sync token.
  410: () => eventNotFound(),
  412: () => changedMeanwhileError(),
  413: (refusal) => errorAt('BAD_USER_INPUT', ['event'], 'invalid', quoteRefusal(refusal)),
  414: tooLongError,
  431: tooLongError,
};

/** Paths for reasons of 400 without a location. */
const pathsByReason: Readonly<Record<string, Path>> = {
  timeRangeEmpty: ['event', 'end'],
  eventRemindersCountExceedsLimit: ['event', 'reminders', 'overrides'],
  cannotUseDefaultRemindersAndSpecifyOverride: ['event', 'reminders', 'useDefault'],
};
const writeReasons: ReadonlySet<string> = new Set<Reason>([
  'required',
  'immutable',
  'tooLong',
  'tooMany',
  ...(Object.keys(pathsByReason) as Reason[]),
]);

function invalidBodyError(refusal: ServiceRefusal, { schemas }: WriteOperation): AppError {
  const { reason, serviceText, location } = refusal;
  const locatedPath = (location !== undefined && fieldPath(schemas, location)) || pathsByReason[reason];
  const path = locatedPath ?? (/\bsequence\b/i.test(serviceText) ? ['event', 'sequence'] : ['event']);
  return errorAt(
    'BAD_USER_INPUT',
    path,
    writeReasons.has(reason) ? (reason as Reason) : 'invalid',
    quoteRefusal(refusal),
  );
}

function tooLongError(refusal: ServiceRefusal, { defaultArgument }: WriteOperation): AppError {
  return errorAt('BAD_USER_INPUT', [defaultArgument], 'tooLong', quoteRefusal(refusal));
}

function forbiddenError(refusal: ServiceRefusal, { schemas }: WriteOperation): AppError {
  if (refusal.lacksScope) return insufficientScopeError();
  const { reason, location } = refusal;
  const field = location === undefined ? undefined : fieldPath(schemas, location);
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

function notFoundError({ location }: ServiceRefusal, { defaultArgument, schemas }: WriteOperation): AppError {
  const field = location === undefined ? undefined : fieldPath(schemas, location);
  if (field) return errorAt('NOT_FOUND', field, 'notFound', 'There is no such event on this calendar.');
  const argument = location === 'calendarId' || location === 'eventId' ? location : defaultArgument;
  return argument === 'eventId' ? eventNotFound() : calendarNotFound([['calendarId']]);
}

export const duplicateError = (field: string): AppError =>
  errorAt(
    'CONFLICT',
    ['event', field],
    'duplicate',
    `The calendar has an event with this ${field}. Leave ${field} out to get a new one.`,
  );

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

const quoteRefusal = (refusal: ServiceRefusal): string =>
  `The calendar service refused this${refusal.serviceText && `: ${refusal.serviceText}`}`;

/** Parses a location in the body, such as `reminders.overrides[0].minutes`; undefined for other locations. */
function fieldPath(schemas: Schemas, location: string): Path | undefined {
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
  readonly isEventRead?: boolean;
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
  if (status === 410 && operation.usesSyncToken) return invalidInputError([expiredSyncToken]);
  if (status === 404 || (status === 410 && operation.isEventRead))
    return operation.isEventRead && location !== 'calendarId'
      ? eventNotFound()
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
        path: defaultPath(operation),
        reason: 'tooLong',
        message: 'This is too long for the calendar service.',
      },
    ]);
  if (status === 400 || status === 410) return invalidInputError([issueOf(error, operation)]);
  return serviceUnavailableError('The calendar service could not answer this.', {}, error);
}

export const rethrowReadError =
  (operation?: ReadOperation) =>
  (error: unknown): never => {
    throw toReadError(error, operation);
  };

const argumentNames: Readonly<Record<string, string>> = {
  maxResults: 'first',
  pageToken: 'after',
  items: 'calendarIds',
};

const readReasons: ReadonlySet<string> = new Set<Reason>(['required', 'invalid', 'tooLong', 'tooMany']);

/** Path that errors refer to if the service names none. */
const defaultPath = ({
  argument,
  isEventRead,
  calendarPaths: [calendar = []] = [['calendarId']],
}: ReadOperation): Path => (argument === undefined ? (isEventRead ? ['eventId'] : calendar) : [argument]);

function issueOf(refusal: ServiceRefusal, operation: ReadOperation): Issue {
  const { reason, location } = refusal;
  if (location === 'pageToken') return expiredCursor;
  const message = refusal.serviceText || 'The calendar service does not accept this.';
  return {
    path: location ? [argumentNames[location] ?? location] : defaultPath(operation),
    reason: readReasons.has(reason) ? (reason as Reason) : 'invalid',
    message,
  };
}
