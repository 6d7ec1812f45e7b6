import inject from 'light-my-request';
import type { Viewer } from '../../../src/access/permissions.ts';
import { createBucketModule } from '../../../src/bucket/bucket.module.ts';
import { createCalendarModule } from '../../../src/calendar/calendar.module.ts';
import { officialSchemas } from '../../../src/app/resources.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createEventModule } from '../../../src/event/event.module.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { compileModel } from '../../../src/event/model/model.ts';
import { createNotificationModule } from '../../../src/notification/notification.module.ts';
import type { ResourceModule } from '../../../src/operations/operation.ts';
import { createUpstreamCalendarService } from '../../../src/upstream/calendar/calendars.ts';
import { createUpstreamEventService } from '../../../src/upstream/calendar/event.service.ts';
import type { Call, UpstreamClient } from '../../../src/upstream/client/exchange.ts';
import { ServiceRefusal, type Reply } from '../../../src/upstream/client/responses.ts';
import { rememberBearer } from '../../../src/upstream/identity/verifier.ts';
import { createUpstreamBucketService } from '../../../src/upstream/storage/buckets.ts';
import {
  createUpstreamNotificationService,
  upstreamPublishingService,
} from '../../../src/upstream/storage/notifications.ts';
import { startResource } from '../../bucket/bucket.harness.ts';
import { people, startEvents, type EventGateway, type Outcome } from '../../event/event.harness.ts';
import { removal } from '../../event/list.harness.ts';
import type { TestGateway } from '../../harness.ts';
import { lastingToken } from '../../notification/notification.harness.ts';

/*
 * The harness of tests of calls and replies: which calls an operation makes, and what becomes of their replies.
 *
 *     const service = await startService();             // a gateway that plays the services by its REST face
 *     const front = await startFront(service);          // a gateway whose events and calendars are the service's
 *     front.between((call, through) => through());      // a test may answer or change calls on their way
 *     await front.patch(id, { summary: 'S' });
 *     expect(front.asked()).toBe('patch');
 *
 * Without a service the test answers all calls itself: `front.between(answer({ id: 'one' }))`. `startStorageFront` does the
 * same for notifications and buckets. Connections, retries and time limits have their harness in `client/`; a whole
 * gateway, from its configuration on, stands in front of the fake of the services in `services/`.
 */

export { problemsOf } from '../../event/event.harness.ts';
export const model = compileModel(eventFields);
export const schemas = officialSchemas();

/** Stands between the gateway and the service: answers a call itself, or lets it through. */
export type Between = (call: Call, through: () => Promise<Reply>) => Promise<Reply>;

export const answer =
  (body: unknown): Between =>
  () =>
    Promise.resolve({ status: 200, body });
export const refusal = (status: number, reason = '', words = '', location?: string): ServiceRefusal =>
  new ServiceRefusal(status, reason, words, location);
export const refuse =
  (...of: Parameters<typeof refusal>): Between =>
  () =>
    Promise.reject(refusal(...of));

export type Front = Awaited<ReturnType<typeof startFront>>;
export type StorageFront = Awaited<ReturnType<typeof startStorageFront>>;

/** A gateway that plays the calendar service. */
export const startService = (clock?: () => number): Promise<EventGateway> =>
  startEvents({ seed: { calendars: people() }, ...(clock && { clock }) }, { REST: 'on' });

type Service = Pick<TestGateway, 'app'> | undefined;

/** A gateway whose events and calendars are those of a service. */
export async function startFront(
  service?: Service,
  { secret = 'a secret of some gateways, long enough', clock = Date.now, pollSeconds = 0.005 } = {},
) {
  const { client, ...calls } = recordingClient(service);
  const links = {
    event: 'https://calendar.example.com/event',
    call: 'https://calendar.example.com/call',
  };
  const tools = { model, clock, links, signingSecret: secret };
  const parts = { client, model, schemas, tools, clock, pollSeconds };
  const events = withBearer(createUpstreamEventService(parts));
  const modules = [
    createEventModule(events, model),
    createCalendarModule(withBearer(createUpstreamCalendarService(parts))),
  ];
  const gateway = await startEvents(replacing(modules), { REST: 'on' });
  return {
    ...gateway,
    ...calls,
    events,
    remove: (eventId: string, controls: Readonly<Record<string, unknown>> = {}) =>
      gateway.run(removal, { calendarId: 'primary', eventId, ...controls }),
  };
}

/** Called in a `describe`: a service and a gateway in front of it, for all tests. Each test begins with its own answers. */
export function useFront(): { readonly service: EventGateway; readonly front: Front } {
  const [service, front] = [{} as EventGateway, {} as Front];
  beforeAll(async () => {
    Object.assign(service, await startService());
    Object.assign(front, await startFront(service));
  });
  afterAll(() => Promise.all([service, front].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));
  return { service, front };
}

/** A gateway whose notifications and buckets are those of a service. */
export async function startStorageFront(service?: Service, clock = Date.now) {
  const { client, ...calls } = recordingClient(service);
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
  const gateway = await startResource({ clock, ...replacing([notifications, buckets]) }, { REST: 'on' });
  return { ...gateway, ...calls };
}

const replacing = (modules: readonly unknown[]) => ({
  resources: { modules: modules as readonly ResourceModule[], typeDefs: [] },
});

/** Gives callers their addresses for tokens. */
function withBearer<S extends object>(service: S): S {
  const entries = Object.entries(service).map(([name, method]: [string, unknown]) => [
    name,
    typeof method === 'function'
      ? (viewer: Viewer, ...rest: unknown[]): unknown =>
          (method as (...args: unknown[]) => unknown)(rememberBearer(viewer, viewer.identity), ...rest)
      : method,
  ]);
  return Object.fromEntries(entries) as S;
}

/** The calls that a gateway makes. */
function recordingClient(service: Service) {
  const calls: Call[] = [];
  let seen = 0;
  let between: Between | undefined;
  const made = (): readonly Call[] => {
    const from = seen;
    seen = calls.length;
    return calls.slice(from);
  };
  const client: UpstreamClient = {
    call(call, { token: email }) {
      calls.push(call);
      const through = async (): Promise<Reply> => {
        if (!service) throw new Error('There is no service.');
        return callAs(service, call, email);
      };
      return between ? between(call, through) : through();
    },
    close: () => undefined,
  };
  return {
    /** Every call, in order. */
    calls,
    /** The calls since the last look. */
    made,
    /** The methods of the calls since the last look, as `get patch`. */
    asked: () =>
      made()
        .map(({ method }) => method.replace(/^\w+\./, ''))
        .join(' '),
    /** Takes the place of the service's answers until the next `between`. */
    between: (one?: Between) => void (between = one),
    client,
  };
}

/** Carries a call out over the REST face of a gateway, as the client of the services does. PUT is known to faces alone. */
export async function callAs(
  { app }: NonNullable<Service>,
  {
    method,
    verb,
    path,
    query = {},
    body,
    ifMatch,
  }: Omit<Call, 'verb'> & { readonly verb: Call['verb'] | 'PUT' },
  email: string,
): Promise<Reply> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? []].flat()) search.append(name, String(one));
  const base = /^(notifications|buckets)\./.test(method) ? '/storage/v1' : '/calendar/v3';
  const response = await inject((request, reply) => void app.server.emit('request', request, reply), {
    method: verb,
    url: `${base}/${path.map(encodeURIComponent).join('/')}?${search.toString()}`,
    headers: {
      authorization: `Bearer ${await lastingToken(email)}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body && { payload: JSON.stringify(body) }),
  });
  const json = (response.body === '' ? undefined : JSON.parse(response.body)) as
    { error?: { errors: { reason: string; message: string; location?: string }[] } } | undefined;
  const [{ reason = '', message = '', location = undefined } = {}] = json?.error?.errors ?? [];
  if (response.statusCode === 401) throw new AppError('UNAUTHENTICATED', 'authError', 'The token is none.');
  if (response.statusCode >= 400) throw refusal(response.statusCode, reason, message, location);
  return { status: response.statusCode, body: json };
}

/**
 * The outcome of a write, without members that differ with each write, and without the names of zones that only the
 * gateway's own store knows.
 */
export const saidOf = ({ event, errors, warnings = [] }: Outcome): object => ({
  event: event && typeof event === 'object' ? withoutTimes(event as object) : event,
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({
    code,
    reason,
    issues: byPath(issues).map((issue) => ({
      ...issue,
      message: issue.message.replace(/, the calendar's own| The etag is .* now/, ''),
    })),
  })),
  warnings: byPath(warnings).map(({ path, reason, message }) => ({ path, reason, message })),
});

const byPath = <T extends { readonly path: readonly unknown[] }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (JSON.stringify(a.path) < JSON.stringify(b.path) ? -1 : 1));

export function withoutTimes(event: object): object {
  const { etag: _etag, updated: _updated, created: _created, ...rest } = event as Record<string, unknown>;
  return rest;
}

/** An event as two gateways show it to the organizer and to a guest is the same. */
export async function expectSameEvent(id: string, own: EventGateway, service: EventGateway): Promise<void> {
  for (const as of ['alice@example.com', 'bob@example.com']) {
    const [mine, theirs] = [await own.read(id, { as }), await service.read(id, { as })];
    expect([theirs.problems, theirs.event && withoutTimes(theirs.event as object)]).toEqual([
      mine.problems,
      mine.event && withoutTimes(mine.event as object),
    ]);
  }
}
