import type { Issue } from '../core/kernel/errors.ts';
import type { ResourceModule } from '../operations/module.ts';
import { pageQuery, query, stream, write } from '../operations/operation.ts';
import { notificationIssues } from './notification.checks.ts';
import type {
  DeleteNotificationArgs,
  FollowMessagesArgs,
  GetNotificationArgs,
  InsertNotificationArgs,
  ListMessagesArgs,
  ListNotificationsArgs,
  ObjectChangeBody,
  PublishObjectChangeArgs,
} from './notification.requests.ts';
import type { NotificationService } from './notification.service.ts';
import { changeIssues } from './publishing/object-change.ts';
import type { PublishingService } from './publishing/publishing.service.ts';

export interface NotificationModuleParts {
  readonly notifications: NotificationService;
  readonly publishing: PublishingService;
}

/** Notifications of buckets and the messages they cause, as a resource of the gateway. */
export function createNotificationModule({ notifications, publishing }: NotificationModuleParts) {
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
        { canRehearse: notifications.canRehearse },
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
        { canRehearse: publishing.canRehearse },
      ),
      messagePublished: stream((args: FollowMessagesArgs, context) =>
        publishing.followMessages(context.caller(), args, context.stream()),
      ),
    },
    inputChecks: {
      NotificationInput: { issuesOf: (value) => fromArgument(notificationIssues(value)) },
      ObjectChangeInput: {
        issuesOf: (value) =>
          fromArgument(changeIssues({ objectId: '', ...(value as Omit<ObjectChangeBody, 'objectId'>) })),
      },
    },
  } satisfies ResourceModule;
}

/** Makes paths relative to the argument's value. */
const fromArgument = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
