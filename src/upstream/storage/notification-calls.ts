import type { Viewer } from '../../access/permissions.ts';
import { isFields } from '../../core/kernel/patch.ts';
import type { RequestKey } from '../../core/runtime/per-request.ts';
import type { NotificationRecord } from '../../notification/notification.ts';
import type {
  DeleteNotificationArgs,
  GetNotificationArgs,
  InsertNotificationArgs,
  ListNotificationsArgs,
} from '../../notification/notification.requests.ts';
import type { Call, UpstreamClient } from '../client/call.ts';
import { fieldsParameter } from '../form.ts';
import { bearerOf } from '../identity/bearer.ts';
import { noUse, unknownOutcome } from './faults.ts';
import { byAge, readNotification } from './notification-form.ts';

/** For whom, and within which request, a call is made. */
export interface Asking {
  readonly viewer: Viewer;
  readonly request: RequestKey;
}

type Texts = readonly string[] | undefined;

/** The calls of the methods of notifications. `texts`: the fields to be answered, in official names; undefined for all. Rejects with what the client rejects with. */
export function createNotificationCalls(client: UpstreamClient) {
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
      // Who pays for an insert pays for what it needs to know.
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

export type NotificationCalls = ReturnType<typeof createNotificationCalls>;
