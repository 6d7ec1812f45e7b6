import { AppError } from '../core/kernel/errors.ts';

/** Stands for a method of a service that the official one behind the gateway does not have. */
export const notOffered = (): Promise<never> =>
  Promise.reject(
    new AppError(
      'FORBIDDEN',
      'notOffered',
      'This is not offered here: the gateway stands in front of the official service, and keeps nothing itself. Use that service.',
    ),
  );
