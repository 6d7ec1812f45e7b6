import {
  buildSchema,
  execute,
  getNamedType,
  isObjectType,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
} from 'graphql';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import { createCalendarLoader } from '../../src/calendar/calendar.loaders.ts';
import { AppError } from '../../src/core/errors.ts';
import type { FieldRow, FieldTable } from '../../src/core/fields/table.ts';
import { createEventModule } from '../../src/event/event.module.ts';
import { createEventService, type EventServiceDependencies } from '../../src/event/event.service.ts';
import type { EventTools } from '../../src/event/event.find.ts';
import { eventFields } from '../../src/event/model/fields.ts';
import { compileModel } from '../../src/event/model/model.ts';
import { GatewayContext } from '../../src/faces/graphql/context.ts';
import { parseDocument, type ParsedOperation } from '../../src/faces/graphql/request/documents.ts';
import { resolversOf } from '../../src/faces/graphql/root-fields.ts';
import { giveScalars } from '../../src/faces/graphql/scalars.ts';
import { readTypeDefs } from '../../src/faces/graphql/schema.ts';
import type { Operations } from '../../src/operations/operation.ts';
import { loadSeed } from '../../src/seed/import.ts';
import { SeedError } from '../../src/seed/seed.ts';
import { everyField } from '../selections.ts';
import { alice, bob, fritz, people, rita, wanda } from './event.harness.ts';
import { cleared, gone, homeOf, others, respelled, seeds } from './table.samples.ts';
import { silentLog } from '../log-lines.ts';

// Operations come with the context, so that one schema serves every table.
const resolve: GraphQLFieldResolver<unknown, GatewayContext & { readonly operations: Operations }> = (
  root,
  args,
  context,
  info,
): unknown =>
  resolversOf(context.operations[info.fieldName] as Operations[string]).resolve?.(root, args, context, info);
const schema = buildSchema(readTypeDefs().join('\n'));
for (const root of [schema.getQueryType(), schema.getMutationType()])
  for (const [name, field] of Object.entries(root?.getFields() ?? {}))
    if (['event', 'patchEvent', 'insertEvent'].includes(name)) field.resolve = resolve;
giveScalars(schema);
const documents = new Map<string, ParsedOperation>();
/** An operation that selects one field of an event, with all that lies in it. */
function operationOf(kind: Operation, path: string): ParsedOperation {
  const field = path.replace(/[.[].*/, '');
  const known = documents.get(kind + field);
  if (known) return known;
  const type = getNamedType((schema.getType('Event') as GraphQLObjectType).getFields()[field]?.type);
  const selected = `{ sequence ${field} ${isObjectType(type) ? everyField(type.name, schema) : ''} }`;
  const [made] = parseDocument(source[kind].replace('SELECTED', selected)).operations;
  if (!made) throw new Error('the document has no operation');
  documents.set(kind + field, made);
  return made;
}
type Operation = 'patch' | 'insert' | 'read';
const controls = 'conferenceDataVersion: 1, supportsAttachments: true';
const source: Readonly<Record<Operation, string>> = {
  patch: `mutation ($calendarId: String!, $eventId: String!, $event: EventInput!) {
    result: patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ${controls}) SELECTED }`,
  insert: `mutation ($calendarId: String!, $event: EventInput!) {
    result: insertEvent(calendarId: $calendarId, event: $event, ${controls}, validateOnly: true) SELECTED }`,
  read: 'query ($calendarId: String!, $eventId: String!) { result: event(calendarId: $calendarId, eventId: $eventId) SELECTED }',
};

const start = Date.UTC(2026, 5, 1);

/** The event side of a gateway over a table; what is wrong with the seed, if that does not fit the table. */
export async function gatewayOver(table: FieldTable) {
  const stores = createMemoryStores(() => start);
  const tools: EventTools = {
    model: compileModel(table),
    clock: () => start,
    signingSecret: 'x'.repeat(32),
    mails: false,
    links: { event: 'https://calendar.example/event', call: 'https://calendar.example/call' },
  };
  try {
    const hosts = { pubsubHost: 'pubsub.example', storageHost: 'storage.example' } as never;
    await loadSeed({ calendars: people(...seeds) }, { ...stores, eventTools: tools, hosts });
  } catch (error) {
    if (error instanceof SeedError) return { issues: error.issues };
    throw error;
  }
  const module = moduleOver({
    store: stores.events,
    calendars: stores.calendars,
    readCalendar: createCalendarLoader(stores.calendars),
    tools,
    notifier: { notify: () => undefined },
  });
  if ('refusal' in module) return { issues: module.refusal };
  const { operations } = module;
  return {
    /** What came of it: what was said, and the event as it was answered. */
    async send(kind: Operation, path: string, as: string, variables: object) {
      const viewer = { sub: as, identity: as, key: as, scopes: new Set<string>() };
      const [operation, variableValues] = [operationOf(kind, path), { calendarId: as, ...variables }];
      const contextValue = Object.assign(
        new GatewayContext(
          { requestId: 'r', viewer, address: '', log: silentLog, report: { codes: [] } },
          { operation, variables: variableValues, cost: 1 },
          'off',
        ),
        { operations },
      );
      const document = operation.document.node;
      const { data, errors = [] } = await execute({ schema, document, contextValue, variableValues });
      const issues = errors.map(({ originalError, message }) =>
        originalError instanceof AppError ? originalError.issues : message,
      );
      return { data, issues, warnings: contextValue.notes.extensions()?.warnings };
    },
  };
}

/** Why a gateway would not start with a table. */
function moduleOver(
  parts: EventServiceDependencies,
): { readonly operations: Operations } | { readonly refusal: string } {
  try {
    return createEventModule(createEventService(parts), parts.tools.model);
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}

/** Whether an event could be made so. */
export async function isAccepted(table: FieldTable, event: object): Promise<boolean> {
  const gateway = await gatewayOver(table);
  if ('issues' in gateway) throw new Error(JSON.stringify(gateway.issues));
  const { issues } = await gateway.send('insert', 'id', alice, { calendarId: alice, event });
  return (issues as unknown[]).length === 0;
}

export const rows = eventFields as FieldTable;
export const altered = (path: string, change: Partial<Record<keyof FieldRow, unknown>>): FieldTable => ({
  ...rows,
  [path]: { ...rows[path], ...change } as FieldRow,
});

/** Who may change a field, by its own row or one that it lies in. */
export function changeClassOf(path: string): string | undefined {
  const row = rows[path];
  const above = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return row?.change ?? (above ? changeClassOf(above) : undefined);
}

/** All that callers get to know of a field, and can do to it, over a table: as one string, to be compared. */
export async function outcomeOf(path: string, table: FieldTable): Promise<string> {
  const gateway = await gatewayOver(table);
  if ('issues' in gateway) return JSON.stringify(gateway);
  const eventId = homeOf(path);
  const said: unknown[] = [];
  const read = async (as: string, id: string, calendarId = as): Promise<unknown> =>
    said.push(await gateway.send('read', path, as, { calendarId, eventId: id }));
  const patch = async (as: string, id: string, event: object, calendarId = as): Promise<unknown> =>
    said.push(await gateway.send('patch', path, as, { calendarId, eventId: id, event }));
  await read(fritz, eventId, alice);
  await read(rita, eventId, alice);
  await read(bob, gone);
  await read(alice, 'bare');
  const body = others(path);
  if (rows[path]?.instant) await patch(alice, eventId, respelled(path));
  await patch(bob, eventId, body);
  await read(wanda, eventId, alice);
  await patch(bob, 'locked', cleared(path));
  await patch(bob, 'locked', body);
  await patch(wanda, eventId, body, alice);
  await read(wanda, eventId, bob);
  await patch(alice, eventId, cleared(path));
  await patch(alice, eventId, body);
  await patch(alice, 'bare', body);
  await read(alice, eventId);
  await read(bob, eventId);
  await read(alice, 'bare');
  const event = { ...others('start.dateTime'), ...others('end.dateTime'), ...body };
  said.push(await gateway.send('insert', path, alice, { calendarId: alice, event }));
  return JSON.stringify(said).replaceAll(random, '…');
}

/** What the server makes up: ids of events, calls and the signatures over them. */
const random = /[\w-]{43}|[0-9a-f]{32}|-[a-z]{10}(?=")|[\w-]{60,}/g;
