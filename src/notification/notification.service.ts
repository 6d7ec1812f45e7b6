import { manages, type Viewer } from '../access/permissions.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { errorAt, invalidInput, type Warning } from '../core/kernel/errors.ts';
import { earlierOutcome, requestIdIssues, requestRecord } from '../core/kernel/request-record.ts';
import type {
  MutationDeleteNotificationArgs,
  MutationInsertNotificationArgs,
  QueryNotificationArgs,
  QueryNotificationsArgs,
} from '../generated/resolvers-types.ts';
import { billingIssues, bodyWarnings, countIssues, notificationIssues, type BillingArgs } from './notification.checks.ts';
import { newNotification, type NotificationHosts } from './notification.create.ts';
import type { BucketRecord, NotificationStore } from './notification.store.ts';
import { viewOfNotification, type NotificationRecord, type NotificationView } from './notification.ts';

/** Where reads come from: loaders that gather the reads of one request. */
export interface NotificationReader {
  bucket(name: string): Promise<BucketRecord | undefined>;
  notifications(bucket: string): Promise<readonly NotificationRecord[]>;
}

export interface InsertedNotification {
  readonly notification: NotificationView;
  readonly warnings: readonly Warning[];
}

export interface NotificationService {
  /** Whether `validateOnly` tells what a write would come to, and stores nothing. */
  readonly canRehearse: boolean;
  getNotification(viewer: Viewer, args: QueryNotificationArgs, reader: NotificationReader): Promise<NotificationView>;
  listNotifications(
    viewer: Viewer,
    args: QueryNotificationsArgs,
    reader: NotificationReader,
  ): Promise<readonly NotificationView[]>;
  insertNotification(viewer: Viewer, args: MutationInsertNotificationArgs): Promise<InsertedNotification>;
  /** True when it was deleted. */
  deleteNotification(viewer: Viewer, args: MutationDeleteNotificationArgs): Promise<boolean>;
}

export interface NotificationServiceParts extends NotificationHosts {
  readonly store: NotificationStore<NotificationRecord>;
  readonly clock: Clock;
}

/** Makes, reads and deletes subscriptions. Throws AppError for whatever the viewer should be told. */
export function createNotificationService(parts: NotificationServiceParts): NotificationService {
  const { store, clock } = parts;
  return {
    canRehearse: true,

    async getNotification(viewer, args, reader) {
      open(viewer, args, await reader.bucket(args.bucket));
      const found = (await reader.notifications(args.bucket)).find(({ id }) => id === args.notificationId);
      if (!found) throw noNotification();
      return viewOfNotification(found);
    },

    async listNotifications(viewer, args, reader) {
      open(viewer, args, await reader.bucket(args.bucket));
      return (await reader.notifications(args.bucket)).map(viewOfNotification);
    },

    async insertNotification(viewer, args) {
      const { bucket: name, notification: body } = args;
      const request = requestRecord('insertNotification', viewer, args, clock);
      const inserted = await store.changeBucket<InsertedNotification>({ bucket: name, request }, (state) => {
        const { bucket, existing, nextId, earlier } = state;
        if (!manages(bucket, viewer)) throw noBucket();
        const first = earlierOutcome<InsertedNotification>(request, earlier);
        if (first) return { result: first };
        const issues = [
          ...billingIssues(bucket, args),
          ...requestIdIssues(args.requestId),
          ...notificationIssues(body),
          ...countIssues(body, existing),
        ];
        if (issues.length > 0) throw invalidInput(issues);
        const notification = newNotification(name, nextId, body, parts);
        const result = { notification: viewOfNotification(notification), warnings: bodyWarnings(body, notification) };
        return args.validateOnly ? { result } : { insert: notification, outcome: result, result };
      });
      if (!inserted) throw noBucket();
      return inserted;
    },

    async deleteNotification(viewer, args) {
      const deleted = await store.changeBucket({ bucket: args.bucket }, ({ bucket, existing }) => {
        open(viewer, args, bucket);
        if (!existing.some(({ id }) => id === args.notificationId)) throw noNotification();
        return { remove: args.notificationId, result: true };
      });
      if (!deleted) throw noBucket();
      return deleted;
    },
  };
}

/** Throws unless the caller may manage the bucket and somebody pays. A bucket they may not manage is not there. */
function open(viewer: Viewer, args: BillingArgs, bucket: BucketRecord | undefined): void {
  if (!bucket || !manages(bucket, viewer)) throw noBucket();
  const issues = billingIssues(bucket, args);
  if (issues.length > 0) throw invalidInput(issues);
}

const noBucket = () => errorAt('NOT_FOUND', ['bucket'], 'notFound', 'There is no such bucket.');
const noNotification = () =>
  errorAt('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');
