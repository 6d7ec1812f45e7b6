import { AppError, type Reason, serviceUnavailableError } from '../core/errors.ts';
import type { ServiceRefusal } from './client/responses.ts';

/** Rejects operations that the gateway does not offer with the official service behind it. */
export const rejectNotOffered = (): Promise<never> =>
  Promise.reject(
    new AppError(
      'FORBIDDEN',
      'notOffered',
      'This is not offered here: the gateway forwards to the official service and stores nothing itself. Use that service.',
    ),
  );

export const insufficientScopeError = (): AppError =>
  new AppError('FORBIDDEN', 'insufficientScope', 'The token lacks the scope for this.');

/** Error for a refusal with a status that the API does not document. `service`: its name in messages. */
export const unexpectedRefusalError = (service: string, { status }: ServiceRefusal): AppError =>
  serviceUnavailableError(`The ${service} service refused this in an unexpected way (${status}).`);

/** Quotes the text of a service for the caller. */
export const quoteRefusal = (service: string, { serviceText }: ServiceRefusal): string =>
  `The ${service} service refused this${serviceText === '' ? '.' : `: ${serviceText}`}`;

/** Reasons that any refusal of an input may have. */
const inputReasons: readonly string[] = ['required', 'invalid', 'tooLong', 'tooMany'] satisfies Reason[];

/** Returns the reason of the service if the gateway has it, too, else `invalid`. */
export const issueReasonOf = ({ reason }: ServiceRefusal, otherReasons: readonly string[] = []): Reason =>
  inputReasons.includes(reason) || otherReasons.includes(reason) ? (reason as Reason) : 'invalid';
