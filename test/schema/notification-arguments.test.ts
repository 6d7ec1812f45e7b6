import type {
  MutationDeleteNotificationArgs,
  MutationInsertNotificationArgs,
  MutationPublishObjectChangeArgs,
  NotificationInput,
  ObjectChangeInput,
  QueryMessagesArgs,
  QueryNotificationArgs,
  QueryNotificationsArgs,
  SubscriptionMessagePublishedArgs,
} from '../../src/generated/resolvers-types.ts';
import type {
  DeleteNotificationArgs,
  FollowMessagesArgs,
  GetNotificationArgs,
  InsertNotificationArgs,
  ListMessagesArgs,
  ListNotificationsArgs,
  NotificationBody,
  ObjectChangeBody,
  PublishObjectChangeArgs,
} from '../../src/notification/notification.requests.ts';

/** Compiles where a service takes arguments as the schema gives them, and knows each of them. */
type Fits<Generated extends Own, Own extends { readonly [Name in keyof Own]: unknown }> =
  Exclude<keyof Generated, keyof Own> extends never ? true : never;

test('the services of notifications know every argument of the schema', () => {
  const fits: readonly [
    Fits<QueryNotificationArgs, GetNotificationArgs>,
    Fits<QueryNotificationsArgs, ListNotificationsArgs>,
    Fits<MutationInsertNotificationArgs, InsertNotificationArgs>,
    Fits<MutationDeleteNotificationArgs, DeleteNotificationArgs>,
    Fits<MutationPublishObjectChangeArgs, PublishObjectChangeArgs>,
    Fits<QueryMessagesArgs, ListMessagesArgs>,
    Fits<SubscriptionMessagePublishedArgs, FollowMessagesArgs>,
    Fits<NotificationInput, NotificationBody>,
    Fits<ObjectChangeInput, ObjectChangeBody>,
  ] = [true, true, true, true, true, true, true, true, true];
  expect(fits).not.toContain(false);
});
