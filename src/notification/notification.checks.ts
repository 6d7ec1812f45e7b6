import { type AppError, errorAt, type Issue, type Path, type Warning } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { findBodyIssues, limits, serverFieldNames, type NotificationBody } from './notification.fields.ts';
import { canonicalEventTypes, type NotificationRecord, type ObjectEventType } from './notification.ts';

const notificationPath: Path = ['notification'];

/** Validates a body without loading its bucket. The body may be any value, since files and invalid requests contain any. */
export const findNotificationIssues = (body: unknown): Issue[] => findBodyIssues(body, notificationPath);

/** Checks the limits of a bucket for a new notification, given its existing ones. */
export function findCountIssues(
  body: NotificationBody,
  storedNotifications: readonly NotificationRecord[],
): Issue[] {
  const report = new Report();
  const { maxPerBucket, maxPerEventType } = limits;
  const storedCount = storedNotifications.length;
  if (storedCount >= maxPerBucket) {
    const message = `A bucket has at most ${maxPerBucket} notifications. Delete one that is not needed.`;
    report.addIssue(['bucket'], 'tooMany', message, { max: maxPerBucket, actual: storedCount });
  }
  const countOf = (type: ObjectEventType): number =>
    storedNotifications.filter(({ event_types }) => canonicalEventTypes(event_types).includes(type)).length;
  const exhaustedTypes = canonicalEventTypes(body.event_types).filter(
    (type) => countOf(type) >= maxPerEventType,
  );
  if (exhaustedTypes.length > 0) {
    const types = exhaustedTypes.join(', ');
    const message =
      `A bucket has at most ${maxPerEventType} notifications for each event type; there are as many for ` +
      `${types}. Leave these out, or delete a notification that is not needed.`;
    report.addIssue([...notificationPath, 'event_types'], 'tooMany', message, {
      max: maxPerEventType,
      types,
    });
  }
  return report.issues;
}

/** Warns about ignored values of a body, a missing topic, and messages that would be sent twice. */
export function createBodyWarnings(
  body: NotificationBody,
  notification: NotificationRecord,
  storedNotifications: readonly NotificationRecord[],
): Warning[] {
  // Null means absent in an insert, so no warning is needed.
  const ignoredFields = serverFieldNames.filter(
    (name) => typeof body[name] === 'string' && body[name] !== notification[name],
  );
  const warnings = ignoredFields.map((name): Warning => ({
    path: [...notificationPath, name],
    reason: 'readOnly',
    message: `${name} is set by the server: your value was ignored.`,
  }));
  return notification.topic === undefined
    ? [...warnings, noTopicWarning]
    : [...warnings, ...createDuplicateWarnings(notification, storedNotifications)];
}

/** Warns if existing notifications send the same messages; names the lowest of their ids. */
function createDuplicateWarnings(
  notification: NotificationRecord,
  storedNotifications: readonly NotificationRecord[],
): Warning[] {
  const selectionKey = selectionKeyOf(notification);
  const duplicateIds = storedNotifications
    .filter((stored) => selectionKeyOf(stored) === selectionKey)
    .map(({ id }) => Number(id));
  if (duplicateIds.length === 0) return [];
  const message =
    `Each message will come twice: notification ${Math.min(...duplicateIds)} of this bucket has the same topic, ` +
    'event_types and object_name_prefix. Delete one of the two unless that is intended.';
  return [{ path: notificationPath, reason: 'repeats', message }];
}

/** Key of the messages that a notification selects. Payload format and attributes do not affect the selection. */
const selectionKeyOf = ({ topic, event_types, object_name_prefix = '' }: NotificationRecord): string =>
  JSON.stringify([topic, object_name_prefix, canonicalEventTypes(event_types)]);

const noTopicWarning: Warning = {
  path: [...notificationPath, 'topic'],
  reason: 'incomplete',
  message: 'Without a topic nothing will be published. Insert the notification again with a topic.',
};

export const notificationNotFoundError = (): AppError =>
  errorAt('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');
