import { billingIssues, type BillingArgs } from '../../bucket/bucket.billing.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import type { NotificationService } from '../../notification/notification.service.ts';
import { viewOfNotification } from '../../notification/notification.ts';
import { storageFault, type Named } from './faults.ts';
import { createNotificationCalls } from './notification-calls.ts';
import { notificationTexts } from './notification-form.ts';
import { createNotificationInsert } from './notification-insert.ts';
import type { UpstreamStorageParts } from './service-parts.ts';

/** Makes, reads and deletes the notifications of the official API, as the caller. */
export function createUpstreamNotificationService(parts: UpstreamStorageParts): NotificationService {
  const calls = createNotificationCalls(parts.client);
  const insert = createNotificationInsert(parts, calls);

  /** Makes a call whose arguments are sound. */
  async function checked<T>(args: BillingArgs, named: Named, call: () => Promise<T>): Promise<T> {
    const issues = billingIssues({ requesterPays: false }, args);
    if (issues.length > 0) throw invalidInput(issues);
    return call().catch((error: unknown) => {
      throw storageFault(error, named);
    });
  }

  return {
    getNotification: (viewer, args, request, selected) =>
      checked(args, 'notificationId', async () =>
        viewOfNotification(await calls.get({ viewer, request }, args, notificationTexts(selected?.()))),
      ),
    listNotifications: (viewer, args, request, selected) =>
      checked(args, 'bucket', async () =>
        (await calls.list({ viewer, request }, args, notificationTexts(selected?.()))).map(
          viewOfNotification,
        ),
      ),
    insertNotification: (viewer, args, request, selected) => insert({ viewer, args, request, selected }),
    async deleteNotification(viewer, args, request) {
      await checked(args, 'notificationId', () => calls.remove({ viewer, request }, args));
      return true;
    },
  };
}
