import type { Issue } from '../core/kernel/errors.ts';
import type { ResourceModule } from '../faces/graphql/module.ts';
import { notificationIssues } from './notification.checks.ts';
import { notificationMutations, notificationQueries, notificationSubscriptions } from './notification.resolvers.ts';
import {
  createNotificationService,
  type NotificationService,
  type NotificationServiceParts,
} from './notification.service.ts';
import type { ObjectChangeBody } from './notification.requests.ts';
import { changeIssues } from './publishing/object-change.ts';
import { createPublishingService, type PublishingParts, type PublishingService } from './publishing/publishing.service.ts';

declare module '../faces/graphql/context.ts' {
  interface Services {
    readonly notifications: NotificationService;
    readonly publishing: PublishingService;
  }
}

/** Notification subscriptions of buckets and the messages they cause, as a resource of the gateway. */
export const createNotificationModule = (parts: NotificationServiceParts & PublishingParts): ResourceModule => ({
  resolvers: { Query: notificationQueries, Mutation: notificationMutations, Subscription: notificationSubscriptions },
  services: { notifications: createNotificationService(parts), publishing: createPublishingService(parts) },
  createLoaders: () => ({}),
  inputChecks: {
    NotificationInput: (value) => fromArgument(notificationIssues(value)),
    ObjectChangeInput: (value) => fromArgument(changeIssues({ objectId: '', ...(value as Omit<ObjectChangeBody, 'objectId'>) })),
  },
});

/** Paths from the value on, without the argument it was given for. */
const fromArgument = (issues: readonly Issue[]): Issue[] => issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
