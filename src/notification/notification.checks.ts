import type { Issue, Path, Warning } from '../core/errors.ts';
import { issuesOf, textIssues } from '../core/input.ts';
import { isFields } from '../core/patch.ts';
import { applyRules, nullEntryIssues, type FieldRules } from '../core/rules.ts';
import { notificationRules } from './notification.rules.ts';
import {
  builtInAttributes,
  canonicalEventTypes,
  limits,
  notificationBody,
  type NotificationBody,
  type NotificationRecord,
  type ObjectEventType,
} from './notification.ts';
import { parseTopic } from './topic.ts';

const path: Path = ['notification'];

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

/**
 * Everything that is wrong with a body by itself, with paths that start at the argument, and its topic in full.
 * The body may be anything: it may come from a file, or be input that does not fit the schema.
 */
export function checkBody(body: unknown, pubsubHost: string): { issues: Issue[]; topic: string | undefined } {
  const given = isFields(body) ? body : {};
  const parsed: { topic?: string; problem?: string } =
    typeof given.topic === 'string' ? parseTopic(given.topic, pubsubHost) : {};
  const issues: Issue[] = [
    ...textIssues(withoutReadOnly(given), path),
    ...issuesOf(notificationBody, body, path),
    ...prefixIssues(given.object_name_prefix),
    ...attributeIssues(given.custom_attributes),
    ...nullEntryIssues(notificationRules, given, path),
  ];
  if (parsed.problem !== undefined) issues.push({ path: [...path, 'topic'], reason: 'invalid', message: parsed.problem });
  return { issues, topic: parsed.topic };
}

/** What the bucket's other notifications leave no room for. */
export function countIssues(body: NotificationBody, existing: readonly NotificationRecord[]): Issue[] {
  const issues: Issue[] = [];
  if (existing.length >= limits.perBucket) {
    const message = `A bucket has at most ${limits.perBucket} notifications. Delete one that is not needed.`;
    issues.push({ path: ['bucket'], reason: 'tooMany', message });
  }
  const countOf = (type: ObjectEventType): number =>
    existing.filter((other) => canonicalEventTypes(other.event_types).includes(type)).length;
  const full = canonicalEventTypes(body.event_types).filter((type) => countOf(type) >= limits.perEventType);
  if (full.length > 0) {
    const message =
      `A bucket has at most ${limits.perEventType} notifications for each event type; there are as many for ` +
      `${full.join(', ')}. Leave these out, or delete a notification that is not needed.`;
    issues.push({ path: [...path, 'event_types'], reason: 'tooMany', message });
  }
  return issues;
}

/** What of a body did not come into the notification that was made of it. */
export function bodyWarnings(body: NotificationBody, made: NotificationRecord): Warning[] {
  // In an insert null says no more than an absent field: nothing was sent that could be ignored.
  const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const { warnings } = applyRules({
    rules: notificationRules,
    entryKeys: {},
    creating: true,
    seen: { ...made },
    change,
    path,
    permit: () => undefined,
  });
  return made.topic === undefined ? [...warnings, noTopic] : [...warnings];
}

/** What is ignored may hold anything. */
function withoutReadOnly(body: Readonly<Record<string, unknown>>): object {
  const rules: FieldRules = notificationRules;
  return Object.fromEntries(Object.entries(body).filter(([name]) => rules[name] !== 'readOnly'));
}

function prefixIssues(prefix: unknown): Issue[] {
  if (typeof prefix !== 'string' || bytes(prefix) <= limits.prefixBytes) return [];
  const message = `object_name_prefix has at most ${limits.prefixBytes} bytes (UTF-8).`;
  return [{ path: [...path, 'object_name_prefix'], reason: 'tooLong', message }];
}

function attributeIssues(map: unknown): Issue[] {
  if (!isFields(map)) return [];
  const at = [...path, 'custom_attributes'];
  const keys = Object.keys(map);
  const issues = keys.flatMap((key) => entryIssues(key, map[key], [...at, key]));
  if (keys.length <= limits.customAttributes) return issues;
  const message = `At most ${limits.customAttributes} custom attributes are allowed; these are ${keys.length}.`;
  return [{ path: at, reason: 'tooMany', message }, ...issues];
}

function entryIssues(key: string, value: unknown, at: Path): Issue[] {
  const issues: Issue[] = [];
  const add = (reason: Issue['reason'], message: string): unknown => issues.push({ path: at, reason, message });
  if (key === '') add('invalid', `An attribute needs a name of 1 to ${limits.attributeKeyBytes} bytes.`);
  if (bytes(key) > limits.attributeKeyBytes) {
    add('tooLong', `An attribute's name has at most ${limits.attributeKeyBytes} bytes (UTF-8).`);
  }
  if (typeof value === 'string' && bytes(value) > limits.attributeValueBytes) {
    add('tooLong', `An attribute's value has at most ${limits.attributeValueBytes} bytes (UTF-8).`);
  }
  if ((builtInAttributes as readonly string[]).includes(key)) {
    add('invalid', `Every message has an attribute ${key} of its own: choose another name.`);
  }
  if (key.startsWith('goog')) add('invalid', 'Names that begin with "goog" are reserved: choose another name.');
  return issues;
}

const noTopic: Warning = {
  path: [...path, 'topic'],
  reason: 'incomplete',
  message: 'Without a topic nothing will be published. Insert the notification again with a topic.',
};
