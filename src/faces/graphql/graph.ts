import type { GraphQLField } from 'graphql';
import { requireScopes, type ScopeRule } from '../../access/permissions.ts';
import { AppError, errorAt } from '../../core/errors.ts';
import { readNodeId } from '../../core/node-id.ts';
import type { Fields } from '../../core/patch.ts';
import { isEmail } from '../../core/text/email.ts';
import { type Operations, type PageQuery, type Query, query } from '../../operations/operation.ts';

/** An edge of the graph: a field that is answered by an operation, called for the object that has the field. */
export interface EdgeRow {
  readonly operation: string;
  /** The arguments that come from the object; undefined where there is nothing to read: the edge is null. */
  readonly argumentsOf: (object: never) => Fields | undefined;
  /** The fields that `argumentsOf` reads, in the names of the schema. */
  readonly requiredFields: readonly string[];
  /** Whether an error makes the edge null. */
  readonly isNullFor?: (error: AppError) => boolean;
  /** Reads what belongs to the object: there is nothing yet where a dry run made or changed it. */
  readonly needsStored?: true;
}

interface WithNodeId {
  readonly nodeId: string;
}

/** An edge, with its field of the schema and the operation that reads it. */
export interface Edge extends EdgeRow {
  readonly field: GraphQLField<unknown, unknown>;
  /** Absent in a schema that is not executed. */
  readonly reader?: Query<never, unknown> | PageQuery<never, unknown> | undefined;
}

/** The edge that a field is; undefined for other fields. */
export const edgeOf = (field: GraphQLField<unknown, unknown> | undefined): Edge | undefined =>
  field?.extensions.edge as Edge | undefined;

/** Result of an edge for one object. */
export type EdgeResult = { readonly value: unknown } | { readonly error: unknown };

/** Results of edges by response path without list indexes, its keys joined by dots, then by object. */
export type EdgeResults = Map<string, Map<object, EdgeResult>>;

/** The names behind the kind in the nodeId of an object. */
const namesOf = ({ nodeId }: WithNodeId): readonly string[] =>
  (readNodeId(nodeId)?.slice(1) ?? []) as readonly string[];

const ofCalendar = (calendar: WithNodeId): Fields => ({ calendarId: namesOf(calendar)[0] });
const ofBucket = (bucket: WithNodeId): Fields => ({ bucket: namesOf(bucket)[0] });

const hasCode =
  (...codes: readonly AppError['code'][]) =>
  ({ code }: AppError): boolean =>
    codes.includes(code);

const calendarEdge = { argumentsOf: ofCalendar, requiredFields: ['nodeId'], needsStored: true } as const;

interface EventParent extends WithNodeId {
  readonly recurringEventId?: string;
  readonly recurrence?: unknown;
  readonly iCalUID?: string;
}

/** The edges of the graph by type and field. */
export const edgeRows: Readonly<Record<string, EdgeRow>> = {
  'Calendar.event': { operation: 'event', ...calendarEdge },
  'Calendar.events': { operation: 'events', ...calendarEdge },
  'Calendar.access': { operation: 'calendarAccess', ...calendarEdge, isNullFor: hasCode('FORBIDDEN') },
  'Event.calendar': { operation: 'calendar', argumentsOf: ofCalendar, requiredFields: ['nodeId'] },
  'Event.recurringEvent': {
    operation: 'event',
    requiredFields: ['nodeId', 'recurringEventId'],
    argumentsOf: (event: EventParent) =>
      event.recurringEventId ? { ...ofCalendar(event), eventId: event.recurringEventId } : undefined,
    isNullFor: hasCode('NOT_FOUND'),
  },
  'Event.instances': {
    operation: 'instances',
    requiredFields: ['nodeId', 'recurrence', 'recurringEventId', 'iCalUID'],
    argumentsOf(event: EventParent) {
      const [calendarId, eventId] = namesOf(event);
      // Whether an event recurs is not shown with its time alone: the operation knows.
      const mayRecur = event.recurrence ?? event.iCalUID === undefined;
      return mayRecur && !event.recurringEventId ? { calendarId, eventId } : undefined;
    },
    isNullFor: ({ code, issues }) =>
      code === 'BAD_USER_INPUT' &&
      issues.length > 0 &&
      issues.every(({ path: [name] }) => name === 'eventId'),
    needsStored: true,
  },
  'Bucket.notifications': {
    operation: 'notifications',
    argumentsOf: ofBucket,
    requiredFields: ['nodeId'],
    needsStored: true,
  },
  'Notification.bucket': {
    operation: 'bucket',
    argumentsOf: ofBucket,
    requiredFields: ['nodeId'],
    isNullFor: hasCode('NOT_FOUND', 'FORBIDDEN'),
  },
  'CalendarChange.calendar': {
    operation: 'calendar',
    argumentsOf: ({ calendarId }: { readonly calendarId: string }) => ({ calendarId }),
    requiredFields: ['calendarId'],
  },
  'Viewer.calendars': { operation: 'calendars', argumentsOf: () => ({}), requiredFields: [] },
  'Viewer.primaryCalendar': {
    operation: 'calendar',
    argumentsOf: ({ email }: { readonly email: string | null }) =>
      email === null ? undefined : { calendarId: 'primary' },
    requiredFields: ['email'],
    isNullFor: hasCode('NOT_FOUND'),
  },
};

interface NodeKind {
  readonly type: string;
  /** The operation that reads a node, and its arguments: the names behind the kind. */
  readonly operation: string;
  readonly names: readonly string[];
}

/** Node kinds by the first part of a nodeId. */
const kinds: Readonly<Record<string, NodeKind>> = {
  calendar: { type: 'Calendar', operation: 'calendar', names: ['calendarId'] },
  event: { type: 'Event', operation: 'event', names: ['calendarId', 'eventId'] },
  Bucket: { type: 'Bucket', operation: 'bucket', names: ['bucket'] },
  Notification: { type: 'Notification', operation: 'notification', names: ['bucket', 'notificationId'] },
};

/** The types that implement the interface Node. */
export const nodeTypes: ReadonlySet<string> = new Set(Object.values(kinds).map(({ type }) => type));

const kindOf = (nodeId: string): NodeKind | undefined => {
  const [kind = ''] = readNodeId(nodeId) ?? [];
  return Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
};

/** The type of an object that has a nodeId; undefined for others. */
export const nodeTypeOf = ({ nodeId }: Partial<WithNodeId>): string | undefined =>
  nodeId === undefined ? undefined : kindOf(nodeId)?.type;

/** The operations of the graph itself. */
export function createGraphOperations(operations: Operations, scopeRules: ReadonlyMap<string, ScopeRule>) {
  return {
    viewer: query((_args: object, context) => {
      const { identity } = context.caller();
      return Promise.resolve({ email: isEmail(identity) ? identity : null });
    }),
    /** Reads what a nodeId names as the operation of its kind does, for callers whose scopes open that. */
    node: query(async ({ nodeId }: WithNodeId, context, selected) => {
      const { operation, names } = kindOf(nodeId) ?? {};
      const read = operation === undefined ? undefined : operations[operation];
      if (operation === undefined || read?.kind !== 'query') throw noNode();
      requireScopes(context.caller(), [scopeRules.get(operation) ?? []]);
      const given: readonly unknown[] = namesOf({ nodeId });
      const args = Object.fromEntries((names ?? []).map((name, index) => [name, given[index]]));
      // `primary` is an argument, and the name of no calendar.
      if (Object.values(args).some((name) => typeof name !== 'string') || args.calendarId === 'primary')
        throw noNode();
      const found = (await read.run(args as never, context, selected).catch(throwAsNode)) as WithNodeId;
      // A new object may have the name of a deleted one.
      if (found.nodeId !== nodeId) throw noNode();
      return found;
    }),
  };
}

const noNode = (): AppError =>
  errorAt('NOT_FOUND', ['nodeId'], 'notFound', 'There is nothing with this nodeId that you may read.');

/** Throws an error of the operation as one of `node`, which has one argument alone. */
function throwAsNode(error: unknown): never {
  if (error instanceof AppError && error.code === 'NOT_FOUND') throw noNode();
  if (error instanceof AppError && error.code === 'BAD_USER_INPUT') throw payerNeeded();
  throw error;
}

const payerNeeded = (): AppError =>
  errorAt(
    'BAD_USER_INPUT',
    ['nodeId'],
    'required',
    'This bucket makes the requester pay: read it with bucket, and its notifications with notification, and give userProject.',
  );
