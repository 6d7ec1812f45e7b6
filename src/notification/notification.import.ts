import { isSameJson } from '../core/json-values.ts';
import type { Issue } from '../core/errors.ts';
import { findCountIssues, findNotificationIssues } from './notification.checks.ts';
import { createNotification, type NotificationHosts } from './notification.create.ts';
import type { NotificationBody } from './notification.requests.ts';
import type { NotificationStore } from './notification.store.ts';
import type { NotificationRecord } from './notification.ts';

interface NotificationOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  readonly issues: readonly Issue[];
}

/** Imports a REST body with its own id, or returns all issues. `canReplace`: a notification with that id may be overwritten. */
export async function importNotification(
  store: NotificationStore<NotificationRecord>,
  bucket: string,
  body: unknown,
  hosts: NotificationHosts,
  { canReplace = false } = {},
): Promise<NotificationOutcome> {
  const importedBody = body as NotificationBody;
  const bodyIssues = findImportIssues(body);
  if (bodyIssues.length > 0) return { state: 'refused', issues: bodyIssues };
  const outcome = await store.changeNotifications<NotificationOutcome>(
    { bucket },
    ({ storedNotifications, nextId }) => {
      const storedNotification = storedNotifications.find(({ id }) => id === importedBody.id);
      const issues = findCountIssues(
        importedBody,
        canReplace
          ? storedNotifications.filter((stored) => stored !== storedNotification)
          : storedNotifications,
      );
      if (storedNotification && !canReplace) issues.push(duplicateIdIssue);
      if (issues.length > 0) return { result: { state: 'refused', issues: toBodyPaths(issues) } };
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
export const findImportIssues = (body: unknown): Issue[] =>
  toBodyPaths([...findNotificationIssues(body), ...findIdIssues(body)]);

const idPath = ['notification', 'id'];

function findIdIssues(body: unknown): Issue[] {
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

/** Removes `notification`, the name of the argument, from the paths of issues. */
const toBodyPaths = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
