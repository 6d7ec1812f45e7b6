import inject from 'light-my-request';
import { createBucketModule } from '../../../src/bucket/bucket.module.ts';
import { createCalendarModule } from '../../../src/calendar/calendar.module.ts';
import { createOfficialSchemas } from '../../../src/app/resources.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createEventModule } from '../../../src/event/event.module.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { compileModel } from '../../../src/event/model/model.ts';
import { createNotificationModule } from '../../../src/notification/notification.module.ts';
import type { ResourceModule } from '../../../src/operations/operation.ts';
import { createUpstreamCalendarService } from '../../../src/upstream/calendar/calendars.ts';
import { createUpstreamEventService } from '../../../src/upstream/calendar/event.service.ts';
import type { Fields } from '../../../src/core/json.ts';
import { type Call, httpMethodOf, type UpstreamClient } from '../../../src/upstream/client/http-exchange.ts';
import { ServiceRefusal } from '../../../src/upstream/client/responses.ts';
import { createUpstreamBucketService } from '../../../src/upstream/storage/buckets.ts';
import {
  createUpstreamNotificationService,
  upstreamPublishingService,
} from '../../../src/upstream/storage/notifications.ts';
import { startBucketGateway } from '../../bucket/bucket.harness.ts';
import {
  sampleCalendars,
  startEventGateway,
  type EventGateway,
  type Outcome,
} from '../../event/event.harness.ts';
import { deleteDocument } from '../../event/list.harness.ts';
import type { TestGateway } from '../../harness.ts';
import { createLastingToken } from '../../notification/notification.harness.ts';

/*
 * Harness for tests of upstream calls: which calls an operation makes, and how their replies are handled.
 *
 *     const service = await startService();             // a gateway whose REST face plays the services
 *     const front = await startFront(service);          // a gateway whose events and calendars are the service's
 *     front.intercept((call, through) => through());    // answers or changes calls
 *     await front.patch(id, { summary: 'S' });
 *     expect(front.takeMethods()).toBe('patch');
 * Without a service, the test answers all calls: `front.intercept(answerWith({ id: 'one' }))`.
 * `startStorageFront` is for notifications and buckets. `client/` has the harness of connections, retries and
 * timeouts; `services/` has fake services for a whole gateway.
 */

export { problemsOf } from '../../event/event.harness.ts';
export const model = compileModel(eventFields);
export const schemas = createOfficialSchemas();

/** Intercepts a call: answers it, or passes it `through` to the service. */
export type Interceptor = (call: Call, through: () => Promise<Fields>) => Promise<Fields>;

/** Answers each call with this body. */
export const answerWith =
  (body: unknown): Interceptor =>
  () =>
    Promise.resolve((body ?? {}) as Fields);
/** Creates the error that the upstream client throws when a service refuses a call. */
export const refusal = (status: number, reason = '', message = '', location?: string): ServiceRefusal =>
  new ServiceRefusal(status, reason, message, location);
/** Refuses each call. */
export const refuseWith =
  (...args: Parameters<typeof refusal>): Interceptor =>
  () =>
    Promise.reject(refusal(...args));

export type Front = Awaited<ReturnType<typeof startFront>>;
export type StorageFront = Awaited<ReturnType<typeof startStorageFront>>;

/** Starts a gateway that plays the calendar service. */
export const startService = (clock?: () => number): Promise<EventGateway> =>
  startEventGateway({ seed: { calendars: sampleCalendars() }, ...(clock && { clock }) }, { REST: 'on' });

type Service = Pick<TestGateway, 'app'> | undefined;

/** Starts a gateway whose events and calendars are those of a service. */
export async function startFront(
  service?: Service,
  { secret = 'a secret of some gateways, long enough', clock = Date.now, pollSeconds = 0.005 } = {},
) {
  const { client, ...calls } = createRecordingClient(service);
  const links = {
    event: 'https://calendar.example.com/event',
    call: 'https://calendar.example.com/call',
  };
  const tools = { model, clock, links, signingSecret: secret };
  const dependencies = { client, schemas, tools, pollSeconds };
  const events = createUpstreamEventService(dependencies);
  const modules = [
    createEventModule(events, model),
    createCalendarModule(createUpstreamCalendarService(dependencies)),
  ];
  const gateway = await startEventGateway(replaceModules(modules), { REST: 'on' });
  return {
    ...gateway,
    ...calls,
    events,
    deleteEvent: (eventId: string, controls: Readonly<Record<string, unknown>> = {}) =>
      gateway.run(deleteDocument, { calendarId: 'primary', eventId, ...controls }),
  };
}

/** Starts a service and a gateway in front of it for a `describe`. Each test starts without interceptor. */
export function useFront(): { readonly service: EventGateway; readonly front: Front } {
  const [service, front] = [{} as EventGateway, {} as Front];
  beforeAll(async () => {
    Object.assign(service, await startService());
    Object.assign(front, await startFront(service));
  });
  afterAll(() => Promise.all([service, front].map((gateway) => gateway.close())));
  afterEach(() => front.intercept(undefined));
  return { service, front };
}

/** Starts a gateway whose notifications and buckets are those of a service. */
export async function startStorageFront(service?: Service, clock = Date.now) {
  const { client, ...calls } = createRecordingClient(service);
  const dependencies = {
    client,
    schemas,
    clock,
    signingSecret: 'a secret of some gateways, long enough',
    pubsubHost: 'pubsub.googleapis.com',
    storageHost: 'www.googleapis.com',
  };
  const notifications = createNotificationModule({
    notifications: createUpstreamNotificationService(dependencies),
    publishing: upstreamPublishingService,
  });
  const buckets = createBucketModule(createUpstreamBucketService(dependencies));
  const gateway = await startBucketGateway(
    { clock, ...replaceModules([notifications, buckets]) },
    { REST: 'on' },
  );
  return { ...gateway, ...calls };
}

const replaceModules = (modules: readonly unknown[]) => ({
  resources: { modules: modules as readonly ResourceModule[], typeDefs: [] },
});

/** Creates a client that records the calls of a gateway. */
function createRecordingClient(service: Service) {
  const calls: Call[] = [];
  let readCount = 0;
  let interceptor: Interceptor | undefined;
  const takeCalls = (): readonly Call[] => {
    const firstUnread = readCount;
    readCount = calls.length;
    return calls.slice(firstUnread);
  };
  const client: UpstreamClient = {
    call(call, { viewer }) {
      calls.push(call);
      const through = async (): Promise<Fields> => {
        if (!service) throw new Error('There is no service.');
        return callAs(service, call, viewer.identity);
      };
      return interceptor ? interceptor(call, through) : through();
    },
    close: () => undefined,
  };
  return {
    /** All calls in order. */
    calls,
    /** Returns the calls since the last `takeCalls` or `takeMethods`. */
    takeCalls,
    /** Returns the methods of these calls, as `get patch`. */
    takeMethods: () =>
      takeCalls()
        .map(({ apiMethod }) => apiMethod.replace(/^\w+\./, ''))
        .join(' '),
    /** Intercepts calls until the next `intercept`. */
    intercept: (next?: Interceptor) => void (interceptor = next),
    client,
  };
}

/** Makes a call through a gateway's REST face, as the upstream client does. Only tests use PUT. */
export async function callAs(
  { app }: NonNullable<Service>,
  call: Call,
  email: string,
  method: ReturnType<typeof httpMethodOf> | 'PUT' = httpMethodOf(call),
): Promise<Fields> {
  const { apiMethod, path, query = {}, body, ifMatch } = call;
  const searchParameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of [value ?? []].flat()) searchParameters.append(name, String(item));
  const basePath = /^(notifications|buckets)\./.test(apiMethod) ? '/storage/v1' : '/calendar/v3';
  const response = await inject((request, reply) => void app.server.emit('request', request, reply), {
    method,
    url: `${basePath}/${path.map(encodeURIComponent).join('/')}?${searchParameters.toString()}`,
    headers: {
      authorization: `Bearer ${await createLastingToken(email)}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body && { payload: JSON.stringify(body) }),
  });
  const json = (response.body === '' ? {} : JSON.parse(response.body)) as {
    readonly error?: { errors: { reason: string; message: string; location?: string }[] };
  };
  const [{ reason = '', message = '', location = undefined } = {}] = json.error?.errors ?? [];
  if (response.statusCode === 401) throw new AppError('UNAUTHENTICATED', 'authError', 'The token is none.');
  if (response.statusCode >= 400) throw refusal(response.statusCode, reason, message, location);
  return json;
}

/** Returns the outcome of a write without times and without values that only the own store knows. */
export const outcomeOf = ({ event, errors, warnings = [] }: Outcome): object => ({
  event: event && typeof event === 'object' ? withoutTimes(event as object) : event,
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({
    code,
    reason,
    issues: sortByPath(issues).map((issue) => ({
      ...issue,
      message: issue.message.replace(/, the calendar's own| The etag is .* now/, ''),
    })),
  })),
  warnings: sortByPath(warnings).map(({ path, reason, message }) => ({ path, reason, message })),
});

const sortByPath = <T extends { readonly path: readonly unknown[] }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (JSON.stringify(a.path) < JSON.stringify(b.path) ? -1 : 1));

export function withoutTimes(event: object): object {
  const {
    etag: _etag,
    updated: _updated,
    created: _created,
    ...eventWithoutTimes
  } = event as Record<string, unknown>;
  return eventWithoutTimes;
}

/** Expects two gateways to show an event alike to its organizer and a guest. */
export async function expectSameEvent(
  id: string,
  ownGateway: EventGateway,
  service: EventGateway,
): Promise<void> {
  for (const as of ['alice@example.com', 'bob@example.com']) {
    const [ownOutcome, serviceOutcome] = [await ownGateway.read(id, { as }), await service.read(id, { as })];
    expect([
      serviceOutcome.problems,
      serviceOutcome.event && withoutTimes(serviceOutcome.event as object),
    ]).toEqual([ownOutcome.problems, ownOutcome.event && withoutTimes(ownOutcome.event as object)]);
  }
}
