import type { ViewerOperation } from '../access/permissions.ts';
import { isManager, bucketNotFound } from '../bucket/bucket.view.ts';
import { billingIssues, openBucket } from '../bucket/bucket.requests.ts';
import { createLoader } from '../core/runtime/request-loader.ts';
import type { BucketStore } from '../bucket/bucket.store.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { requireValid, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { readEarlierOutcome, requestIdIssues, createRequestRecord } from '../core/request-record.ts';
import {
  createBodyWarnings,
  type DeleteNotificationArgs,
  findCountIssues,
  findNotificationIssues,
  type GetNotificationArgs,
  type InsertNotificationArgs,
  type ListNotificationsArgs,
  notificationNotFoundError,
} from './notification.fields.ts';
import { createNotification, type NotificationHosts } from './notification.create.ts';
import type { NotificationStore } from './notification.store.ts';
import { notificationViewOf, type NotificationView } from './notification.ts';

export interface InsertNotificationResult {
  readonly notification: NotificationView;
  readonly warnings: readonly Warning[];
}

/** Reads and changes notifications as a viewer may. Throws AppError. */
export interface NotificationService {
  readonly getNotification: ViewerOperation<GetNotificationArgs, NotificationView>;
  readonly listNotifications: ViewerOperation<ListNotificationsArgs, readonly NotificationView[]>;
  readonly insertNotification: ViewerOperation<InsertNotificationArgs, InsertNotificationResult>;
  readonly deleteNotification: ViewerOperation<DeleteNotificationArgs, boolean>;
}

interface NotificationServiceDependencies extends NotificationHosts {
  readonly buckets: BucketStore;
  readonly store: NotificationStore;
  readonly clock: Clock;
}

/** Creates the service of notifications. Its methods report all issues of a request at once. */
export function createNotificationService(
  dependencies: NotificationServiceDependencies,
): NotificationService {
  const { store, clock } = dependencies;
  const readBucket = createLoader((names: readonly string[]) => dependencies.buckets.buckets(names));
  const readNotifications = createLoader((buckets: readonly string[]) => store.notifications(buckets));
  return {
    async getNotification(viewer, args, request) {
      openBucket(viewer, args, await readBucket(request, args.bucket));
      const notification = (await readNotifications(request, args.bucket)).find(
        ({ id }) => id === args.notificationId,
      );
      if (!notification) throw notificationNotFoundError();
      return notificationViewOf(notification);
    },

    async listNotifications(viewer, args, request) {
      openBucket(viewer, args, await readBucket(request, args.bucket));
      return (await readNotifications(request, args.bucket)).map(notificationViewOf);
    },

    async insertNotification(viewer, args) {
      const { bucket: bucketName, notification: body } = args;
      const request = createRequestRecord('insertNotification', viewer, args, clock);
      const insertResult = await store.changeNotifications<InsertNotificationResult>(
        { bucket: bucketName, request },
        (state) => {
          const { bucket, storedNotifications, nextId, earlierRequest } = state;
          if (!isManager(bucket, viewer)) throw bucketNotFound();
          const storedResult = readEarlierOutcome<InsertNotificationResult>(request, earlierRequest);
          if (storedResult) return { result: storedResult };
          requireValid([
            ...billingIssues(bucket, args),
            ...requestIdIssues(args.requestId),
            ...findNotificationIssues(body),
            ...findCountIssues(body, storedNotifications),
          ]);
          const notification = createNotification(bucketName, nextId, body, dependencies);
          const result = {
            notification: notificationViewOf(notification),
            warnings: createBodyWarnings(body, notification, storedNotifications),
          };
          return args.validateOnly ? { result } : { insert: notification, outcome: result, result };
        },
      );
      if (!insertResult) throw bucketNotFound();
      return insertResult;
    },

    async deleteNotification(viewer, args) {
      const isDeleted = await store.changeNotifications(
        { bucket: args.bucket },
        ({ bucket, storedNotifications }) => {
          openBucket(viewer, args, bucket);
          const notification = storedNotifications.find(({ id }) => id === args.notificationId);
          if (!notification) throw notificationNotFoundError();
          requireMatch(args.ifMatch, () => notification.etag, 'notification');
          return { remove: args.notificationId, result: true };
        },
      );
      if (!isDeleted) throw bucketNotFound();
      return isDeleted;
    },
  };
}
