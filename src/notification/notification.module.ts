import { pageQuery, query, type ResourceModule, stream, write } from '../operations/operation.ts';
import { findNotificationIssues } from './notification.checks.ts';
import type {
  DeleteNotificationArgs,
  FollowMessagesArgs,
  GetNotificationArgs,
  InsertNotificationArgs,
  ListMessagesArgs,
  ListNotificationsArgs,
  PublishObjectChangeArgs,
} from './notification.requests.ts';
import type { NotificationService } from './notification.service.ts';
import { findObjectChangeIssues } from './publishing/object-change.ts';
import type { PublishingService } from './publishing/publishing.service.ts';

interface NotificationModuleDependencies {
  readonly notifications: NotificationService;
  readonly publishing: PublishingService;
}

/** Creates the operations on notifications of buckets and on the messages they cause. */
export function createNotificationModule({ notifications, publishing }: NotificationModuleDependencies) {
  return {
    operations: {
      notification: query((args: GetNotificationArgs, context, selected) =>
        notifications.getNotification(context.caller(), args, context, selected),
      ),
      notifications: query((args: ListNotificationsArgs, context, selected) =>
        notifications.listNotifications(context.caller(), args, context, selected),
      ),
      messages: pageQuery((args: ListMessagesArgs, context) =>
        publishing.listMessages(context.caller(), args),
      ),
      insertNotification: write(
        (args: InsertNotificationArgs, context, selected) =>
          notifications.insertNotification(context.caller(), args, context, selected),
        ({ notification }) => notification,
        ({ notification }) => (notification ? findNotificationIssues(notification) : []),
      ),
      deleteNotification: write(
        async (args: DeleteNotificationArgs, context) => ({
          deleted: await notifications.deleteNotification(context.caller(), args, context),
          warnings: [],
        }),
        ({ deleted }) => deleted,
      ),
      publishObjectChange: write(
        (args: PublishObjectChangeArgs, context) => publishing.publishObjectChange(context.caller(), args),
        ({ messages }) => ({ messages: [...messages] }),
        ({ change }) =>
          change ? findObjectChangeIssues({ ...change, objectId: change.objectId ?? '' }) : [],
      ),
      messagePublished: stream((args: FollowMessagesArgs, context) =>
        publishing.followMessages(context.caller(), args, context.stream()),
      ),
    },
  } satisfies ResourceModule;
}
