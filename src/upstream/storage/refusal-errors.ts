import { bucketNotFound } from '../../bucket/bucket.view.ts';
import { billingIssues } from '../../bucket/bucket.requests.ts';
import {
  type AppError,
  errorAt,
  invalidInputError,
  type ErrorCode,
  type Path,
  type Reason,
  serviceUnavailableError,
} from '../../core/errors.ts';
import { notificationFields, notificationNotFoundError } from '../../notification/notification.fields.ts';
import { outcomeUnknownError, ServiceRefusal } from '../client/responses.ts';
import { insufficientScopeError } from '../field-mappings.ts';

/** Argument that a refusal is reported at, if the service names none. */
export type ArgumentName = 'bucket' | 'notification' | 'notificationId' | 'project';

/** Converts a refusal to an error of the gateway; returns other errors unchanged. */
export function toStorageError(error: unknown, argument: ArgumentName): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  return (errorsByStatus[error.status] ?? unexpectedRefusalError)(error, argument);
}

/** Creates the handler of a rejected call, which throws the converted error. */
export const rethrowStorageError =
  (argument: ArgumentName) =>
  (error: unknown): never => {
    throw toStorageError(error, argument);
  };

const errorsByStatus: Readonly<
  Record<number, (refusal: ServiceRefusal, argument: ArgumentName) => AppError>
> = {
  400: invalidRequestError,
  403: forbiddenError,
  404: notFoundError,
  413: (refusal, argument) => errorAt('BAD_USER_INPUT', [argument], 'invalid', quotedRefusalMessage(refusal)),
  414: tooLongError,
  431: tooLongError,
};

/** Reasons of the service that the gateway has, too; others become `invalid`. */
const knownReasons: ReadonlySet<string> = new Set<Reason>(['required', 'invalid', 'tooLong', 'tooMany']);

function invalidRequestError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
  const { reason, location, serviceText } = refusal;
  if (concernsTopic(refusal, argument)) return topicError('BAD_USER_INPUT', 'invalid', refusal);
  const path = location === undefined ? undefined : parseLocation(location, argument);
  // A call of the gateway can only lack the project that pays.
  if (reason === 'required' && (path?.[0] ?? 'userProject') === 'userProject')
    return invalidInputError(billingIssues({ requesterPays: true }, {}));
  if (/\bbucket name\b/i.test(serviceText)) return bucketNotFound();
  return errorAt(
    'BAD_USER_INPUT',
    path ?? [argument],
    knownReasons.has(reason) ? (reason as Reason) : 'invalid',
    quotedRefusalMessage(refusal),
  );
}

/** Arguments of the gateway by parameters of the service. */
const argumentsByParameter: Readonly<Record<string, string>> = {
  userProject: 'userProject',
  provisionalUserProject: 'provisionalUserProject',
  'x-goog-user-project': 'userProject',
  bucket: 'bucket',
  notification: 'notificationId',
  project: 'project',
};

/** Path of the argument that a location of the service names; undefined for other locations. */
function parseLocation(location: string, argument: ArgumentName): Path | undefined {
  const [name = ''] = /^[\w-]*/.exec(location) ?? [];
  if (argument === 'notification' && Object.hasOwn(notificationFields, name)) return [argument, name];
  const parameter = Object.hasOwn(argumentsByParameter, name) ? argumentsByParameter[name] : undefined;
  return parameter === undefined ? undefined : [parameter];
}

/** Whether the topic of a new notification is missing, or not accessible to the service. */
const concernsTopic = ({ serviceText }: ServiceRefusal, argument: ArgumentName): boolean =>
  argument === 'notification' && /\btopic\b/i.test(serviceText);

const topicError = (code: ErrorCode, reason: Reason, refusal: ServiceRefusal): AppError =>
  errorAt(code, ['notification', 'topic'], reason, quotedRefusalMessage(refusal));

/** Reports a URL that is too long, which never contains fields of a notification. */
function tooLongError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
  const path = argument === 'notification' ? 'bucket' : argument;
  return errorAt('BAD_USER_INPUT', [path], 'tooLong', quotedRefusalMessage(refusal));
}

function forbiddenError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
  if (refusal.lacksScope) return insufficientScopeError();
  if (concernsTopic(refusal, argument)) return topicError('FORBIDDEN', 'forbidden', refusal);
  if (/\bserviceusage\b/i.test(refusal.serviceText))
    return errorAt(
      'FORBIDDEN',
      ['userProject'],
      'forbidden',
      'You may not bill this project. Name one in which you may use services.',
    );
  if (argument === 'project')
    return errorAt(
      'FORBIDDEN',
      ['project'],
      'forbidden',
      'You may not list the buckets of this project, or there is no such project.',
    );
  // A bucket without access is reported as missing, so that nobody learns whether it exists.
  return bucketNotFound();
}

function notFoundError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
  if (concernsTopic(refusal, argument)) return topicError('NOT_FOUND', 'notFound', refusal);
  if (argument === 'project')
    return errorAt('NOT_FOUND', ['project'], 'notFound', 'There is no such project.');
  const isBucket = refusal.location === 'bucket' || /\bbucket does not exist\b/i.test(refusal.serviceText);
  return argument === 'notificationId' && !isBucket ? notificationNotFoundError() : bucketNotFound();
}

const unexpectedRefusalError = ({ status }: ServiceRefusal): AppError =>
  serviceUnavailableError(`The storage service refused this in an unexpected way (${status}).`);

const quotedRefusalMessage = (refusal: ServiceRefusal): string =>
  `The storage service refused this${refusal.serviceText === '' ? '.' : `: ${refusal.serviceText}`}`;

/** Error for a read whose response is no valid resource. */
export const unusableResponseError = (): AppError =>
  serviceUnavailableError('The storage service returned an unusable response.');

/** Error for an insert whose response is no valid notification. */
export const unconfirmedInsertError = (): AppError =>
  outcomeUnknownError(
    'The storage service returned an unusable response. The notification may have been created: check before you send it again.',
  );
