import type { Answer } from '../../harness.ts';
import { lastingToken } from '../../notification/notification.harness.ts';
import { startResource, type Resource } from '../../bucket/bucket.harness.ts';
import type { Viewer } from '../../../src/access/permissions.ts';
import { bucketTable } from '../../../src/bucket/bucket.fields.ts';
import { createBucketModule } from '../../../src/bucket/bucket.module.ts';
import { calendarFields } from '../../../src/calendar/calendar.fields.ts';
import { compileTable } from '../../../src/core/fields/table.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { createNotificationModule } from '../../../src/notification/notification.module.ts';
import { createSchemas } from '../../../src/official/schemas.ts';
import type { ResourceModule } from '../../../src/operations/module.ts';
import { ServiceRefusal } from '../../../src/upstream/client/call.ts';
import { callOver, recordingClient, type Asked, type Between } from '../call-over.ts';
import { rememberBearer } from '../../../src/upstream/identity/bearer.ts';
import { createUpstreamBucketService } from '../../../src/upstream/storage/bucket.service.ts';
import { createUpstreamNotificationService } from '../../../src/upstream/storage/notification.service.ts';
import { upstreamPublishingService } from '../../../src/upstream/storage/publishing.service.ts';

export type Front = Resource & Asked;

const schemas = createSchemas({
  event: compileTable(eventFields),
  calendar: calendarFields,
  bucket: bucketTable,
});

/** A gateway that plays the service: its REST face is what is called. */
export const startService = (clock: () => number = Date.now): Promise<Resource> =>
  startResource({ clock }, { REST: 'on' });

/** A gateway whose notifications and buckets are those of another one's REST face. */
export async function startFront(
  service: Pick<Resource, 'app'> | undefined,
  clock: () => number = Date.now,
): Promise<Front> {
  const { client, ...asked } = recordingClient(async (call, email) => {
    if (!service) throw new Error('there is no service');
    return callOver(service, '/storage/v1', call, await lastingToken(email));
  });
  const parts = {
    client,
    schemas,
    clock,
    signingSecret: 'a secret of some gateways, long enough',
    pubsubHost: 'pubsub.googleapis.com',
    storageHost: 'www.googleapis.com',
  };
  const notifications = createNotificationModule({
    notifications: withBearer(createUpstreamNotificationService(parts)),
    publishing: upstreamPublishingService,
  });
  const buckets = createBucketModule(withBearer(createUpstreamBucketService(parts)));
  const modules = [notifications, buckets] as unknown as readonly ResourceModule[];
  const gateway = await startResource({ clock, resources: { modules, typeDefs: [] } }, { REST: 'on' });
  return {
    ...gateway,
    ...asked,
  };
}

/** Callers whose tokens are their addresses. */
function withBearer<S extends object>(service: S): S {
  const entries = Object.entries(service).map(([name, method]: [string, unknown]) => {
    if (typeof method !== 'function') return [name, method] as const;
    return [
      name,
      (viewer: Viewer, ...rest: unknown[]): unknown =>
        (method as (...args: unknown[]) => unknown)(rememberBearer(viewer, viewer.identity), ...rest),
    ] as const;
  });
  return Object.fromEntries(entries) as S;
}

/** What an answer says: its value, what is wrong, and its warnings. */
export const saidOf = ({ data, errors, warnings }: Answer): object => ({
  data: data as unknown,
  warnings,
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({ code, reason, issues })),
});

/** `CODE path reason` of each thing that is wrong. */
export const problemsOf = ({ errors = [] }: Answer): string[] =>
  errors.flatMap(({ extensions: { code, reason, issues } }) =>
    issues.length === 0
      ? [`${code} ${reason}`]
      : issues.map((issue) => [code, issue.path.join('.'), issue.reason].join(' ')),
  );

export const refuse =
  (status: number, reason = '', words = '', location?: string): Between =>
  () =>
    Promise.reject(new ServiceRefusal(status, reason, words, location));
