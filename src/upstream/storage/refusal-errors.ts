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
import { insufficientScopeError, issueReasonOf, quoteRefusal, unexpectedRefusalError } from '../errors.ts';

/** Argument that a refusal is reported at, if the service names none. */
export type ArgumentName = 'bucket' | 'notification' | 'notificationId' | 'project';

/** Converts a refusal to an error of the gateway; returns other errors unchanged. */
export function toStorageError(error: unknown, argument: ArgumentName): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  const message = quoteRefusal('storage', error);
  switch (error.status) {
    case 400:
      return toInvalidRequestError(error, argument);
    case 403:
      return toForbiddenError(error, argument);
    case 404:
      return toNotFoundError(error, argument);
    case 413:
      return errorAt('BAD_USER_INPUT', [argument], 'invalid', message);
    case 414:
    case 431:
      // A URL that is too long never contains fields of a notification.
      return errorAt(
        'BAD_USER_INPUT',
        [argument === 'notification' ? 'bucket' : argument],
        'tooLong',
        message,
      );
    default:
      return unexpectedRefusalError('storage', error);
  }
}

/** Creates the handler of a rejected call, which throws the converted error. */
export const rethrowStorageError =
  (argument: ArgumentName) =>
  (error: unknown): never => {
    throw toStorageError(error, argument);
  };

function toInvalidRequestError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
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
    issueReasonOf(refusal),
    quoteRefusal('storage', refusal),
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
  errorAt(code, ['notification', 'topic'], reason, quoteRefusal('storage', refusal));

function toForbiddenError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
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

function toNotFoundError(refusal: ServiceRefusal, argument: ArgumentName): AppError {
  if (concernsTopic(refusal, argument)) return topicError('NOT_FOUND', 'notFound', refusal);
  if (argument === 'project')
    return errorAt('NOT_FOUND', ['project'], 'notFound', 'There is no such project.');
  const isBucket = refusal.location === 'bucket' || /\bbucket does not exist\b/i.test(refusal.serviceText);
  return argument === 'notificationId' && !isBucket ? notificationNotFoundError() : bucketNotFound();
}

/** Error for a read whose response is no valid resource. */
export const unusableResponseError = (): AppError =>
  serviceUnavailableError('The storage service returned an unusable response.');

/** Error for an insert whose response is no valid notification. */
export const unconfirmedInsertError = (): AppError =>
  outcomeUnknownError(
    'The storage service returned an unusable response. The notification may have been created: check before you send it again.',
  );
