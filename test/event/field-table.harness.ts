import { buildSchema, execute, getNamedType, isObjectType } from 'graphql';
import type { GraphQLFieldResolver, GraphQLObjectType } from 'graphql';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import { createCalendarLoader } from '../../src/calendar/calendar.store.ts';
import { AppError } from '../../src/core/errors.ts';
import type { FieldRow, FieldTable } from '../../src/core/fields/table.ts';
import { createEventModule } from '../../src/event/event.module.ts';
import { createEventService, type EventServiceDependencies } from '../../src/event/event.service.ts';
import type { EventTools } from '../../src/event/event.tools.ts';
import { eventFields } from '../../src/event/model/fields.ts';
import { compileModel } from '../../src/event/model/model.ts';
import { GatewayContext } from '../../src/faces/graphql/context.ts';
import { parseDocument, type ParsedOperation } from '../../src/faces/graphql/request/documents.ts';
import { resolversOf } from '../../src/faces/graphql/root-resolvers.ts';
import { configureScalars } from '../../src/faces/graphql/scalars.ts';
import { readTypeDefs } from '../../src/faces/graphql/schema.ts';
import type { Operations } from '../../src/operations/operation.ts';
import { loadSeed, SeedError } from '../../src/seed/import.ts';
import { selectEveryField } from '../selections.ts';
import { alice, bob, sampleCalendars, fritz, rita, wanda } from './event.harness.ts';
import {
  clearedBody,
  cancelledId,
  seededIdFor,
  otherValueBody,
  reformattedBody,
  seedEvents,
} from './field-table.samples.ts';
import { silentLog } from '../log-lines.ts';

// Runs event operations with altered field tables. All tables share one schema; the context of an execution
// holds the operations of its table.
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
configureScalars(schema);
const parsedOperations = new Map<string, ParsedOperation>();
/** Parses an operation that selects one field of an event with all its nested fields. */
function parseOperationFor(kind: OperationKind, path: string): ParsedOperation {
  const field = path.replace(/[.[].*/, '');
  const cachedOperation = parsedOperations.get(kind + field);
  if (cachedOperation) return cachedOperation;
  const type = getNamedType((schema.getType('Event') as GraphQLObjectType).getFields()[field]?.type);
  const selection = `{ sequence ${field} ${isObjectType(type) ? selectEveryField(type.name, schema) : ''} }`;
  const document = documentTemplates[kind].replace('SELECTED', selection);
  const [parsedOperation] = parseDocument(document, schema).operations;
  if (!parsedOperation) throw new Error('the document has no operation');
  parsedOperations.set(kind + field, parsedOperation);
  return parsedOperation;
}
type OperationKind = 'patch' | 'insert' | 'read';
const supportArguments = 'conferenceDataVersion: 1, supportsAttachments: true';
const documentTemplates: Readonly<Record<OperationKind, string>> = {
  patch: `mutation ($calendarId: String!, $eventId: String!, $event: EventInput!) {
    result: patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ${supportArguments}) SELECTED }`,
  insert: `mutation ($calendarId: String!, $event: EventInput!) {
    result: insertEvent(calendarId: $calendarId, event: $event, ${supportArguments}, validateOnly: true) SELECTED }`,
  read: 'query ($calendarId: String!, $eventId: String!) { result: event(calendarId: $calendarId, eventId: $eventId) SELECTED }',
};

const startMs = Date.UTC(2026, 5, 1);

/** Creates the event module with a field table, or returns issues if table or seed are invalid. */
export async function createTableGateway(table: FieldTable) {
  const stores = createMemoryStores(() => startMs);
  const tools: EventTools = {
    model: compileModel(table),
    clock: () => startMs,
    signingSecret: 'x'.repeat(32),
    sendsMails: false,
    links: { event: 'https://calendar.example/event', call: 'https://calendar.example/call' },
  };
  try {
    const hosts = { pubsubHost: 'pubsub.example', storageHost: 'storage.example' } as never;
    await loadSeed({ calendars: sampleCalendars(...seedEvents) }, { ...stores, eventTools: tools, hosts });
  } catch (error) {
    if (error instanceof SeedError) return { issues: error.issues };
    throw error;
  }
  const module = createModule({
    store: stores.events,
    calendars: stores.calendars,
    readCalendar: createCalendarLoader(stores.calendars),
    tools,
    notifier: { notify: () => undefined },
  });
  if ('refusal' in module) return { issues: module.refusal };
  const { operations } = module;
  return {
    /** Runs an operation that selects the field of `path`, and returns its data, issues and warnings. */
    async send(kind: OperationKind, path: string, as: string, variables: object) {
      const viewer = { sub: as, identity: as, key: as, scopes: new Set<string>() };
      const [operation, variableValues] = [parseOperationFor(kind, path), { calendarId: as, ...variables }];
      const contextValue = Object.assign(
        new GatewayContext(
          { requestId: 'r', viewer, address: '', log: silentLog, report: { codes: [] } },
          { operation, variables: variableValues, cost: 1, maySeeSchema: false },
        ),
        { operations },
      );
      const document = operation.document.node;
      const { data, errors = [] } = await execute({ schema, document, contextValue, variableValues });
      const issues = errors.map(({ originalError, message }) =>
        originalError instanceof AppError ? originalError.issues : message,
      );
      return { data, issues, warnings: contextValue.writeReports.toExtensions()?.warnings };
    },
  };
}

/** Creates the event module, or returns why it refuses a table. */
function createModule(
  dependencies: EventServiceDependencies,
): { readonly operations: Operations } | { readonly refusal: string } {
  try {
    return createEventModule(createEventService(dependencies), dependencies.tools.model);
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}

/** Whether an event can be inserted. */
export async function isAccepted(table: FieldTable, event: object): Promise<boolean> {
  const gateway = await createTableGateway(table);
  if ('issues' in gateway) throw new Error(JSON.stringify(gateway.issues));
  const { issues } = await gateway.send('insert', 'id', alice, { calendarId: alice, event });
  return (issues as unknown[]).length === 0;
}

/** The field table of events, unaltered. */
export const eventRows = eventFields as FieldTable;
/** Copies the field table with changed properties of one row. */
export const alterRow = (path: string, alteration: Partial<Record<keyof FieldRow, unknown>>): FieldTable => ({
  ...eventRows,
  [path]: { ...eventRows[path], ...alteration } as FieldRow,
});

/** Returns the change class of a field, from its own row or a parent's. */
export function changeClassOf(path: string): string | undefined {
  const row = eventRows[path];
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return row?.change ?? (parent ? changeClassOf(parent) : undefined);
}

/** Serializes all visible outcomes of reading and changing a field with a table, for comparison. */
export async function collectOutcomes(path: string, table: FieldTable): Promise<string> {
  const gateway = await createTableGateway(table);
  if ('issues' in gateway) return JSON.stringify(gateway);
  const eventId = seededIdFor(path);
  const results: unknown[] = [];
  const recordRead = async (as: string, id: string, calendarId = as): Promise<unknown> =>
    results.push(await gateway.send('read', path, as, { calendarId, eventId: id }));
  const recordPatch = async (as: string, id: string, event: object, calendarId = as): Promise<unknown> =>
    results.push(await gateway.send('patch', path, as, { calendarId, eventId: id, event }));
  await recordRead(fritz, eventId, alice);
  await recordRead(rita, eventId, alice);
  await recordRead(bob, cancelledId);
  await recordRead(alice, 'bare');
  const body = otherValueBody(path);
  if (eventRows[path]?.isInstant) await recordPatch(alice, eventId, reformattedBody(path));
  await recordPatch(bob, eventId, body);
  await recordRead(wanda, eventId, alice);
  await recordPatch(bob, 'locked', clearedBody(path));
  await recordPatch(bob, 'locked', body);
  await recordPatch(wanda, eventId, body, alice);
  await recordRead(wanda, eventId, bob);
  await recordPatch(alice, eventId, clearedBody(path));
  await recordPatch(alice, eventId, body);
  await recordPatch(alice, 'bare', body);
  await recordRead(alice, eventId);
  await recordRead(bob, eventId);
  await recordRead(alice, 'bare');
  const event = { ...otherValueBody('start.dateTime'), ...otherValueBody('end.dateTime'), ...body };
  results.push(await gateway.send('insert', path, alice, { calendarId: alice, event }));
  return JSON.stringify(results).replaceAll(randomValues, '…');
}

/** Random values of the server: ids of events and calls, and signatures. */
const randomValues = /[\w-]{43}|[0-9a-f]{32}|-[a-z]{10}(?=")|[\w-]{60,}/g;
