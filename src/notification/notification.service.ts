import { manages, type Viewer } from '../access/permissions.ts';
import { errorAt, invalidInput, type Issue, type Warning } from '../core/errors.ts';
import { requestIdIssues, requestIdReused, requestMark } from '../core/request-mark.ts';
import type { BucketRecord, NotificationStore } from './notification.store.ts';
import type { Clock } from '../core/clock.ts';
import { bodyWarnings, checkBody, countIssues } from './notification.checks.ts';
import { newNotification } from './notification.create.ts';
import type { NotificationBody, NotificationRecord } from './notification.ts';

/** Where reads come from: the store itself, or loaders that gather the reads of one request. */
export interface NotificationReader {
  bucket(name: string): Promise<BucketRecord | undefined>;
  notifications(bucket: string): Promise<readonly NotificationRecord[]>;
}

type BucketReader = Pick<NotificationReader, 'bucket'>;

export interface BucketArgs {
  readonly bucket: string;
  readonly userProject?: string | null;
  readonly provisionalUserProject?: string | null;
}

export interface InsertNotificationArgs extends BucketArgs {
  readonly requestId?: string | null;
  readonly notification: NotificationBody;
}

export interface NotificationArgs extends BucketArgs {
  readonly notificationId: string;
}

export interface NotificationService {
  getNotification(viewer: Viewer, args: NotificationArgs, reader: NotificationReader): Promise<NotificationRecord>;
  listNotifications(viewer: Viewer, args: BucketArgs, reader: NotificationReader): Promise<readonly NotificationRecord[]>;
  insertNotification(
    viewer: Viewer,
    args: InsertNotificationArgs,
  ): Promise<{ notification: NotificationRecord; warnings: readonly Warning[] }>;
  /** True when it was deleted. */
  deleteNotification(viewer: Viewer, args: NotificationArgs): Promise<boolean>;
}

export interface NotificationServiceParts {
  readonly store: NotificationStore<NotificationRecord>;
  readonly clock: Clock;
  /** The host of topics that are given without one. */
  readonly pubsubHost: string;
  /** The host of self links. */
  readonly storageHost: string;
}

/** Makes, reads and deletes subscriptions. Throws AppError for whatever the viewer should be told. */
export function createNotificationService(parts: NotificationServiceParts): NotificationService {
  const { store } = parts;
  const direct: BucketReader = { bucket: async (name) => (await store.buckets([name]))[0] };
  return {
    async getNotification(viewer, args, reader) {
      await openBucket(viewer, args, reader);
      const found = (await reader.notifications(args.bucket)).find(({ id }) => id === args.notificationId);
      if (!found) throw noNotification();
      return found;
    },

    async listNotifications(viewer, args, reader) {
      await openBucket(viewer, args, reader);
      return reader.notifications(args.bucket);
    },

    async insertNotification(viewer, args) {
      const bucket = await findBucket(viewer, args.bucket, direct);
      const { issues, topic } = checkBody(args.notification, parts.pubsubHost);
      const all = [...payerIssues(bucket, args), ...requestIdIssues(args.requestId), ...issues];
      const outcome = await store.insertNotification(
        args.bucket,
        (existing, id) => {
          const found = [...all, ...countIssues(args.notification, existing)];
          if (found.length > 0) throw invalidInput(found);
          return newNotification(args.bucket, id, { ...args.notification, topic }, parts.storageHost);
        },
        requestMark('insertNotification', viewer, args, parts.clock),
      );
      if (outcome.kind === 'reused') throw requestIdReused();
      if (outcome.kind === 'taken') throw noBucket();
      return { notification: outcome.record, warnings: bodyWarnings(args.notification, outcome.record) };
    },

    async deleteNotification(viewer, args) {
      await openBucket(viewer, args, direct);
      if (!(await store.removeNotification(args.bucket, args.notificationId))) throw noNotification();
      return true;
    },
  };
}

/** The bucket, when the caller may manage it and somebody pays. */
async function openBucket(viewer: Viewer, args: BucketArgs, reader: BucketReader): Promise<void> {
  const issues = payerIssues(await findBucket(viewer, args.bucket, reader), args);
  if (issues.length > 0) throw invalidInput(issues);
}

/** A bucket the caller may not manage is not there. */
async function findBucket(viewer: Viewer, name: string, reader: BucketReader): Promise<BucketRecord> {
  const bucket = await reader.bucket(name);
  if (!bucket || !manages(bucket, viewer)) throw noBucket();
  return bucket;
}

function payerIssues(bucket: BucketRecord, { userProject, provisionalUserProject }: BucketArgs): Issue[] {
  if (!bucket.requesterPays || userProject || provisionalUserProject) return [];
  const message = 'This is a requester-pays bucket: userProject is required, the project the request is billed to.';
  return [{ path: ['userProject'], reason: 'required', message }];
}

const noBucket = () => errorAt('NOT_FOUND', ['bucket'], 'notFound', 'There is no such bucket.');
const noNotification = () =>
  errorAt('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');
