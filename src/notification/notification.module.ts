import {
  forCaller,
  pageQuery,
  query,
  type ResourceModule,
  stream,
  write,
  writeValue,
} from '../operations/operation.ts';
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
      notification: query(forCaller(notifications.getNotification)),
      notifications: query(forCaller(notifications.listNotifications)),
      messages: pageQuery(forCaller(publishing.listMessages)),
      insertNotification: write(
        forCaller(notifications.insertNotification),
        ({ notification }) => notification,
        ({ notification }) => (notification ? findNotificationIssues(notification) : []),
      ),
      deleteNotification: writeValue(forCaller(notifications.deleteNotification)),
      publishObjectChange: write(
        forCaller(publishing.publishObjectChange),
        ({ messages }) => ({ messages: [...messages] }),
        ({ change }) =>
          change ? findObjectChangeIssues({ ...change, objectId: change.objectId ?? '' }) : [],
      ),
      messagePublished: stream(publishing.followMessages),
    },
  } satisfies ResourceModule;
}
