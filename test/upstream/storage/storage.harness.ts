import inject from 'light-my-request';
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
import { ServiceRefusal, type Call, type Reply, type UpstreamClient } from '../../../src/upstream/client/call.ts';
import { rememberBearer } from '../../../src/upstream/identity/bearer.ts';
import { createUpstreamBucketService } from '../../../src/upstream/storage/bucket.service.ts';
import { createUpstreamNotificationService } from '../../../src/upstream/storage/notification.service.ts';
import { upstreamPublishingService } from '../../../src/upstream/storage/publishing.service.ts';

/** Stands between the gateway and the service: answers in its place, or lets a call through. */
export type Between = (call: Call, through: () => Promise<Reply>) => Promise<Reply>;

export interface Front extends Resource {
  /** What was called, in order. */
  readonly calls: Call[];
  /** `buckets.get` and so on, since the last look. */
  asked(): readonly string[];
  /** Takes the place of the service's answers until the next `between`. */
  between(one: Between | undefined): void;
}

const schemas = createSchemas({ event: compileTable(eventFields), calendar: calendarFields, bucket: bucketTable });

/** A gateway that plays the service: its REST face is what is called. */
export const startService = (clock: () => number = Date.now): Promise<Resource> => startResource({ clock }, { REST: 'on' });

/** A gateway whose notifications and buckets are those of another one's REST face. */
export async function startFront(service: Pick<Resource, 'app'> | undefined, clock: () => number = Date.now): Promise<Front> {
  const calls: Call[] = [];
  let seen = 0;
  let inBetween: Between | undefined;
  const client: UpstreamClient = {
    call(call, { token }) {
      calls.push(call);
      const through = (): Promise<Reply> => (service ? callOver(service, call, token) : Promise.reject(new Error('there is no service')));
      return inBetween ? inBetween(call, through) : through();
    },
    close: () => undefined,
  };
  const parts = { client, schemas, clock, signingSecret: 'a secret of some gateways, long enough', pubsubHost: 'pubsub.googleapis.com', storageHost: 'www.googleapis.com' };
  const notifications = createNotificationModule({ notifications: withBearer(createUpstreamNotificationService(parts)), publishing: upstreamPublishingService });
  const buckets = createBucketModule(withBearer(createUpstreamBucketService(parts)));
  const modules = [notifications, buckets] as unknown as readonly ResourceModule[];
  const gateway = await startResource({ clock, resources: { modules, typeDefs: [] } }, { REST: 'on' });
  return {
    ...gateway,
    calls,
    asked() {
      const now = calls.slice(seen).map(({ method }) => method);
      seen = calls.length;
      return now;
    },
    between: (one) => void (inBetween = one),
  };
}

/** Callers whose tokens are their addresses. */
function withBearer<S extends object>(service: S): S {
  const entries = Object.entries(service).map(([name, method]: [string, unknown]) => {
    if (typeof method !== 'function') return [name, method] as const;
    return [name, (viewer: Viewer, ...rest: unknown[]): unknown => (method as (...args: unknown[]) => unknown)(rememberBearer(viewer, viewer.identity), ...rest)] as const;
  });
  return Object.fromEntries(entries) as S;
}

/** As the client of the services does it. */
async function callOver({ app }: Pick<Resource, 'app'>, { verb, path, query = {}, body }: Call, email: string): Promise<Reply> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)] as const]));
  const url = `/storage/v1/${path.map(encodeURIComponent).join('/')}?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
  const response = await inject((request, reply) => void app.server.emit('request', request, reply), {
    method: verb, url, headers: { authorization: `Bearer ${await lastingToken(email)}`, ...(body && { 'content-type': 'application/json' }) }, ...(body && { payload: JSON.stringify(body) }),
  });
  const json = (response.body === '' ? undefined : JSON.parse(response.body)) as { error?: { errors: { reason: string; message: string; location?: string }[] } } | undefined;
  const [first] = json?.error?.errors ?? [];
  if (response.statusCode >= 400) throw new ServiceRefusal(response.statusCode, first?.reason ?? '', first?.message ?? '', first?.location);
  return { status: response.statusCode, body: json };
}

/** What an answer says: its value, what is wrong, and its warnings. */
export const saidOf = ({ data, errors, warnings }: Answer): object => ({
  data: data as unknown, warnings,
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({ code, reason, issues })),
});

/** `CODE path reason` of each thing that is wrong. */
export const problemsOf = ({ errors = [] }: Answer): string[] => errors.flatMap(({ extensions: { code, reason, issues } }) =>
  (issues.length === 0 ? [`${code} ${reason}`] : issues.map((issue) => [code, issue.path.join('.'), issue.reason].join(' '))));

export const refuse = (status: number, reason = '', words = '', location?: string): Between => () => Promise.reject(new ServiceRefusal(status, reason, words, location));
