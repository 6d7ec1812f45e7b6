import type { Viewer } from '../../access/permissions.ts';
import { type BillingArgs, billingIssues } from '../../bucket/bucket.requests.ts';
import { invalidInputError, requireValid } from '../../core/errors.ts';
import type { FieldSelection, GetSelection } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/ids.ts';
import { definedFields, type Fields, filterFields, isFields, isSameJson } from '../../core/json.ts';
import { requestIdIssues, createRequestRecord } from '../../core/request-record.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import { createNotification } from '../../notification/notification.create.ts';
import {
  createBodyWarnings,
  findCountIssues,
  findNotificationIssues,
  serverFieldNames,
  type DeleteNotificationArgs,
  type GetNotificationArgs,
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
import type { Call, UpstreamClient } from '../client/http-exchange.ts';
import { isOutcomeUnknown, ServiceRefusal } from '../client/responses.ts';
import { formatFieldsParameter, selectsAll, rejectNotOffered } from '../field-mappings.ts';
import { bearerOf } from '../identity/token-verifier.ts';
import { parsePage, readAs } from '../pages.ts';
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

/** Viewer on whose behalf a call is made, and its request. */
interface Caller {
  readonly viewer: Viewer;
  readonly request: RequestKey;
}

/** Requested fields in official names; undefined for all. */
type FieldNames = readonly string[] | undefined;

function createNotificationCalls(client: UpstreamClient) {
  const send = async ({ viewer, request }: Caller, call: Call): Promise<unknown> =>
    (await client.call(call, { token: bearerOf(viewer), request })).body;

  const parseNotification = (json: unknown, bucket: string, createError: () => Error): NotificationRecord => {
    const notification = readNotification(json, bucket);
    if (!notification) throw createError();
    return notification;
  };

  return {
    get: async (
      { viewer, request }: Caller,
      { bucket, notificationId, userProject }: GetNotificationArgs,
      fieldNames: FieldNames,
    ): Promise<NotificationRecord> =>
      parseNotification(
        await readAs(viewer, client, request, {
          apiMethod: 'notifications.get',
          path: ['b', bucket, 'notificationConfigs', notificationId],
          query: { userProject, fields: formatFieldsParameter(fieldNames) },
        }),
        bucket,
        unusableResponseError,
      ),

    async list(
      { viewer, request }: Caller,
      { bucket, userProject, provisionalUserProject }: ListNotificationsArgs,
      fieldNames: FieldNames,
    ): Promise<NotificationRecord[]> {
      const fields = fieldNames && formatFieldsParameter([`items(${fieldNames.join(',')})`]);
      // The project that pays for an insert also pays for the reads it needs.
      const json = await readAs(viewer, client, request, {
        apiMethod: 'notifications.list',
        path: ['b', bucket, 'notificationConfigs'],
        query: { userProject: userProject ?? provisionalUserProject, fields },
      });
      return [...parsePage(json, (item) => readNotification(item, bucket)).items].sort(compareAge);
    },

    insert: async (
      caller: Caller,
      { bucket, userProject, provisionalUserProject }: InsertNotificationArgs,
      body: object,
      fieldNames: FieldNames,
    ): Promise<NotificationRecord> =>
      parseNotification(
        await send(caller, {
          apiMethod: 'notifications.insert',
          httpMethod: 'POST',
          path: ['b', bucket, 'notificationConfigs'],
          query: { userProject, provisionalUserProject, fields: formatFieldsParameter(fieldNames) },
          body,
          repeatable: false,
        }),
        bucket,
        unconfirmedInsertError,
      ),

    async remove(
      caller: Caller,
      { bucket, notificationId, userProject }: DeleteNotificationArgs,
    ): Promise<void> {
      await send(caller, {
        apiMethod: 'notifications.delete',
        httpMethod: 'DELETE',
        path: ['b', bucket, 'notificationConfigs', notificationId],
        query: { userProject },
        repeatable: true,
      });
    },
  };
}

type NotificationCalls = ReturnType<typeof createNotificationCalls>;

interface Insert extends Caller {
  readonly args: InsertNotificationArgs;
  readonly selected?: GetSelection | undefined;
}

/**
 * Creates the operation that inserts notifications. Repeated requests with one requestId carry it out only
 * once.
 */
function createInsert({ clock, ...hosts }: StorageDependencies, calls: NotificationCalls) {
  const outcomes = createRequestOutcomes<InsertNotificationResult>(clock);

  return async function insertNotification(insert: Insert): Promise<InsertNotificationResult> {
    const { viewer, args } = insert;
    const requestRecord = createRequestRecord('insertNotification', viewer, args, clock);
    const earlierOutcome = requestRecord && outcomes.findEarlier(requestRecord);
    if (earlierOutcome) return earlierOutcome;
    requireValid([
      ...billingIssues({ requesterPays: false }, args),
      ...requestIdIssues(args.requestId),
      ...findNotificationIssues(args.notification),
    ]);
    if (args.validateOnly) return createDryRunResult(insert);
    if (!requestRecord) return sendAndConfirm(insert, false);
    // A repeated request may select other fields, so all are read.
    return outcomes.run(requestRecord, args, (mayBeDone) =>
      sendAndConfirm({ ...insert, selected: undefined }, mayBeDone),
    );
  };

  /** Returns the result that an insert would have. */
  async function createDryRunResult(insert: Insert): Promise<InsertNotificationResult> {
    const {
      args: { bucket, notification },
    } = insert;
    const existingNotifications = await listExisting(insert).catch(rethrowStorageError('bucket'));
    requireValid(findCountIssues(notification, existingNotifications));
    const nextId = String((Number(existingNotifications.at(-1)?.id) || 0) + 1);
    return createInsertResult(insert, createNotification(bucket, nextId, notification, hosts));
  }

  /** Sends the insert. `mayBeDone`: an earlier request with the same requestId may have been carried out. */
  async function sendAndConfirm(insert: Insert, mayBeDone: boolean): Promise<InsertNotificationResult> {
    const { args, selected } = insert;
    const sentBody = toBody(createNotification('', '', args.notification, hosts));
    try {
      const createdNotification = mayBeDone ? await findCreated(insert, sentBody) : undefined;
      if (createdNotification) return createInsertResult(insert, createdNotification);
      const ignoredFields = serverFieldNames.filter((name) => typeof args.notification[name] === 'string');
      return createInsertResult(
        insert,
        await calls.insert(
          insert,
          args,
          sentBody,
          toRequestedFields(selected?.(), ['topic', ...ignoredFields]),
        ),
      );
    } catch (error) {
      const createdNotification = isOutcomeUnknown(error)
        ? await findCreated(insert, sentBody).catch(() => undefined)
        : undefined;
      if (createdNotification) return createInsertResult(insert, createdNotification);
      throw await toInsertError(insert, error);
    }
  }

  function listExisting(insert: Insert): Promise<NotificationRecord[]> {
    return calls.list(insert, insert.args, undefined);
  }

  /** Returns the newest notification of the bucket if it equals the sent one. */
  async function findCreated(insert: Insert, sentBody: Fields): Promise<NotificationRecord | undefined> {
    const newestNotification = (await listExisting(insert)).at(-1);
    return newestNotification &&
      isSameJson(removeEmptyFields(toBody(newestNotification)), removeEmptyFields(sentBody))
      ? newestNotification
      : undefined;
  }

  /** Converts the refusal of an insert. Limits of the bucket are reported as by the gateway's own store. */
  async function toInsertError(insert: Insert, error: unknown): Promise<unknown> {
    if (error instanceof ServiceRefusal && error.status === 400 && error.reason !== 'required') {
      const issues = findCountIssues(insert.args.notification, await listExisting(insert).catch(() => []));
      if (issues.length > 0) return invalidInputError(issues);
    }
    return toStorageError(error, 'notification');
  }
}

const createInsertResult = (
  { args }: Insert,
  createdNotification: NotificationRecord,
): InsertNotificationResult => ({
  notification: notificationViewOf(createdNotification),
  // No warnings about duplicates, since other notifications are not read.
  warnings: createBodyWarnings(args.notification, createdNotification, []),
});

/** Reduces a notification to the fields that clients set. */
function toBody({
  topic,
  event_types,
  object_name_prefix,
  payload_format,
  custom_attributes,
}: NotificationRecord): Fields {
  return definedFields({ topic, event_types, object_name_prefix, payload_format, custom_attributes });
}

/** Removes empty lists, maps and texts, so that they equal absent fields. */
const removeEmptyFields = (fields: Fields): object =>
  filterFields(fields, (value) => Object.keys(value as object).length > 0);

/** Creates the service for notifications of the official API, which acts with the caller's token. */
export function createUpstreamNotificationService(dependencies: StorageDependencies): NotificationService {
  const calls = createNotificationCalls(dependencies.client);
  const insert = createInsert(dependencies, calls);

  /** Validates the billing arguments, calls, and converts a refusal. */
  async function callChecked<T>(
    args: BillingArgs,
    argument: ArgumentName,
    call: () => Promise<T>,
  ): Promise<T> {
    requireValid(billingIssues({ requesterPays: false }, args));
    return call().catch(rethrowStorageError(argument));
  }

  return {
    getNotification: (viewer, args, request, selected) =>
      callChecked(args, 'notificationId', async () =>
        notificationViewOf(await calls.get({ viewer, request }, args, toRequestedFields(selected?.()))),
      ),
    listNotifications: (viewer, args, request, selected) =>
      callChecked(args, 'bucket', async () =>
        (await calls.list({ viewer, request }, args, toRequestedFields(selected?.()))).map(
          notificationViewOf,
        ),
      ),
    insertNotification: (viewer, args, request, selected) => insert({ viewer, args, request, selected }),
    async deleteNotification(viewer, args, request) {
      await callChecked(args, 'notificationId', () => calls.remove({ viewer, request }, args));
      return true;
    },
  };
}

/** Offers no publishing, because the official service publishes object changes itself. */
export const upstreamPublishingService: PublishingService = {
  publishObjectChange: rejectNotOffered,
  listMessages: rejectNotOffered,
  followMessages: rejectNotOffered,
};
