import { sameJson } from '../core/patch.ts';
import type { Issue } from '../core/errors.ts';
import { countIssues, notificationIssues } from './notification.checks.ts';
import { newNotification, type NotificationHosts } from './notification.create.ts';
import type { NotificationBody } from './notification.requests.ts';
import type { NotificationStore } from './notification.store.ts';
import type { NotificationRecord } from './notification.ts';

/** What became of a body. */
interface NotificationOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  readonly issues: readonly Issue[];
}

/**
 * Stores a REST body with the id that it has; `replaces`: also in place of one with that id. Gives all issues, with paths relative
 * to the body, and stores nothing where there are any.
 */
export async function importNotification(
  store: NotificationStore<NotificationRecord>,
  bucket: string,
  body: unknown,
  hosts: NotificationHosts,
  { replaces = false } = {},
): Promise<NotificationOutcome> {
  const given = body as NotificationBody;
  const wrong = issuesOfNotification(body);
  if (wrong.length > 0) return { state: 'refused', issues: wrong };
  const found = await store.changeNotifications<NotificationOutcome>({ bucket }, ({ existing, nextId }) => {
    const current = existing.find(({ id }) => id === given.id);
    const issues = countIssues(given, replaces ? existing.filter((one) => one !== current) : existing);
    if (current && !replaces) issues.push(duplicateId);
    if (issues.length > 0) return { result: { state: 'refused', issues: fromBody(issues) } };
    const insert = newNotification(bucket, given.id ?? nextId, given, hosts);
    if (!current) return { insert, result: { state: 'added', issues: [] } };
    // An etag is of the order of fields too.
    return sameJson({ ...insert, etag: current.etag }, current)
      ? { result: { state: 'unchanged', issues: [] } }
      : { insert, remove: current.id, result: { state: 'changed', issues: [] } };
  });
  return found ?? { state: 'refused', issues: [] };
}

/** Every broken rule of a body by itself, with paths relative to it. */
export const issuesOfNotification = (body: unknown): Issue[] =>
  fromBody([...notificationIssues(body), ...idIssues(body)]);

const idPath = ['notification', 'id'];

function idIssues(body: unknown): Issue[] {
  const id = (body as NotificationBody | null)?.id;
  if (typeof id !== 'string' || /^[1-9]\d{0,14}$/.test(id)) return [];
  const message = 'id must be a decimal number of 1 to 15 digits that does not begin with 0.';
  return [{ path: idPath, reason: 'invalid', message, params: { max: 15 } }];
}

const duplicateId: Issue = {
  path: idPath,
  reason: 'duplicate',
  message: 'The bucket has a notification with this id.',
};

const fromBody = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
