import type { Issue } from '../core/kernel/errors.ts';
import { countIssues, notificationIssues } from './notification.checks.ts';
import { newNotification, type NotificationHosts } from './notification.create.ts';
import type { NotificationBody } from './notification.requests.ts';
import type { NotificationStore } from './notification.store.ts';
import type { NotificationRecord } from './notification.ts';

export type { NotificationHosts } from './notification.create.ts';

/** Stores a REST body with the id that it has. Returns all issues, with paths relative to the body, and stores nothing where there are any. */
export async function importNotification(
  store: NotificationStore<NotificationRecord>,
  bucket: string,
  body: unknown,
  hosts: NotificationHosts,
): Promise<Issue[]> {
  const given = body as NotificationBody;
  const wrong = [...notificationIssues(body), ...idIssues(body)];
  if (wrong.length > 0) return fromBody(wrong);
  const found = await store.changeNotifications<Issue[]>({ bucket }, ({ existing, nextId }) => {
    const issues = countIssues(given, existing);
    if (existing.some(({ id }) => id === given.id)) issues.push(duplicateId);
    if (issues.length > 0) return { result: issues };
    return { insert: newNotification(bucket, given.id ?? nextId, given, hosts), result: [] };
  });
  return fromBody(found ?? []);
}

const idPath = ['notification', 'id'];

function idIssues(body: unknown): Issue[] {
  const id = (body as NotificationBody | null)?.id;
  if (typeof id !== 'string' || /^[1-9]\d{0,14}$/.test(id)) return [];
  const message = 'id must be a decimal number of 1 to 15 digits that does not begin with 0.';
  return [{ path: idPath, reason: 'invalid', message, params: { max: 15 } }];
}

const duplicateId: Issue = { path: idPath, reason: 'duplicate', message: 'The bucket has a notification with this id.' };

const fromBody = (issues: readonly Issue[]): Issue[] => issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
