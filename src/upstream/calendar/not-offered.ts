import { AppError } from '../../core/kernel/errors.ts';

/** What the official API does not have. */
export const notOffered = (): Promise<never> =>
  Promise.reject(new AppError('FORBIDDEN', 'notOffered', 'This is not offered in front of the calendar service. Use the service itself.'));
