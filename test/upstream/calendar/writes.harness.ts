import inject from 'light-my-request';
import { tokenFor } from '../../harness.ts';
import { startEvents, people, type EventGateway, type Outcome } from '../../event/event.harness.ts';
import { compileTable } from '../../../src/core/fields/table.ts';
import type { ResourceModule } from '../../../src/operations/module.ts';
import { bucketTable } from '../../../src/bucket/bucket.fields.ts';
import { calendarFields } from '../../../src/calendar/calendar.fields.ts';
import { createEventModule } from '../../../src/event/event.module.ts';
import type { EventService } from '../../../src/event/event.service.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { compileModel } from '../../../src/event/model/model.ts';
import { createSchemas } from '../../../src/official/schemas.ts';
import { createEventWrites } from '../../../src/upstream/calendar/event-writes.ts';
import { ServiceRefusal, type Call, type Reply, type UpstreamClient } from '../../../src/upstream/client/call.ts';
import { rememberBearer } from '../../../src/upstream/identity/bearer.ts';
import type { Viewer } from '../../../src/access/permissions.ts';

export const schemas = createSchemas({ event: compileTable(eventFields), calendar: calendarFields, bucket: bucketTable });

/** Stands between the gateway and the service: answers in its place, or lets a call through. */
export type Between = (call: Call, through: () => Promise<Reply>) => Promise<Reply>;

export interface Front extends EventGateway {
  /** What was called, in order. */
  readonly calls: Call[];
  /** `events.get` and so on, since the last look. */
  asked(): readonly string[];
  /** Takes the place of the service's answers until the next `between`. */
  between(one: Between | undefined): void;
  remove(eventId: string, controls?: { readonly as?: string; readonly sendUpdates?: string; readonly ifMatch?: string }): Promise<Outcome>;
}

export const deletion = `mutation ($calendarId: String!, $eventId: String!, $sendUpdates: SendUpdates, $ifMatch: String) {
  result: deleteEvent(calendarId: $calendarId, eventId: $eventId, sendUpdates: $sendUpdates, ifMatch: $ifMatch) }`;

/** A gateway that plays the service: its REST face is what is called. */
export const startService = (seed: object = { calendars: people() }, clock?: () => number): Promise<EventGateway> =>
  startEvents({ seed, ...(clock && { clock }) }, { REST: 'on' });

/** A gateway whose changes of events go to another one's REST face. */
export async function startFront(service: EventGateway, { secret = 'a secret of some gateways, long enough', clock = Date.now } = {}): Promise<Front> {
  const calls: Call[] = [];
  let seen = 0;
  let inBetween: Between | undefined;
  const client: UpstreamClient = {
    call(call, { token }) {
      calls.push(call);
      const through = (): Promise<Reply> => callOver(service, call, token);
      return inBetween ? inBetween(call, through) : through();
    },
    close: () => undefined,
  };
  const model = compileModel(eventFields);
  const tools = { model, clock, links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' }, signingSecret: secret };
  const writes = createEventWrites({ client, model, schemas, tools, clock });
  const known = (viewer: Viewer): Viewer => rememberBearer(viewer, viewer.identity);
  const upstream = {
    canRehearse: false,
    insertEvent: (viewer, ...rest) => writes.insertEvent(known(viewer), ...rest),
    patchEvent: (viewer, ...rest) => writes.patchEvent(known(viewer), ...rest),
    deleteEvent: (viewer, ...rest) => writes.deleteEvent(known(viewer), ...rest),
  } as Partial<EventService> as EventService;
  const { insertEvent, patchEvent, deleteEvent } = createEventModule(upstream, model).operations;
  const events = { operations: { insertEvent, patchEvent, deleteEvent } } as unknown as ResourceModule;
  const gateway = await startEvents({ resources: { modules: [events], typeDefs: [] } }, { REST: 'on' });
  return {
    ...gateway,
    calls,
    asked() {
      const now = calls.slice(seen).map(({ method }) => method);
      seen = calls.length;
      return now;
    },
    between: (one) => void (inBetween = one),
    remove: (eventId, { as = 'alice@example.com', ...rest } = {}) => gateway.run(deletion, { calendarId: as, eventId, ...rest }, as),
  };
}

/** As the client of the services does it; PUT is what only faces know. */
export async function callOver({ app }: EventGateway, { verb, path, query = {}, body, ifMatch }: Omit<Call, 'verb'> & { readonly verb: Call['verb'] | 'PUT' }, email: string): Promise<Reply> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)] as const]));
  const url = `/calendar/v3/${path.map(encodeURIComponent).join('/')}?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
  const response = await inject((request, reply) => void app.server.emit('request', request, reply), {
    method: verb, url, headers: { authorization: `Bearer ${await tokenFor(email)}`, ...(body && { 'content-type': 'application/json' }), ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  const json = (response.body === '' ? undefined : JSON.parse(response.body)) as { error?: { errors: { reason: string; message: string; location?: string }[] } } | undefined;
  const [first] = json?.error?.errors ?? [];
  if (response.statusCode >= 400) throw new ServiceRefusal(response.statusCode, first?.reason ?? '', first?.message ?? '', first?.location);
  return { status: response.statusCode, body: json };
}

/** What an outcome says, without what differs with each write, and where only the own store knows the calendar's zone. */
export const saidOf = ({ event, errors, warnings = [] }: Outcome): object => ({
  event: event && typeof event === 'object' ? plain(event as object) : event,
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({ code, reason, issues: sorted(issues).map((issue) => ({ ...issue, message: issue.message.replace(/, the calendar's own| The etag is .* now/, '') })) })),
  warnings: sorted(warnings).map(({ path, reason, message }) => ({ path, reason, message })),
});

const sorted = <T extends { readonly path: readonly unknown[] }>(list: readonly T[]): T[] => list.toSorted((a, b) => (JSON.stringify(a.path) < JSON.stringify(b.path) ? -1 : 1));

export function plain(event: object): object {
  const { etag: _etag, updated: _updated, created: _created, ...rest } = event as Readonly<Record<string, unknown>>;
  return rest;
}
