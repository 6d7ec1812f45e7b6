import type { Issue } from '../core/errors.ts';
import { unknownFieldIssues } from '../core/rules.ts';
import type { NotificationStore } from './notification.store.ts';
import { checkBody, countIssues } from './notification.checks.ts';
import { newNotification } from './notification.create.ts';
import { notificationRules } from './notification.rules.ts';
import type { NotificationBody, NotificationRecord } from './notification.ts';

export interface NotificationHosts {
  readonly pubsubHost: string;
  readonly storageHost: string;
}

/**
 * Stores a REST body as it is, with the id it brings; all issues when it breaks a rule. While it runs nobody else
 * may write to the bucket.
 */
export async function importNotification(
  store: NotificationStore<NotificationRecord>,
  bucket: string,
  body: unknown,
  hosts: NotificationHosts,
): Promise<Issue[]> {
  const known = unknownFieldIssues(notificationRules, body, []);
  if (known.length > 0) return known;
  const given = body as NotificationBody;
  const { issues, topic } = checkBody(given, hosts.pubsubHost);
  if (typeof given.id === 'string' && !/^[1-9]\d{0,14}$/.test(given.id)) {
    const message = 'id must be a decimal number of 1 to 15 digits that does not begin with 0.';
    issues.push({ path: ['notification', 'id'], reason: 'invalid', message });
  }
  if (issues.length === 0) {
    const existing = await store.notifications([bucket]);
    issues.push(...countIssues(given, existing.flat()));
  }
  if (issues.length > 0) return issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
  const outcome = await store.insertNotification(bucket, (_existing, next) =>
    newNotification(bucket, given.id ?? next, { ...given, topic }, hosts.storageHost),
  );
  if (outcome.kind !== 'taken') return [];
  return [{ path: ['id'], reason: 'duplicate', message: 'The bucket has a notification with this id.' }];
}
