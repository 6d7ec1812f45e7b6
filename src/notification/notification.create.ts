import { etagOfText } from '../core/if-match.ts';
import { nodeIdOf } from '../core/ids.ts';
import {
  defaultPayloadFormat,
  findCountIssues,
  findNotificationIssues,
  type NotificationBody,
  parseTopic,
} from './notification.fields.ts';
import { canonicalEventTypes, type NotificationRecord } from './notification.ts';
import { isSameJson } from '../core/json.ts';
import type { Issue } from '../core/errors.ts';
import type { NotificationStore } from './notification.store.ts';

/** Hosts that complete topics without a host (`pubsubHost`) and self links (`storageHost`). */
export interface NotificationHosts {
  readonly pubsubHost: string;
  readonly storageHost: string;
}

/** Builds the record of a notification from a validated body. */
export function createNotification(
  bucket: string,
  id: string,
  body: NotificationBody,
  hosts: NotificationHosts,
): NotificationRecord {
  const { custom_attributes, event_types, object_name_prefix } = body;
  const { topic } = typeof body.topic === 'string' ? parseTopic(body.topic, hosts.pubsubHost) : {};
  const fieldsForEtag = {
    bucket,
    id,
    kind: 'storage#notification' as const,
    payload_format: body.payload_format ?? defaultPayloadFormat,
    selfLink: `https://${hosts.storageHost}/storage/v1/b/${encodeURIComponent(bucket)}/notificationConfigs/${id}`,
    ...(custom_attributes && { custom_attributes: custom_attributes as Record<string, string> }),
    // Empty and absent lists both mean all event types, but are returned as they were sent.
    ...(event_types && { event_types: event_types.length > 0 ? canonicalEventTypes(event_types) : [] }),
    ...(typeof object_name_prefix === 'string' && { object_name_prefix }),
    ...(topic !== undefined && { topic }),
  };
  return {
    etag: etagOfText(JSON.stringify(fieldsForEtag)),
    nodeId: nodeIdOf('Notification', bucket, id),
    ...fieldsForEtag,
  };
}

interface NotificationOutcome {
  readonly state: 'added' | 'changed' | 'unchanged' | 'refused';
  readonly issues: readonly Issue[];
}

/** Imports a REST body with its own id, or returns all issues. `canReplace`: a notification with that id may be overwritten. */
export async function importNotification(
  store: NotificationStore,
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
      const remainingNotifications = storedNotifications.filter(
        (stored) => !canReplace || stored !== storedNotification,
      );
      const issues = findCountIssues(importedBody, remainingNotifications);
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
