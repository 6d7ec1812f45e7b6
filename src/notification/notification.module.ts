import { pageQuery, query, type ResourceModule, stream, write, writeValue } from '../operations/operation.ts';
import { findNotificationIssues } from './notification.fields.ts';
import type { NotificationService } from './notification.service.ts';
import { findObjectChangeIssues } from './publishing/message.ts';
import type { PublishingService } from './publishing/publishing.service.ts';

interface NotificationModuleDependencies {
  readonly notifications: NotificationService;
  readonly publishing: PublishingService;
}

/** Creates the operations on notifications of buckets and on the messages they cause. */
export function createNotificationModule({ notifications, publishing }: NotificationModuleDependencies) {
  return {
    operations: {
      notification: query(notifications.getNotification),
      notifications: query(notifications.listNotifications),
      messages: pageQuery(publishing.listMessages),
      insertNotification: write(
        notifications.insertNotification,
        ({ notification }) => notification,
        ({ notification }) => (notification ? findNotificationIssues(notification) : []),
      ),
      deleteNotification: writeValue(notifications.deleteNotification),
      publishObjectChange: write(
        publishing.publishObjectChange,
        ({ messages }) => ({ messages: [...messages] }),
        ({ change }) =>
          change ? findObjectChangeIssues({ ...change, objectId: change.objectId ?? '' }) : [],
      ),
      messagePublished: stream(publishing.followMessages),
    },
  } satisfies ResourceModule;
}
