import type { MutationResolvers, QueryResolvers } from '../generated/resolvers-types.ts';

export const notificationQueries: Required<Pick<QueryResolvers, 'notification' | 'notifications'>> = {
  notification: (_root, args, context) =>
    context.services.notifications.getNotification(context.caller(), args, context.loaders.notifications),
  notifications: async (_root, args, context) => [
    ...(await context.services.notifications.listNotifications(context.caller(), args, context.loaders.notifications)),
  ],
};

export const notificationMutations: Required<Pick<MutationResolvers, 'insertNotification' | 'deleteNotification'>> = {
  insertNotification: async (_root, args, context) => {
    const { notification, warnings } = await context.services.notifications.insertNotification(context.caller(), args);
    context.notes.warnings.push(...warnings);
    return notification;
  },
  deleteNotification: (_root, args, context) =>
    context.services.notifications.deleteNotification(context.caller(), args),
};
