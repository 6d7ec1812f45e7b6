import { chunkedConnection } from '../core/runtime/chunked-page.ts';
import type { Streamed } from '../core/runtime/stream.ts';
import type { MutationResolvers, QueryResolvers, SubscriptionResolvers } from '../generated/resolvers-types.ts';
import type { MessageView } from './publishing/message.ts';

export const notificationQueries: Required<Pick<QueryResolvers, 'notification' | 'notifications' | 'messages'>> = {
  notification: (_root, args, context) =>
    context.services.notifications.getNotification(context.caller(), args, context),
  notifications: async (_root, args, context) => [
    ...(await context.services.notifications.listNotifications(context.caller(), args, context)),
  ],
  messages: async (_root, args, context) =>
    chunkedConnection(await context.readQueue(() => context.services.publishing.listMessages(context.caller(), args))),
};

export const notificationMutations: Required<
  Pick<MutationResolvers, 'insertNotification' | 'deleteNotification' | 'publishObjectChange'>
> = {
  insertNotification: async (_root, args, context, { path }) => {
    const result = await context.services.notifications.insertNotification(context.caller(), args);
    context.notes.add(path.key, result);
    return result.notification;
  },
  deleteNotification: (_root, args, context) =>
    context.services.notifications.deleteNotification(context.caller(), args),
  publishObjectChange: async (_root, args, context, { path }) => {
    const result = await context.services.publishing.publishObjectChange(context.caller(), args);
    context.notes.add(path.key, result);
    return { messages: [...result.messages] };
  },
};

export const notificationSubscriptions: Required<Pick<SubscriptionResolvers, 'messagePublished'>> = {
  messagePublished: {
    subscribe: (_root, args, context) => context.services.publishing.followMessages(context.caller(), args, context.stream()),
    resolve: ({ value }: Streamed<MessageView>) => value,
  },
};
