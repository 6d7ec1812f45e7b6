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
import type { Reply } from '../../../src/upstream/client/call.ts';
import { callOver, recordingClient, type Asked, type Carried } from '../call-over.ts';
import { rememberBearer } from '../../../src/upstream/identity/bearer.ts';
import type { Viewer } from '../../../src/access/permissions.ts';

export const schemas = createSchemas({
  event: compileTable(eventFields),
  calendar: calendarFields,
  bucket: bucketTable,
});

export interface Front extends EventGateway, Asked {
  remove(
    eventId: string,
    controls?: { readonly as?: string; readonly sendUpdates?: string; readonly ifMatch?: string },
  ): Promise<Outcome>;
}

export const deletion = `mutation ($calendarId: String!, $eventId: String!, $sendUpdates: SendUpdates, $ifMatch: String) {
  result: deleteEvent(calendarId: $calendarId, eventId: $eventId, sendUpdates: $sendUpdates, ifMatch: $ifMatch) }`;

/** A gateway that plays the service: its REST face is what is called. */
export const startService = (
  seed: object = { calendars: people() },
  clock?: () => number,
): Promise<EventGateway> => startEvents({ seed, ...(clock && { clock }) }, { REST: 'on' });

/** A gateway whose changes of events go to another one's REST face. */
export async function startFront(
  service: EventGateway,
  { secret = 'a secret of some gateways, long enough', clock = Date.now } = {},
): Promise<Front> {
  const { client, ...asked } = recordingClient((call, email) => callAs(service, call, email));
  const model = compileModel(eventFields);
  const tools = {
    model,
    clock,
    links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' },
    signingSecret: secret,
  };
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
    ...asked,
    remove: (eventId, { as = 'alice@example.com', ...rest } = {}) =>
      gateway.run(deletion, { calendarId: as, eventId, ...rest }, as),
  };
}

/** The same as one caller. */
export const callAs = async (gateway: EventGateway, call: Carried, email: string): Promise<Reply> =>
  callOver(gateway, '/calendar/v3', call, await tokenFor(email));

/** What an outcome says, without what differs with each write, and where only the own store knows the calendar's zone. */
export const saidOf = ({ event, errors, warnings = [] }: Outcome): object => ({
  event: event && typeof event === 'object' ? plain(event as object) : event,
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({
    code,
    reason,
    issues: sorted(issues).map((issue) => ({
      ...issue,
      message: issue.message.replace(/, the calendar's own| The etag is .* now/, ''),
    })),
  })),
  warnings: sorted(warnings).map(({ path, reason, message }) => ({ path, reason, message })),
});

const sorted = <T extends { readonly path: readonly unknown[] }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (JSON.stringify(a.path) < JSON.stringify(b.path) ? -1 : 1));

export function plain(event: object): object {
  const {
    etag: _etag,
    updated: _updated,
    created: _created,
    ...rest
  } = event as Readonly<Record<string, unknown>>;
  return rest;
}
