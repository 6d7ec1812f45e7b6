import { errorAt, type AppError } from '../core/kernel/errors.ts';

export const noNotification = (): AppError =>
  errorAt('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');
