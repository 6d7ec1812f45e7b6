import type { Viewer } from '../../access/permissions.ts';
import { type BillingArgs, billingIssues } from '../../bucket/bucket.requests.ts';
import { invalidInput } from '../../core/errors.ts';
import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import { nodeIdOf } from '../../core/node-id.ts';
import { isFields, sameJson } from '../../core/patch.ts';
import { requestIdIssues, requestRecord } from '../../core/request-record.ts';
import type { RequestKey } from '../../core/runtime/limits.ts';
import { bodyWarnings, countIssues, notificationIssues } from '../../notification/notification.checks.ts';
import { newNotification } from '../../notification/notification.create.ts';
import { serverFields } from '../../notification/notification.fields.ts';
import type {
  DeleteNotificationArgs,
  GetNotificationArgs,
  InsertNotificationArgs,
  ListNotificationsArgs,
} from '../../notification/notification.requests.ts';
import type { InsertedNotification, NotificationService } from '../../notification/notification.service.ts';
import {
  type NotificationRecord,
  objectEventTypes,
  payloadFormats,
  viewOfNotification,
} from '../../notification/notification.ts';
import type { PublishingService } from '../../notification/publishing/publishing.service.ts';
import type { Call, UpstreamClient } from '../client/exchange.ts';
import { isUnknown, ServiceRefusal } from '../client/responses.ts';
import { fieldsParameter, isWhole, notOffered } from '../form.ts';
import { bearerOf } from '../identity/verifier.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import type { UpstreamStorageParts } from './buckets.ts';
import { type Named, noUse, storageFault, unknownOutcome } from './faults.ts';

const text = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);

/** The fields that the official API has, under the same names, and how each is read. */
const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  id: text,
  etag: text,
  selfLink: text,
  topic: text,
  object_name_prefix: text,
  event_types: (value) =>
    Array.isArray(value) ? objectEventTypes.filter((type) => value.includes(type)) : undefined,
  payload_format: (value = 'JSON_API_V1') => payloadFormats.find((format) => format === value),
  custom_attributes: (value) =>
    isFields(value)
      ? Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry === 'string'))
      : undefined,
};

/** A notification as the service gives it; undefined for what is none. */
function readNotification(json: unknown, bucket: string): NotificationRecord | undefined {
  if (!isFields(json) || typeof json.id !== 'string') return undefined;
  const fields = Object.entries(readers).flatMap(([name, read]): [string, unknown][] => {
    const value = read(json[name] ?? undefined);
    return value === undefined ? [] : [[name, value]];
  });
  // Fields that were not asked for are absent, which the type does not say, hence the cast.
  return {
    bucket,
    kind: 'storage#notification',
    nodeId: nodeIdOf('Notification', bucket, json.id),
    ...Object.fromEntries(fields),
  } as unknown as NotificationRecord;
}

/** Fields to ask for to show a selection and some more, as the parameter `fields` has them; undefined for the whole. */
function notificationTexts(
  selection: FieldSelection | undefined,
  more: readonly string[] = [],
): readonly string[] | undefined {
  if (!selection || isWhole(selection)) return undefined;
  return [
    ...new Set([
      'id',
      ...[...more, ...selection.fields.keys()].filter((name) => Object.hasOwn(readers, name)),
    ]),
  ];
}

/** Ids are counted: those of older notifications are smaller. */
const byAge = ({ id: a }: NotificationRecord, { id: b }: NotificationRecord): number =>
  a.length - b.length || (a < b ? -1 : 1);

/** For whom, and within which request, a call is made. */
interface Asking {
  readonly viewer: Viewer;
  readonly request: RequestKey;
}

type Texts = readonly string[] | undefined;

/** The calls of the methods of notifications. `texts`: the fields to be answered, in official names; undefined for all. Rejects with what the client rejects with. */
function createNotificationCalls(client: UpstreamClient) {
  const send = async ({ viewer, request }: Asking, call: Call): Promise<unknown> =>
    (await client.call(call, { token: bearerOf(viewer), request })).body;

  const one = (json: unknown, bucket: string, otherwise: () => Error): NotificationRecord => {
    const read = readNotification(json, bucket);
    if (!read) throw otherwise();
    return read;
  };

  return {
    get: async (
      asking: Asking,
      { bucket, notificationId, userProject }: GetNotificationArgs,
      texts: Texts,
    ): Promise<NotificationRecord> =>
      one(
        await send(asking, {
          method: 'notifications.get',
          verb: 'GET',
          path: ['b', bucket, 'notificationConfigs', notificationId],
          query: { userProject, fields: texts && fieldsParameter(texts) },
          repeatable: true,
        }),
        bucket,
        noUse,
      ),

    /** Oldest first. */
    async list(
      asking: Asking,
      { bucket, userProject, provisionalUserProject }: ListNotificationsArgs,
      texts: Texts,
    ): Promise<NotificationRecord[]> {
      const fields = texts && fieldsParameter([`items(${texts.join(',')})`]);
      // The payer of an insert also pays for the reads that it needs.
      const json = await send(asking, {
        method: 'notifications.list',
        verb: 'GET',
        path: ['b', bucket, 'notificationConfigs'],
        query: { userProject: userProject ?? provisionalUserProject, fields },
        repeatable: true,
      });
      const items = isFields(json) && Array.isArray(json.items) ? json.items : [];
      return items.flatMap((item) => readNotification(item, bucket) ?? []).sort(byAge);
    },

    insert: async (
      asking: Asking,
      { bucket, userProject, provisionalUserProject }: InsertNotificationArgs,
      body: object,
      texts: Texts,
    ): Promise<NotificationRecord> =>
      one(
        await send(asking, {
          method: 'notifications.insert',
          verb: 'POST',
          path: ['b', bucket, 'notificationConfigs'],
          query: { userProject, provisionalUserProject, fields: texts && fieldsParameter(texts) },
          body,
          repeatable: false,
        }),
        bucket,
        unknownOutcome,
      ),

    /** A second time it changes nothing. */
    async remove(
      asking: Asking,
      { bucket, notificationId, userProject }: DeleteNotificationArgs,
    ): Promise<void> {
      await send(asking, {
        method: 'notifications.delete',
        verb: 'DELETE',
        path: ['b', bucket, 'notificationConfigs', notificationId],
        query: { userProject },
        repeatable: true,
      });
    },
  };
}

type NotificationCalls = ReturnType<typeof createNotificationCalls>;

interface Insert extends Asking {
  readonly args: InsertNotificationArgs;
  readonly selected?: Selected | undefined;
}

function createNotificationInsert({ clock, ...hosts }: UpstreamStorageParts, calls: NotificationCalls) {
  const outcomes = createRequestOutcomes<InsertedNotification>(clock);

  return async function insertNotification(insert: Insert): Promise<InsertedNotification> {
    const { viewer, args } = insert;
    const record = requestRecord('insertNotification', viewer, args, clock);
    const earlier = record && outcomes.earlier(record);
    if (earlier) return earlier;
    const issues = [
      ...billingIssues({ requesterPays: false }, args),
      ...requestIdIssues(args.requestId),
      ...notificationIssues(args.notification),
    ];
    if (issues.length > 0) throw invalidInput(issues);
    if (args.validateOnly) return dryRun(insert);
    if (!record) return carryOut(insert, false);
    // A repeated request with the same id may select something else.
    return outcomes.run(record, args, (again) => carryOut({ ...insert, selected: undefined }, again));
  };

  async function dryRun(insert: Insert): Promise<InsertedNotification> {
    const {
      args: { bucket, notification },
    } = insert;
    const existing = await present(insert).catch((error: unknown) => {
      throw storageFault(error, 'bucket');
    });
    const issues = countIssues(notification, existing);
    if (issues.length > 0) throw invalidInput(issues);
    const nextId = String((Number(existing.at(-1)?.id) || 0) + 1);
    return answered(insert, newNotification(bucket, nextId, notification, hosts));
  }

  /** `again`: an earlier request with the same id may have been carried out. */
  async function carryOut(insert: Insert, again: boolean): Promise<InsertedNotification> {
    const { args, selected } = insert;
    const sent = sentOf(newNotification('', '', args.notification, hosts));
    try {
      const made = again ? await newest(insert, sent) : undefined;
      if (made) return answered(insert, made);
      const ignored = serverFields.filter((name) => typeof args.notification[name] === 'string');
      return answered(
        insert,
        await calls.insert(insert, args, sent, notificationTexts(selected?.(), ['topic', ...ignored])),
      );
    } catch (error) {
      const made = isUnknown(error) ? await newest(insert, sent).catch(() => undefined) : undefined;
      if (made) return answered(insert, made);
      throw await refused(insert, error);
    }
  }

  function present(insert: Insert): Promise<NotificationRecord[]> {
    return calls.list(insert, insert.args, undefined);
  }

  /** The newest notification of the bucket, where it is what was sent. */
  async function newest(insert: Insert, sent: object): Promise<NotificationRecord | undefined> {
    const found = (await present(insert)).at(-1);
    return found && sameJson(withoutEmpty(sentOf(found)), withoutEmpty(sent)) ? found : undefined;
  }

  /** Limits are told as the own store tells them. */
  async function refused(insert: Insert, error: unknown): Promise<unknown> {
    if (error instanceof ServiceRefusal && error.status === 400 && error.reason !== 'required') {
      const issues = countIssues(insert.args.notification, await present(insert).catch(() => []));
      if (issues.length > 0) return invalidInput(issues);
    }
    return storageFault(error, 'notification');
  }
}

const answered = ({ args }: Insert, made: NotificationRecord): InsertedNotification => ({
  notification: viewOfNotification(made),
  // The other notifications are not read.
  warnings: bodyWarnings(args.notification, made, []),
});

/** The fields of a notification that callers set, as they are sent. */
function sentOf({
  topic,
  event_types,
  object_name_prefix,
  payload_format,
  custom_attributes,
}: NotificationRecord): object {
  return Object.fromEntries(
    Object.entries({ topic, event_types, object_name_prefix, payload_format, custom_attributes }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

/** Leaves out empty fields. */
const withoutEmpty = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value as object).length > 0));

/** Makes, reads and deletes the notifications of the official API, as the caller. */
export function createUpstreamNotificationService(parts: UpstreamStorageParts): NotificationService {
  const calls = createNotificationCalls(parts.client);
  const insert = createNotificationInsert(parts, calls);

  /** Makes a call whose arguments are sound. */
  async function checked<T>(args: BillingArgs, named: Named, call: () => Promise<T>): Promise<T> {
    const issues = billingIssues({ requesterPays: false }, args);
    if (issues.length > 0) throw invalidInput(issues);
    return call().catch((error: unknown) => {
      throw storageFault(error, named);
    });
  }

  return {
    getNotification: (viewer, args, request, selected) =>
      checked(args, 'notificationId', async () =>
        viewOfNotification(await calls.get({ viewer, request }, args, notificationTexts(selected?.()))),
      ),
    listNotifications: (viewer, args, request, selected) =>
      checked(args, 'bucket', async () =>
        (await calls.list({ viewer, request }, args, notificationTexts(selected?.()))).map(
          viewOfNotification,
        ),
      ),
    insertNotification: (viewer, args, request, selected) => insert({ viewer, args, request, selected }),
    async deleteNotification(viewer, args, request) {
      await checked(args, 'notificationId', () => calls.remove({ viewer, request }, args));
      return true;
    },
  };
}

/** Changes of objects are the official service's own: it sends their messages itself. */
export const upstreamPublishingService: PublishingService = {
  publishObjectChange: notOffered,
  listMessages: notOffered,
  followMessages: notOffered,
};
