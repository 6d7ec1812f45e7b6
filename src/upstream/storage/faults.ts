import { noBucket } from '../../bucket/bucket.view.ts';
import { billingIssues } from '../../bucket/bucket.requests.ts';
import {
  AppError,
  errorAt,
  invalidInput,
  type ErrorCode,
  type Path,
  type Reason,
} from '../../core/errors.ts';
import { noNotification } from '../../notification/notification.checks.ts';
import { notificationFields } from '../../notification/notification.fields.ts';
import { ServiceRefusal } from '../client/responses.ts';
import { insufficientScope } from '../form.ts';

/** The argument that a call is about: the one to blame where the service names none. */
export type Named = 'bucket' | 'notification' | 'notificationId' | 'project';

/** A refusal of the service in the gateway's words; any other error as it is. */
export function storageFault(error: unknown, named: Named): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  return (byStatus[error.status] ?? unexpected)(error, named);
}

const byStatus: Readonly<Record<number, (refusal: ServiceRefusal, named: Named) => AppError>> = {
  400: invalid,
  403: forbidden,
  404: notFound,
  413: (refusal, named) => errorAt('BAD_USER_INPUT', [named], 'invalid', said(refusal)),
  414: tooLong,
  431: tooLong,
};

const known: ReadonlySet<string> = new Set<Reason>(['required', 'invalid', 'tooLong', 'tooMany']);

function invalid(refusal: ServiceRefusal, named: Named): AppError {
  const { reason, location, words } = refusal;
  if (isOfTopic(refusal, named)) return ofTopic('BAD_USER_INPUT', 'invalid', refusal);
  const path = location === undefined ? undefined : placeOf(location, named);
  // Which project pays is all that a call without it lacks.
  if (reason === 'required' && (path?.[0] ?? 'userProject') === 'userProject')
    return invalidInput(billingIssues({ requesterPays: true }, {}));
  if (/\bbucket name\b/i.test(words)) return noBucket();
  return errorAt(
    'BAD_USER_INPUT',
    path ?? [named],
    known.has(reason) ? (reason as Reason) : 'invalid',
    said(refusal),
  );
}

/** Parameters by what the service calls them. */
const parameters: Readonly<Record<string, string>> = {
  userProject: 'userProject',
  provisionalUserProject: 'provisionalUserProject',
  'x-goog-user-project': 'userProject',
  bucket: 'bucket',
  notification: 'notificationId',
  project: 'project',
};

function placeOf(location: string, named: Named): Path | undefined {
  const [name = ''] = /^[\w-]*/.exec(location) ?? [];
  if (named === 'notification' && Object.hasOwn(notificationFields, name)) return [named, name];
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  return parameter === undefined ? undefined : [parameter];
}

/** Whether the topic of a new notification is not there, or closed to the service. */
const isOfTopic = ({ words }: ServiceRefusal, named: Named): boolean =>
  named === 'notification' && /\btopic\b/i.test(words);

const ofTopic = (code: ErrorCode, reason: Reason, refusal: ServiceRefusal): AppError =>
  errorAt(code, ['notification', 'topic'], reason, said(refusal));

/** Of the URL, in which the fields of a notification do not stand. */
function tooLong(refusal: ServiceRefusal, named: Named): AppError {
  return errorAt('BAD_USER_INPUT', [named === 'notification' ? 'bucket' : named], 'tooLong', said(refusal));
}

function forbidden(refusal: ServiceRefusal, named: Named): AppError {
  if (refusal.lacksScope) return insufficientScope();
  if (isOfTopic(refusal, named)) return ofTopic('FORBIDDEN', 'forbidden', refusal);
  if (/\bserviceusage\b/i.test(refusal.words))
    return errorAt(
      'FORBIDDEN',
      ['userProject'],
      'forbidden',
      'You may not let this project pay. Name one in which you may use services.',
    );
  if (named === 'project')
    return errorAt(
      'FORBIDDEN',
      ['project'],
      'forbidden',
      'You may not list the buckets of this project, or there is no such project.',
    );
  // Whether there is such a bucket is not told.
  return noBucket();
}

function notFound(refusal: ServiceRefusal, named: Named): AppError {
  if (isOfTopic(refusal, named)) return ofTopic('NOT_FOUND', 'notFound', refusal);
  if (named === 'project') return errorAt('NOT_FOUND', ['project'], 'notFound', 'There is no such project.');
  const isBucket = refusal.location === 'bucket' || /\bbucket does not exist\b/i.test(refusal.words);
  return named === 'notificationId' && !isBucket ? noNotification() : noBucket();
}

const unexpected = ({ status }: ServiceRefusal): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    `The storage service refused this in a way that it should not (${status}).`,
  );

/** In the service's words. */
const said = (refusal: ServiceRefusal): string =>
  `The storage service refused this${refusal.words === '' ? '.' : `: ${refusal.words}`}`;

/** Of an answer that is not what was asked for. */
export const noUse = (): AppError =>
  new AppError('UNAVAILABLE', 'backendError', 'The storage service gave an answer that cannot be used.');

/** Of such an answer to an insert. */
export const unknownOutcome = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'outcomeUnknown',
    'The storage service gave an answer that cannot be used. The notification may have been made: look before you send it again.',
  );
