import type { Issue } from '../core/kernel/errors.ts';
import type { RequestKey } from '../core/runtime/per-request.ts';
import type {
  MutationDeleteNotificationArgs,
  MutationInsertNotificationArgs,
  MutationPublishObjectChangeArgs,
  QueryMessagesArgs,
  QueryNotificationArgs,
  QueryNotificationsArgs,
  SubscriptionMessagePublishedArgs,
} from '../generated/resolvers-types.ts';
import type { ResourceModule } from '../operations/module.ts';
import { pageQuery, query, stream, write } from '../operations/operation.ts';
import { notificationIssues } from './notification.checks.ts';
import type { NotificationReader, NotificationService } from './notification.service.ts';
import { changeIssues, type ObjectChangeBody } from './publishing/object-change.ts';
import type { PublishingService } from './publishing/publishing.service.ts';

export interface NotificationModuleParts {
  readonly notifications: NotificationService;
  readonly publishing: PublishingService;
  readonly readerOf: (request: RequestKey) => NotificationReader;
}

/** Notification subscriptions of buckets and the messages they cause, as a resource of the gateway. */
export function createNotificationModule({ notifications, publishing, readerOf }: NotificationModuleParts) {
  return {
    operations: {
      notification: query((args: QueryNotificationArgs, context) => notifications.getNotification(context.caller(), args, readerOf(context))),
      notifications: query((args: QueryNotificationsArgs, context) => notifications.listNotifications(context.caller(), args, readerOf(context))),
      messages: pageQuery((args: QueryMessagesArgs, context) => publishing.listMessages(context.caller(), args)),
      insertNotification: write(
        (args: MutationInsertNotificationArgs, context) => notifications.insertNotification(context.caller(), args),
        ({ notification }) => notification,
        { canRehearse: notifications.canRehearse },
      ),
      deleteNotification: write(
        async (args: MutationDeleteNotificationArgs, context) => ({ deleted: await notifications.deleteNotification(context.caller(), args), warnings: [] }),
        ({ deleted }) => deleted,
      ),
      publishObjectChange: write(
        (args: MutationPublishObjectChangeArgs, context) => publishing.publishObjectChange(context.caller(), args),
        ({ messages }) => ({ messages: [...messages] }),
        { canRehearse: publishing.canRehearse },
      ),
      messagePublished: stream((args: SubscriptionMessagePublishedArgs, context) => publishing.followMessages(context.caller(), args, context.stream())),
    },
    inputChecks: {
      NotificationInput: (value: unknown) => fromArgument(notificationIssues(value)),
      ObjectChangeInput: (value: unknown) => fromArgument(changeIssues({ objectId: '', ...(value as Omit<ObjectChangeBody, 'objectId'>) })),
    },
  } satisfies ResourceModule;
}

/** Paths from the value on, without the argument it was given for. */
const fromArgument = (issues: readonly Issue[]): Issue[] => issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
