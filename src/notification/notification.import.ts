import type { Issue } from '../core/errors.ts';
import { unknownFieldIssues } from '../core/rules.ts';
import type { NotificationStore } from '../core/store.ts';
import { notificationRules } from './notification.rules.ts';
import { checkBody, newNotification } from './notification.service.ts';
import type { NotificationBody, NotificationRecord } from './notification.ts';

export interface NotificationHosts {
  readonly pubsubHost: string;
  readonly storageHost: string;
}

/** Stores a REST body as it is, with the id it brings; all issues when it breaks a rule. */
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
  const all = issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
  if (typeof given.id === 'string' && !/^[1-9]\d{0,14}$/.test(given.id)) {
    all.push({ path: ['id'], reason: 'invalid', message: 'id must be a decimal number.' });
  }
  if (all.length > 0) return all;
  const outcome = await store.insertNotification(bucket, (_existing, next) =>
    newNotification(bucket, given.id ?? next, { ...given, topic }, hosts.storageHost),
  );
  if (outcome.kind !== 'taken') return [];
  return [{ path: ['id'], reason: 'duplicate', message: 'The bucket has a notification with this id.' }];
}
