import { isSameJson } from '../core/patch.ts';
import type { Issue } from '../core/errors.ts';
import { countIssues, notificationIssues } from './notification.checks.ts';
import { createNotification, type NotificationHosts } from './notification.create.ts';
import type { NotificationBody } from './notification.requests.ts';
import type { NotificationStore } from './notification.store.ts';
import type { NotificationRecord } from './notification.ts';

interface NotificationOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  readonly issues: readonly Issue[];
}

/** Imports a REST body with its own id, or returns all issues. `replaces`: may overwrite the notification with that id. */
export async function importNotification(
  store: NotificationStore<NotificationRecord>,
  bucket: string,
  body: unknown,
  hosts: NotificationHosts,
  { replaces = false } = {},
): Promise<NotificationOutcome> {
  const importedBody = body as NotificationBody;
  const bodyIssues = issuesOfNotification(body);
  if (bodyIssues.length > 0) return { state: 'refused', issues: bodyIssues };
  const outcome = await store.changeNotifications<NotificationOutcome>(
    { bucket },
    ({ storedNotifications, nextId }) => {
      const storedNotification = storedNotifications.find(({ id }) => id === importedBody.id);
      const issues = countIssues(
        importedBody,
        replaces
          ? storedNotifications.filter((stored) => stored !== storedNotification)
          : storedNotifications,
      );
      if (storedNotification && !replaces) issues.push(duplicateIdIssue);
      if (issues.length > 0) return { result: { state: 'refused', issues: withBodyPaths(issues) } };
      const newRecord = createNotification(bucket, importedBody.id ?? nextId, importedBody, hosts);
      if (!storedNotification) return { insert: newRecord, result: { state: 'added', issues: [] } };
      // Etags are ignored, as they depend on the order of fields.
      return isSameJson({ ...newRecord, etag: storedNotification.etag }, storedNotification)
        ? { result: { state: 'unchanged', issues: [] } }
        : { insert: newRecord, remove: storedNotification.id, result: { state: 'changed', issues: [] } };
    },
  );
  return outcome ?? { state: 'refused', issues: [] };
}

/** Validates a body without the store, with paths relative to the body. */
export const issuesOfNotification = (body: unknown): Issue[] =>
  withBodyPaths([...notificationIssues(body), ...idIssues(body)]);

const idPath = ['notification', 'id'];

function idIssues(body: unknown): Issue[] {
  const id = (body as NotificationBody | null)?.id;
  if (typeof id !== 'string' || /^[1-9]\d{0,14}$/.test(id)) return [];
  const message = 'id must be a decimal number of 1 to 15 digits that does not begin with 0.';
  return [{ path: idPath, reason: 'invalid', message, params: { max: 15 } }];
}

const duplicateIdIssue: Issue = {
  path: idPath,
  reason: 'duplicate',
  message: 'The bucket has a notification with this id.',
};

const withBodyPaths = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
