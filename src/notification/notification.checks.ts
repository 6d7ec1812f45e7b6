import { type AppError, errorAt, type Issue, type Path, type Warning } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { bodyIssues, limits, serverFields } from './notification.fields.ts';
import type { NotificationBody } from './notification.requests.ts';
import { canonicalEventTypes, type NotificationRecord, type ObjectEventType } from './notification.ts';

const path: Path = ['notification'];

/**
 * Validates a body alone, without the bucket that it is for; paths start at the argument. The body may be any value: it may
 * come from a file, or be input that does not fit the schema.
 */
export const notificationIssues = (body: unknown): Issue[] => bodyIssues(body, path);

/** Validates a new notification against the limits of a bucket with these notifications. */
export function countIssues(body: NotificationBody, existing: readonly NotificationRecord[]): Issue[] {
  const report = new Report();
  const { perBucket, perEventType } = limits;
  const actual = existing.length;
  if (actual >= perBucket) {
    const message = `A bucket has at most ${perBucket} notifications. Delete one that is not needed.`;
    report.issue(['bucket'], 'tooMany', message, { max: perBucket, actual });
  }
  const countOf = (type: ObjectEventType): number =>
    existing.filter((other) => canonicalEventTypes(other.event_types).includes(type)).length;
  const full = canonicalEventTypes(body.event_types).filter((type) => countOf(type) >= perEventType);
  if (full.length > 0) {
    const types = full.join(', ');
    const message =
      `A bucket has at most ${perEventType} notifications for each event type; there are as many for ` +
      `${types}. Leave these out, or delete a notification that is not needed.`;
    report.issue([...path, 'event_types'], 'tooMany', message, { max: perEventType, types });
  }
  return report.issues;
}

/** Warns of values in a body that the notification made of it does not have, and of messages that come twice. */
export function bodyWarnings(
  body: NotificationBody,
  made: NotificationRecord,
  existing: readonly NotificationRecord[],
): Warning[] {
  // A null in an insert means the same as an absent field, so nothing was ignored.
  const ignored = serverFields.filter((name) => typeof body[name] === 'string' && body[name] !== made[name]);
  const warnings = ignored.map((name): Warning => ({
    path: [...path, name],
    reason: 'readOnly',
    message: `${name} is set by the server: the value that was sent was ignored.`,
  }));
  return made.topic === undefined ? [...warnings, noTopic] : [...warnings, ...repeats(made, existing)];
}

/** Warning for a notification that repeats others; names the lowest id among them. */
function repeats(made: NotificationRecord, existing: readonly NotificationRecord[]): Warning[] {
  const says = JSON.stringify(whatIsTold(made));
  const same = existing
    .filter((other) => JSON.stringify(whatIsTold(other)) === says)
    .map(({ id }) => Number(id));
  if (same.length === 0) return [];
  const message =
    `Each message will come twice: notification ${Math.min(...same)} of this bucket has the same topic, ` +
    'event_types and object_name_prefix. Delete one of the two unless that is intended.';
  return [{ path, reason: 'repeats', message }];
}

/** Payload format and attributes say how a message looks, not which ones there are. */
const whatIsTold = ({ topic, event_types, object_name_prefix = '' }: NotificationRecord) => [
  topic,
  object_name_prefix,
  canonicalEventTypes(event_types),
];

const noTopic: Warning = {
  path: [...path, 'topic'],
  reason: 'incomplete',
  message: 'Without a topic nothing will be published. Insert the notification again with a topic.',
};

export const noNotification = (): AppError =>
  errorAt('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');
