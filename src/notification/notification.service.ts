import { createHash } from 'node:crypto';
import { manages, type Viewer } from '../access/permissions.ts';
import { errorOf, invalidInput, type AppError, type ErrorCode, type Issue, type Warning } from '../core/errors.ts';
import { issuesOf, textIssues } from '../core/input.ts';
import { requestIdIssues, requestIdReused, requestMark } from '../core/request-mark.ts';
import { applyRules, nullEntryIssues } from '../core/rules.ts';
import type { BucketRecord, Clock, NotificationStore } from '../core/store.ts';
import { notificationRules } from './notification.rules.ts';
import {
  canonicalEventTypes,
  limits,
  notificationBody,
  type NotificationBody,
  type NotificationRecord,
} from './notification.ts';
import { parseTopic } from './topic.ts';

/** Where reads come from: the store itself, or loaders that gather the reads of one request. */
export interface NotificationReader {
  bucket(name: string): Promise<BucketRecord | undefined>;
  notifications(bucket: string): Promise<readonly NotificationRecord[]>;
}

export interface BucketArgs {
  readonly bucket: string;
  readonly userProject?: string | null;
  readonly provisionalUserProject?: string | null;
}

export interface InsertNotificationArgs extends BucketArgs {
  readonly requestId?: string | null;
  readonly notification: NotificationBody;
}

export interface NotificationArgs extends BucketArgs {
  readonly notificationId: string;
}

export interface NotificationService {
  getNotification(viewer: Viewer, args: NotificationArgs, reader: NotificationReader): Promise<NotificationRecord>;
  listNotifications(viewer: Viewer, args: BucketArgs, reader: NotificationReader): Promise<readonly NotificationRecord[]>;
  insertNotification(
    viewer: Viewer,
    args: InsertNotificationArgs,
  ): Promise<{ notification: NotificationRecord; warnings: readonly Warning[] }>;
  /** True when it was deleted. */
  deleteNotification(viewer: Viewer, args: NotificationArgs): Promise<boolean>;
}

export interface NotificationServiceParts {
  readonly store: NotificationStore<NotificationRecord>;
  readonly clock: Clock;
  /** The host of topics that are given without one. */
  readonly pubsubHost: string;
  /** The host of self links. */
  readonly storageHost: string;
}

const path = ['notification'] as const;

/** Makes, reads and deletes subscriptions. Throws AppError for whatever the viewer should be told. */
export function createNotificationService(parts: NotificationServiceParts): NotificationService {
  const { store } = parts;
  const direct = storeReader(store);
  return {
    async getNotification(viewer, args, reader) {
      await openBucket(viewer, args, reader);
      const found = (await reader.notifications(args.bucket)).find(({ id }) => id === args.notificationId);
      if (!found) throw noNotification();
      return found;
    },

    async listNotifications(viewer, args, reader) {
      await openBucket(viewer, args, reader);
      return reader.notifications(args.bucket);
    },

    async insertNotification(viewer, args) {
      const bucket = await findBucket(viewer, args.bucket, direct);
      const { issues, warnings, topic } = checkBody(args.notification, parts.pubsubHost);
      const all = [...payerIssues(bucket, args), ...requestIdIssues(args.requestId), ...issues];
      const outcome = await store.insertNotification(
        args.bucket,
        (existing, id) => {
          const found = [...all, ...countIssues(args.notification, existing)];
          if (found.length > 0) throw invalidInput(found);
          return newNotification(args.bucket, id, { ...args.notification, topic }, parts.storageHost);
        },
        requestMark('insertNotification', viewer, args, parts.clock),
      );
      if (outcome.kind === 'reused') throw requestIdReused();
      if (outcome.kind === 'taken') throw noBucket();
      return { notification: outcome.record, warnings };
    },

    async deleteNotification(viewer, args) {
      await openBucket(viewer, args, direct);
      if (!(await store.removeNotification(args.bucket, args.notificationId))) throw noNotification();
      return true;
    },
  };
}

/** Reads one by one, straight from the store. */
export function storeReader(store: NotificationStore<NotificationRecord>): NotificationReader {
  return {
    bucket: async (name) => (await store.buckets([name]))[0],
    notifications: async (name) => (await store.notifications([name]))[0] ?? [],
  };
}

/** The bucket, when the caller may manage it and somebody pays. */
async function openBucket(viewer: Viewer, args: BucketArgs, reader: NotificationReader): Promise<void> {
  const issues = payerIssues(await findBucket(viewer, args.bucket, reader), args);
  if (issues.length > 0) throw invalidInput(issues);
}

/** A bucket the caller may not manage is not there. */
async function findBucket(viewer: Viewer, name: string, reader: NotificationReader): Promise<BucketRecord> {
  const bucket = await reader.bucket(name);
  if (!bucket || !manages(bucket, viewer)) throw noBucket();
  return bucket;
}

function payerIssues(bucket: BucketRecord, { userProject, provisionalUserProject }: BucketArgs): Issue[] {
  if (!bucket.requesterPays || userProject || provisionalUserProject) return [];
  const message = 'This is a requester-pays bucket: userProject is required, the project the request is billed to.';
  return [{ path: ['userProject'], reason: 'required', message }];
}

/** Everything that can be said of a body without the bucket's other notifications. */
export function checkBody(body: NotificationBody, pubsubHost: string) {
  const { warnings } = applyRules({
    rules: notificationRules,
    entryKeys: {},
    creating: true,
    seen: { kind: 'storage#notification' },
    change: body as Readonly<Record<string, unknown>>,
    path,
    permit: () => undefined,
  });
  const parsed = typeof body.topic === 'string' ? parseTopic(body.topic, pubsubHost) : undefined;
  const issues: Issue[] = [
    ...textIssues(body, path),
    ...issuesOf(notificationBody, body, path),
    ...nullEntryIssues(notificationRules, body as Readonly<Record<string, unknown>>, path),
  ];
  if (parsed && 'problem' in parsed) issues.push({ path: [...path, 'topic'], reason: 'invalid', message: parsed.problem });
  const topic = parsed && 'topic' in parsed ? parsed.topic : undefined;
  return { issues, topic, warnings: body.topic == null ? [...warnings, noTopic] : warnings };
}

function countIssues(body: NotificationBody, existing: readonly NotificationRecord[]): Issue[] {
  const issues: Issue[] = [];
  if (existing.length >= limits.perBucket) {
    const message = `A bucket has at most ${limits.perBucket} notifications. Delete one that is not needed.`;
    issues.push({ path: ['bucket'], reason: 'tooMany', message });
  }
  const full = canonicalEventTypes(body.event_types).filter(
    (type) => existing.filter((other) => canonicalEventTypes(other.event_types).includes(type)).length >= limits.perEventType,
  );
  if (full.length > 0) {
    const message = `A bucket has at most ${limits.perEventType} notifications for each event type; there are as many for ${full.join(', ')}.`;
    issues.push({ path: [...path, 'event_types'], reason: 'tooMany', message });
  }
  return issues;
}

/** The notification a checked body describes. */
export function newNotification(bucket: string, id: string, body: NotificationBody, storageHost: string): NotificationRecord {
  const { custom_attributes, event_types, object_name_prefix, topic } = body;
  const record = {
    bucket,
    id,
    kind: 'storage#notification' as const,
    payload_format: body.payload_format ?? ('JSON_API_V1' as const),
    selfLink: `https://${storageHost}/storage/v1/b/${encodeURIComponent(bucket)}/notificationConfigs/${id}`,
    ...(custom_attributes && { custom_attributes: custom_attributes as Record<string, string> }),
    ...(event_types && { event_types: event_types.length > 0 ? canonicalEventTypes(event_types) : [] }),
    ...(typeof object_name_prefix === 'string' && { object_name_prefix }),
    ...(topic && { topic }),
  };
  return { ...record, etag: `"${createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 16)}"` };
}

const noTopic: Warning = {
  path: [...path, 'topic'],
  reason: 'incomplete',
  message: 'Without a topic nothing will be published. Insert the notification again with a topic.',
};

function single(code: ErrorCode, at: Issue['path'], reason: Issue['reason'], message: string): AppError {
  return errorOf(code, [{ path: at, reason, message }]);
}

const noBucket = () => single('NOT_FOUND', ['bucket'], 'notFound', 'There is no such bucket.');
const noNotification = () =>
  single('NOT_FOUND', ['notificationId'], 'notFound', 'The bucket has no notification with this id.');
