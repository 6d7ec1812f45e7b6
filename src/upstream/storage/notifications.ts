import { type BillingArgs, billingIssues } from '../../bucket/bucket.requests.ts';
import { invalidInputError, requireValid } from '../../core/errors.ts';
import type { FieldSelection } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/ids.ts';
import { type Fields, filterFields, isFields, isSameJson } from '../../core/json.ts';
import { requestIdIssues } from '../../core/request-record.ts';
import { createNotification } from '../../notification/notification.create.ts';
import {
  createBodyWarnings,
  findCountIssues,
  findNotificationIssues,
  serverFieldNames,
  type InsertNotificationArgs,
  type ListNotificationsArgs,
} from '../../notification/notification.fields.ts';
import type {
  InsertNotificationResult,
  NotificationService,
} from '../../notification/notification.service.ts';
import {
  type NotificationRecord,
  objectEventTypes,
  payloadFormats,
  notificationViewOf,
} from '../../notification/notification.ts';
import type { PublishingService } from '../../notification/publishing/publishing.service.ts';
import type { Call, CallContext } from '../client/http-exchange.ts';
import { isOutcomeUnknown, ServiceRefusal } from '../client/responses.ts';
import { rejectNotOffered } from '../errors.ts';
import { formatFieldsParameter, selectsAll } from '../field-mappings.ts';
import { parsePage } from '../pages.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import type { StorageDependencies } from './buckets.ts';
import {
  type ArgumentName,
  unusableResponseError,
  rethrowStorageError,
  toStorageError,
  unconfirmedInsertError,
} from './refusal-errors.ts';

const readText = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);

/** Readers of the fields, which have the same names in the official API. */
const fieldReaders: Readonly<Record<string, (value: unknown) => unknown>> = {
  id: readText,
  etag: readText,
  selfLink: readText,
  topic: readText,
  object_name_prefix: readText,
  event_types: (value) =>
    Array.isArray(value) ? objectEventTypes.filter((type) => value.includes(type)) : undefined,
  payload_format: (value = 'JSON_API_V1') => payloadFormats.find((format) => format === value),
  custom_attributes: (value) =>
    isFields(value) ? filterFields(value, (entry) => typeof entry === 'string') : undefined,
};

/** Converts a notification of the official API; undefined if it is invalid. */
function readNotification(json: unknown, bucket: string): NotificationRecord | undefined {
  if (!isFields(json) || typeof json.id !== 'string') return undefined;
  const fields = Object.entries(fieldReaders).flatMap(([name, read]): [string, unknown][] => {
    const value = read(json[name] ?? undefined);
    return value === undefined ? [] : [[name, value]];
  });
  // Fields outside the selection are absent, which the type does not express.
  return {
    bucket,
    kind: 'storage#notification',
    nodeId: nodeIdOf('Notification', bucket, json.id),
    ...Object.fromEntries(fields),
  } as unknown as NotificationRecord;
}

/** Returns the entries of the parameter `fields` for a selection and `extraFields`; undefined for all fields. */
function toRequestedFields(
  selection: FieldSelection | undefined,
  extraFields: readonly string[] = [],
): readonly string[] | undefined {
  if (!selection || selectsAll(selection)) return undefined;
  return [
    ...new Set([
      'id',
      ...[...extraFields, ...selection.fields.keys()].filter((name) => Object.hasOwn(fieldReaders, name)),
    ]),
  ];
}

/** Compares notifications by age: a longer id is newer, since ids are growing numbers. */
const compareAge = ({ id: firstId }: NotificationRecord, { id: secondId }: NotificationRecord): number =>
  firstId.length - secondId.length || (firstId < secondId ? -1 : 1);

/** Creates the service for notifications of the official API, which acts with the caller's token. */
export function createUpstreamNotificationService({
  client,
  clock,
  ...hosts
}: StorageDependencies): NotificationService {
  const outcomes = createRequestOutcomes<InsertNotificationResult>(clock);

  /** Validates the billing arguments, reads or deletes, and converts a refusal. */
  async function callChecked(
    context: CallContext,
    args: BillingArgs,
    argument: ArgumentName,
    call: Call,
  ): Promise<Fields> {
    requireValid(billingIssues({ requesterPays: false }, args));
    return client.call(call, context).catch(rethrowStorageError(argument));
  }

  /** Lists the notifications of the bucket of an insert, from the oldest to the newest. */
  async function listExisting(
    context: CallContext,
    args: InsertNotificationArgs,
  ): Promise<NotificationRecord[]> {
    return parseList(await client.call(createListCall(args), context), args.bucket);
  }

  /** Returns the result that an insert would have. */
  async function createDryRunResult(
    context: CallContext,
    args: InsertNotificationArgs,
  ): Promise<InsertNotificationResult> {
    const existingNotifications = await listExisting(context, args).catch(rethrowStorageError('bucket'));
    requireValid(findCountIssues(args.notification, existingNotifications));
    const nextId = String((Number(existingNotifications.at(-1)?.id) || 0) + 1);
    return createInsertResult(args, createNotification(args.bucket, nextId, args.notification, hosts));
  }

  /** Sends the insert. `mayBeDone`: an earlier request with the same requestId may have been carried out. */
  async function sendAndConfirm(
    context: CallContext,
    args: InsertNotificationArgs,
    selection: FieldSelection | undefined,
    mayBeDone: boolean,
  ): Promise<InsertNotificationResult> {
    const { bucket, userProject, provisionalUserProject } = args;
    const body = toBody(createNotification('', '', args.notification, hosts));
    const ignoredFields = serverFieldNames.filter((name) => typeof args.notification[name] === 'string');
    const fields = formatFieldsParameter(toRequestedFields(selection, ['topic', ...ignoredFields]));

    /** Returns the newest notification of the bucket if it equals the sent one. */
    async function findCreated(): Promise<NotificationRecord | undefined> {
      const newestNotification = (await listExisting(context, args)).at(-1);
      return newestNotification &&
        isSameJson(removeEmptyFields(toBody(newestNotification)), removeEmptyFields(body))
        ? newestNotification
        : undefined;
    }

    try {
      const earlierNotification = mayBeDone ? await findCreated() : undefined;
      if (earlierNotification) return createInsertResult(args, earlierNotification);
      const call = {
        apiMethod: 'notifications.insert',
        path: toPath(bucket),
        query: { userProject, provisionalUserProject, fields },
        body,
        repeatable: false,
      } as const;
      const createdNotification = readNotification(await client.call(call, context), bucket);
      if (!createdNotification) throw unconfirmedInsertError();
      return createInsertResult(args, createdNotification);
    } catch (error) {
      const createdNotification = isOutcomeUnknown(error)
        ? await findCreated().catch(() => undefined)
        : undefined;
      if (createdNotification) return createInsertResult(args, createdNotification);
      throw await toInsertError(context, args, error);
    }
  }

  /** Converts the refusal of an insert. Limits of the bucket are reported as by the gateway's own store. */
  async function toInsertError(
    context: CallContext,
    args: InsertNotificationArgs,
    error: unknown,
  ): Promise<unknown> {
    if (error instanceof ServiceRefusal && error.status === 400 && error.reason !== 'required') {
      const existingNotifications = await listExisting(context, args).catch(() => []);
      const issues = findCountIssues(args.notification, existingNotifications);
      if (issues.length > 0) return invalidInputError(issues);
    }
    return toStorageError(error, 'notification');
  }

  return {
    async getNotification(viewer, args, request, selected) {
      const { bucket, notificationId, userProject } = args;
      const fields = formatFieldsParameter(toRequestedFields(selected?.()));
      const json = await callChecked({ viewer, request }, args, 'notificationId', {
        apiMethod: 'notifications.get',
        path: toPath(bucket, notificationId),
        query: { userProject, fields },
      });
      const notification = readNotification(json, bucket);
      if (!notification) throw unusableResponseError();
      return notificationViewOf(notification);
    },
    async listNotifications(viewer, args, request, selected) {
      const call = createListCall(args, toRequestedFields(selected?.()));
      const json = await callChecked({ viewer, request }, args, 'bucket', call);
      return parseList(json, args.bucket).map(notificationViewOf);
    },
    insertNotification: (viewer, args, request, selected) =>
      outcomes.run('insertNotification', viewer, args, async (mayBeDone, record) => {
        requireValid([
          ...billingIssues({ requesterPays: false }, args),
          ...requestIdIssues(args.requestId),
          ...findNotificationIssues(args.notification),
        ]);
        const context = { viewer, request };
        if (args.validateOnly) return createDryRunResult(context, args);
        // A repeated request may select other fields, so all are read.
        return sendAndConfirm(context, args, record ? undefined : selected?.(), mayBeDone);
      }),
    async deleteNotification(viewer, args, request) {
      await callChecked({ viewer, request }, args, 'notificationId', {
        apiMethod: 'notifications.delete',
        path: toPath(args.bucket, args.notificationId),
        query: { userProject: args.userProject },
        repeatable: true,
      });
      return true;
    },
  };
}

const toPath = (bucket: string, ...ids: readonly string[]): readonly string[] => [
  'b',
  bucket,
  'notificationConfigs',
  ...ids,
];

/** The project that pays for an insert also pays for the reads it needs. */
function createListCall(
  { bucket, userProject, provisionalUserProject }: ListNotificationsArgs,
  fieldNames?: readonly string[],
): Call {
  const fields = fieldNames && formatFieldsParameter([`items(${fieldNames.join(',')})`]);
  const query = { userProject: userProject ?? provisionalUserProject, fields };
  return { apiMethod: 'notifications.list', path: toPath(bucket), query };
}

const parseList = (json: Fields, bucket: string): NotificationRecord[] =>
  [...parsePage(json, (item) => readNotification(item, bucket)).items].sort(compareAge);

const createInsertResult = (
  args: InsertNotificationArgs,
  createdNotification: NotificationRecord,
): InsertNotificationResult => ({
  notification: notificationViewOf(createdNotification),
  // No warnings about duplicates, since other notifications are not read.
  warnings: createBodyWarnings(args.notification, createdNotification, []),
});

/** Reduces a notification to the fields that clients set. */
const toBody = (notification: NotificationRecord): Fields =>
  filterFields(notification, (_value, name) => name !== 'bucket' && !serverNames.has(name));
const serverNames: ReadonlySet<string> = new Set(serverFieldNames);

/** Removes empty lists, maps and texts, so that they equal absent fields. */
const removeEmptyFields = (fields: Fields): object =>
  filterFields(fields, (value) => Object.keys(value as object).length > 0);

/** Offers no publishing, because the official service publishes object changes itself. */
export const upstreamPublishingService: PublishingService = {
  publishObjectChange: rejectNotOffered,
  listMessages: rejectNotOffered,
  followMessages: rejectNotOffered,
};
