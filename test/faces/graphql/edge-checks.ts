import { fc } from '../../property.ts';
import { readNodeId } from '../../../src/core/ids.ts';
import type { Answer } from '../../harness.ts';

/** Random selections over edges of the graph. Each edge is compared with its root field. */

/** An edge in a selection, with its response key, its arguments and the edges selected below it. */
interface EdgeSelection {
  readonly key: string;
  readonly edge: string;
  readonly args: string;
  /** Fields of a connection that contain its objects. */
  readonly lists: readonly ('nodes' | 'edges')[];
  readonly nested: readonly EdgeSelection[];
}

/** The edges of each type: the type that an edge returns, and arguments to choose from. */
const edgesByType: Readonly<
  Record<string, Readonly<Record<string, { type: string; args: readonly string[] }>>>
> = {
  Calendar: {
    event: {
      type: 'Event',
      args: ['eventId: "series"', 'eventId: "secret"', 'eventId: "none", maxAttendees: 1'],
    },
    events: {
      type: 'EventConnection',
      args: [
        '',
        'first: 2',
        'singleEvents: true, timeMax: "2026-12-12T00:00:00Z", orderBy: startTime',
        'q: "plan", showDeleted: true',
        'first: 0',
        'alwaysIncludeEmail: true, maxAttendees: 1',
      ],
    },
    access: { type: 'CalendarAccess', args: [''] },
  },
  Event: {
    calendar: { type: 'Calendar', args: [''] },
    recurringEvent: { type: 'Event', args: [''] },
    instances: {
      type: 'EventConnection',
      args: ['', 'first: 2', 'showDeleted: true, maxAttendees: 1', 'timeMin: "2026-12-08T00:00:00Z"'],
    },
  },
  Bucket: { notifications: { type: 'Notification', args: ['', 'userProject: "some-project"'] } },
  Notification: { bucket: { type: 'Bucket', args: ['', 'userProject: "some-project"'] } },
  CalendarAccess: {},
};

/** Scalar fields of each type: enough to notice a field that the caller may not see. */
const scalarFields: Readonly<Record<string, string>> = {
  Calendar: 'nodeId id summary timeZone accessRole primary etag defaultReminders { method }',
  Event:
    'nodeId id etag status summary description location updated recurrence recurringEventId attendeesOmitted ' +
    'start { dateTime } end { dateTime } attendees { email responseStatus self } organizer { email self } extendedProperties { private }',
  Bucket: 'nodeId name etag managers',
  Notification: 'nodeId id topic etag',
  CalendarAccess: 'email role',
};

const generateEdges = (type: string, depth: number): fc.Arbitrary<readonly EdgeSelection[]> => {
  const edges = Object.entries(edgesByType[type] ?? {});
  if (depth === 0 || edges.length === 0) return fc.constant([]);
  const edgeSelection = fc.constantFrom(...edges).chain(([edge, { type: edgeType, args }]) =>
    fc.record({
      key: fc.constantFrom(edge, 'a', 'b'),
      edge: fc.constant(edge),
      args: fc.constantFrom(...args),
      lists: fc.constantFrom(['nodes'] as const, ['edges'] as const, ['nodes', 'edges'] as const),
      nested: generateEdges(objectTypeOf(edgeType), depth - 1),
    }),
  );
  return fc.uniqueArray(edgeSelection, { selector: ({ key }) => key, minLength: 1, maxLength: 3 });
};

/** Generates selections of a type, at most three edges deep. */
export const generateSelection = (type: string): fc.Arbitrary<readonly EdgeSelection[]> =>
  generateEdges(type, 3);

const edgeTypeOf = (parentType: string, edge: string): string => edgesByType[parentType]?.[edge]?.type ?? '';
/** The type of an edge's objects, also if the edge is a connection. */
const objectTypeOf = (edgeType: string): string => edgeType.replace('Connection', '');

/** Writes a selection as GraphQL text; without edges, only the scalar fields. */
export function writeSelection(type: string, selection: readonly EdgeSelection[]): string {
  const edgeTexts = selection.map(({ key, edge, args, lists, nested }) => {
    const edgeType = edgeTypeOf(type, edge);
    const objectText = writeSelection(objectTypeOf(edgeType), nested);
    return `${key}: ${edge}${args && `(${args})`} ${wrapConnection(edgeType, lists, objectText)}`;
  });
  return `{ ${[scalarFields[type], ...edgeTexts].join(' ')} }`;
}

const wrapConnection = (edgeType: string, lists: EdgeSelection['lists'], objectText: string): string =>
  !edgeType.endsWith('Connection')
    ? objectText
    : `{ ${lists.map((list) => (list === 'nodes' ? `nodes ${objectText}` : `edges { node ${objectText} }`)).join(' ')} pageInfo { hasNextPage } }`;

type Fields = Readonly<Record<string, unknown>>;

/** A comparison: an edge's value, and the root field that must return the same. */
export interface EdgeCheck {
  readonly rootField: string;
  readonly path: readonly (string | number)[];
  /** Whether the edge is null, without an error, if its root field fails with this code and reason. */
  readonly isNull: (code: string, reason: string) => boolean;
  readonly edgeValue: unknown;
  /** Removes the nested edges from a value. */
  readonly stripEdges: (value: unknown) => unknown;
}

/** Collects the checks of all edges below an object. */
export function collectChecks(
  type: string,
  selection: readonly EdgeSelection[],
  object: Fields,
  path: EdgeCheck['path'],
): EdgeCheck[] {
  return selection.flatMap((edgeSelection) => {
    const { key, edge, lists, nested } = edgeSelection;
    const edgeType = edgeTypeOf(type, edge);
    const objectType = objectTypeOf(edgeType);
    const edgeValue = object[key];
    const edgePath = [...path, key];
    const rootEquivalent = findEquivalentRootField(type, edgeSelection, object);
    // An edge without a root field is null, such as the instances of a single event.
    if (!rootEquivalent) expect([edgePath, edgeValue]).toEqual([edgePath, null]);
    const edgeChecks = rootEquivalent
      ? [
          {
            rootField: `${rootEquivalent.rootField} ${wrapConnection(edgeType, lists, writeSelection(objectType, []))}`,
            isNull: rootEquivalent.isNull,
            path: edgePath,
            edgeValue,
            stripEdges: createEdgeStripper(nested),
          },
        ]
      : [];
    const nestedChecks = listObjectsIn(edgeValue, edgePath).flatMap(([nestedObject, objectPath]) =>
      collectChecks(objectType, nested, nestedObject, objectPath),
    );
    return [...edgeChecks, ...nestedChecks];
  });
}

const isNullForNoError = (): boolean => false;

/** Finds the root field, without its selection, that must return the same as an edge of an object. */
function findEquivalentRootField(
  type: string,
  { edge, args }: EdgeSelection,
  object: Fields,
): Pick<EdgeCheck, 'rootField' | 'isNull'> | undefined {
  // A node ID holds the type, then the calendar or bucket, then the event or notification.
  const [, ...ids] = readNodeId(String(object.nodeId)) ?? [];
  const [calendarOrBucket, eventId] = ids.map((id) => JSON.stringify(id));
  const moreArgs = args && `, ${args}`;
  const isNotFound = (code: string): boolean => code === 'NOT_FOUND';
  switch (`${type}.${edge}`) {
    case 'Calendar.event':
    case 'Calendar.events':
      return { rootField: `${edge}(calendarId: ${calendarOrBucket}${moreArgs})`, isNull: isNullForNoError };
    case 'Calendar.access':
      return {
        rootField: `calendarAccess(calendarId: ${calendarOrBucket})`,
        isNull: (code) => code === 'FORBIDDEN',
      };
    case 'Event.calendar':
      return { rootField: `calendar(calendarId: ${calendarOrBucket})`, isNull: isNullForNoError };
    case 'Event.recurringEvent':
      return typeof object.recurringEventId === 'string'
        ? {
            rootField: `event(calendarId: ${calendarOrBucket}, eventId: ${JSON.stringify(object.recurringEventId)})`,
            isNull: isNotFound,
          }
        : undefined;
    case 'Event.instances':
      return typeof object.recurringEventId === 'string'
        ? undefined
        : {
            rootField: `instances(calendarId: ${calendarOrBucket}, eventId: ${eventId}${moreArgs})`,
            isNull: (code, reason) => code === 'BAD_USER_INPUT' && reason === 'invalid',
          };
    case 'Bucket.notifications':
      return { rootField: `notifications(bucket: ${calendarOrBucket}${moreArgs})`, isNull: isNullForNoError };
    case 'Notification.bucket':
      return { rootField: `bucket(bucket: ${calendarOrBucket}${moreArgs})`, isNull: isNotFound };
    default:
      throw new Error(`no root field for ${type}.${edge}`);
  }
}

/** Lists the objects in the value of an edge, with their paths. */
function listObjectsIn(value: unknown, path: EdgeCheck['path']): (readonly [Fields, EdgeCheck['path']])[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => listObjectsIn(entry, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  const { nodes, edges: edgeEntries } = value as Fields;
  if (Array.isArray(nodes) || Array.isArray(edgeEntries)) {
    const edgeObjects = (edgeEntries as { node: Fields }[] | undefined)?.map(
      ({ node }, index) => [node, [...path, 'edges', index, 'node']] as const,
    );
    return [...listObjectsIn(nodes, [...path, 'nodes']), ...(edgeObjects ?? [])];
  }
  return [[value as Fields, path]];
}

/** Creates a function that removes edges from the objects of a value. */
function createEdgeStripper(selection: readonly EdgeSelection[]): (value: unknown) => unknown {
  const keys = new Set(selection.map(({ key }) => key));
  const stripEdges = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(stripEdges);
    if (typeof value !== 'object' || value === null) return value;
    const fields = value as Fields;
    if ('pageInfo' in fields)
      return {
        ...fields,
        ...('nodes' in fields && { nodes: stripEdges(fields.nodes) }),
        ...('edges' in fields && {
          edges: (fields.edges as Fields[]).map((edge) => ({ ...edge, node: stripEdges(edge.node) })),
        }),
      };
    return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.has(key)));
  };
  return stripEdges;
}

/** Removes the request IDs from a response. */
export const normalizeAnswer = ({ status, data, errors = [] }: Answer): object => ({
  status,
  data: data as unknown,
  errors: errors.map(({ message, path, extensions: { requestId: _, ...otherExtensions } }) => ({
    message,
    path,
    ...otherExtensions,
  })),
});
