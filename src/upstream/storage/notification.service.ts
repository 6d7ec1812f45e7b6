import type { NotificationService } from '../../notification/notification.service.ts';
import { notOffered } from '../not-offered.ts';
import type { UpstreamStorageParts } from './service-parts.ts';

/** Makes, reads and deletes the notifications of the official API, as the caller. */
export function createUpstreamNotificationService(_parts: UpstreamStorageParts): NotificationService {
  return { canRehearse: true, getNotification: notOffered, listNotifications: notOffered, insertNotification: notOffered, deleteNotification: notOffered };
}
