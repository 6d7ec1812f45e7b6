import type { GraphQLField } from 'graphql';
import { requireScopes, type ScopeRule } from '../../access/permissions.ts';
import { AppError, errorAt } from '../../core/errors.ts';
import { readNodeId } from '../../core/ids.ts';
import type { Fields } from '../../core/json.ts';
import { isEmail } from '../../core/text/email.ts';
import { type Operations, type PageQuery, type Query, query } from '../../operations/operation.ts';

/** Declares an edge of the graph: a field whose value an operation reads, called for the object that has the field. */
interface EdgeRow {
  readonly operation: string;
  /** Arguments that come from the object; undefined if the edge is null. */
  readonly argumentsOf: (object: never) => Fields | undefined;
  /** Schema names of the fields that `argumentsOf` reads. */
  readonly requiredFields: readonly string[];
  /** Errors of the operation that make the edge null instead of failing it. */
  readonly isNullFor?: (error: AppError) => boolean;
  /** Marks an edge that is skipped for objects of a dry run, because it reads stored data of the object. */
  readonly needsStored?: true;
}

/** Object with an id that is unique among all resources. */
interface WithNodeId {
  readonly nodeId: string;
}

/** Edge with its field in the schema, and the operation that reads it (absent without operations). */
export interface Edge extends EdgeRow {
  readonly field: GraphQLField<unknown, unknown>;
  readonly reader?: Query<never, unknown> | PageQuery<never, unknown> | undefined;
}

export const edgeOf = (field: GraphQLField<unknown, unknown> | undefined): Edge | undefined =>
  field?.extensions.edge as Edge | undefined;

/** Alternative scopes of a field, from its directive in the schema. */
export const scopeRuleOf = ({ extensions }: GraphQLField<unknown, unknown>): ScopeRule | undefined =>
  extensions.scopeRule as ScopeRule | undefined;

/** Value of an edge, or the error with which it failed. */
export type EdgeResult = { readonly value: unknown } | { readonly error: unknown };

/** Results of edges by response path (keys joined by dots, without list indexes), then by object. */
export type EdgeResults = Map<string, Map<object, EdgeResult>>;

/** Returns the ids that a nodeId holds after its kind, from the outermost resource inwards. */
const idsIn = ({ nodeId }: WithNodeId): readonly string[] =>
  (readNodeId(nodeId)?.slice(1) ?? []) as readonly string[];

const calendarArgs = (calendar: WithNodeId): Fields => ({ calendarId: idsIn(calendar)[0] });
const bucketArgs = (bucket: WithNodeId): Fields => ({ bucket: idsIn(bucket)[0] });

const hasCode =
  (...codes: readonly AppError['code'][]) =>
  ({ code }: AppError): boolean =>
    codes.includes(code);

const calendarEdge = { argumentsOf: calendarArgs, requiredFields: ['nodeId'], needsStored: true } as const;

/** Fields of an event that decide on its edges. */
interface EventParent extends WithNodeId {
  readonly recurringEventId?: string;
  readonly recurrence?: unknown;
  readonly iCalUID?: string;
}

/** All edges, by type and field of the schema. */
export const edgeRows: Readonly<Record<string, EdgeRow>> = {
  'Calendar.event': { operation: 'event', ...calendarEdge },
  'Calendar.events': { operation: 'events', ...calendarEdge },
  'Calendar.access': { operation: 'calendarAccess', ...calendarEdge, isNullFor: hasCode('FORBIDDEN') },
  'Event.calendar': { operation: 'calendar', argumentsOf: calendarArgs, requiredFields: ['nodeId'] },
  'Event.recurringEvent': {
    operation: 'event',
    requiredFields: ['nodeId', 'recurringEventId'],
    argumentsOf: (event: EventParent) =>
      event.recurringEventId ? { ...calendarArgs(event), eventId: event.recurringEventId } : undefined,
    isNullFor: hasCode('NOT_FOUND'),
  },
  'Event.instances': {
    operation: 'instances',
    requiredFields: ['nodeId', 'recurrence', 'recurringEventId', 'iCalUID'],
    argumentsOf(event: EventParent) {
      const [calendarId, eventId] = idsIn(event);
      // A view with free/busy times hides the recurrence; the operation finds out.
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
    argumentsOf: bucketArgs,
    requiredFields: ['nodeId'],
    needsStored: true,
  },
  'Notification.bucket': {
    operation: 'bucket',
    argumentsOf: bucketArgs,
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
  /** Operation that reads a node. Its arguments have the order of the ids in the nodeId. */
  readonly operation: string;
  readonly argumentNames: readonly string[];
}

/** Kinds of nodes, by the first element of a nodeId. */
const nodeKinds: Readonly<Record<string, NodeKind>> = {
  calendar: { type: 'Calendar', operation: 'calendar', argumentNames: ['calendarId'] },
  event: { type: 'Event', operation: 'event', argumentNames: ['calendarId', 'eventId'] },
  Bucket: { type: 'Bucket', operation: 'bucket', argumentNames: ['bucket'] },
  Notification: {
    type: 'Notification',
    operation: 'notification',
    argumentNames: ['bucket', 'notificationId'],
  },
};

/** Schema types whose objects have a nodeId that `node` reads. */
export const nodeTypes: ReadonlySet<string> = new Set(Object.values(nodeKinds).map(({ type }) => type));

const nodeKindOf = (nodeId: string): NodeKind | undefined => {
  const [kind = ''] = readNodeId(nodeId) ?? [];
  return Object.hasOwn(nodeKinds, kind) ? nodeKinds[kind] : undefined;
};

/** Schema type of an object with a nodeId; undefined for other objects. */
export const nodeTypeOf = ({ nodeId }: Partial<WithNodeId>): string | undefined =>
  nodeId === undefined ? undefined : nodeKindOf(nodeId)?.type;

/** Creates the operations `viewer` and `node`. */
export function createGraphOperations(operations: Operations, scopeRules: ReadonlyMap<string, ScopeRule>) {
  return {
    viewer: query(async ({ identity }, _args: object) => ({ email: isEmail(identity) ? identity : null })),
    /** Reads the node by the operation of its kind, which also decides on the required scopes. */
    node: query(async (viewer, { nodeId }: WithNodeId, context, getSelection) => {
      const { operation, argumentNames = [] } = nodeKindOf(nodeId) ?? {};
      const reader = operation === undefined ? undefined : operations[operation];
      if (operation === undefined || reader?.kind !== 'query') throw nodeNotFound();
      requireScopes(viewer, [scopeRules.get(operation) ?? []]);
      const ids: readonly unknown[] = idsIn({ nodeId });
      const args = Object.fromEntries(argumentNames.map((name, index) => [name, ids[index]]));
      // `primary` is an alias for arguments, never the id in a nodeId.
      if (Object.values(args).some((id) => typeof id !== 'string') || args.calendarId === 'primary')
        throw nodeNotFound();
      const node = (await reader
        .run(args as never, context, getSelection)
        .catch(throwNodeError)) as WithNodeId;
      // A new object may have reused the name of a deleted one.
      if (node.nodeId !== nodeId) throw nodeNotFound();
      return node;
    }),
  };
}

const nodeNotFound = (): AppError =>
  errorAt(
    'NOT_FOUND',
    ['nodeId'],
    'notFound',
    'You may not read an object with this nodeId, or there is none.',
  );

/** Rethrows an error of the operation as an error of the argument `nodeId`. */
function throwNodeError(error: unknown): never {
  if (error instanceof AppError && error.code === 'NOT_FOUND') throw nodeNotFound();
  if (error instanceof AppError && error.code === 'BAD_USER_INPUT')
    throw errorAt(
      'BAD_USER_INPUT',
      ['nodeId'],
      'required',
      'This is a requester-pays bucket: read it with bucket, its notifications with notification, and send userProject.',
    );
  throw error;
}
