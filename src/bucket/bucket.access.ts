import { isCaller, type Viewer } from '../access/permissions.ts';
import { errorAt, type AppError } from '../core/kernel/errors.ts';
import type { BucketRecord } from './bucket.store.ts';

/** Whether the caller may see and change a bucket and its notifications. */
export const manages = ({ managers }: Pick<BucketRecord, 'managers'>, viewer: Viewer): boolean =>
  managers.some((name) => isCaller(name, viewer));

/** Also for a bucket that the caller may not manage: its existence is not disclosed. */
export const noBucket = (): AppError =>
  errorAt('NOT_FOUND', ['bucket'], 'notFound', 'There is no such bucket.');
