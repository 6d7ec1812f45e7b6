import { fc } from '../../property.ts';
import { readNodeId } from '../../../src/core/node-id.ts';
import type { Answer } from '../../harness.ts';

/** Random selections over edges of the graph. Each edge is compared with its root field. */

/** An edge in a selection: response key, field, arguments, and the edges selected below. */
interface Step {
  readonly key: string;
  readonly edge: string;
  readonly args: string;
  /** Connections show `nodes`, `edges`, or both. */
  readonly as: readonly ('nodes' | 'edges')[];
  readonly steps: readonly Step[];
}

/** The edges of each type: the type that an edge returns, and arguments to choose from. */
const edges: Readonly<Record<string, Readonly<Record<string, { type: string; args: readonly string[] }>>>> = {
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

const randomSteps = (type: string, depth: number): fc.Arbitrary<readonly Step[]> => {
  const names = Object.entries(edges[type] ?? {});
  if (depth === 0 || names.length === 0) return fc.constant([]);
  const step = fc.constantFrom(...names).chain(([edge, row]) =>
    fc.record({
      key: fc.constantFrom(edge, 'a', 'b'),
      edge: fc.constant(edge),
      args: fc.constantFrom(...row.args),
      as: fc.constantFrom(['nodes'] as const, ['edges'] as const, ['nodes', 'edges'] as const),
      steps: randomSteps(row.type.replace('Connection', ''), depth - 1),
    }),
  );
  return fc.uniqueArray(step, { selector: ({ key }) => key, minLength: 1, maxLength: 3 });
};

/** A random selection of a type, at most three edges deep. */
export const randomSelection = (type: string): fc.Arbitrary<readonly Step[]> => randomSteps(type, 3);

const typeOf = (parent: string, edge: string): string => edges[parent]?.[edge]?.type ?? '';
const entryOf = (type: string): string => type.replace('Connection', '');

/** Writes a selection as GraphQL text; without steps, only the scalar fields. */
export function writeSelection(type: string, steps: readonly Step[]): string {
  const below = steps.map(({ key, edge, args, as, steps: inner }) => {
    const of = typeOf(type, edge);
    return `${key}: ${edge}${args && `(${args})`} ${wrapConnection(of, as, writeSelection(entryOf(of), inner))}`;
  });
  return `{ ${[scalarFields[type], ...below].join(' ')} }`;
}

const wrapConnection = (type: string, as: Step['as'], inner: string): string =>
  !type.endsWith('Connection')
    ? inner
    : `{ ${as.map((form) => (form === 'nodes' ? `nodes ${inner}` : `edges { node ${inner} }`)).join(' ')} pageInfo { hasNextPage } }`;

type Fields = Readonly<Record<string, unknown>>;

/** An edge's value, and the root field that must return the same. */
export interface Check {
  readonly root: string;
  readonly path: readonly (string | number)[];
  /** Whether the edge is null when its root field fails with this code. */
  readonly isNull: (code: string, reason: string) => boolean;
  readonly given: unknown;
  /** Removes the nested edges from a value. */
  readonly stripEdges: (value: unknown) => unknown;
}

/** Collects the checks of all edges below an object. */
export function checksOf(type: string, steps: readonly Step[], object: Fields, path: Check['path']): Check[] {
  return steps.flatMap((step) => {
    const of = typeOf(type, step.edge);
    const given = object[step.key];
    const at = [...path, step.key];
    const root = rootFieldOf(type, step, object);
    // An edge without a root field is null, such as the instances of a single event.
    if (!root) expect([at, given]).toEqual([at, null]);
    const own = root
      ? [
          {
            ...root,
            root: `${root.root} ${wrapConnection(of, step.as, writeSelection(entryOf(of), []))}`,
            path: at,
            given,
            stripEdges: withoutEdgesOf(step),
          },
        ]
      : [];
    return [
      ...own,
      ...entriesOf(given, at).flatMap(([entry, place]) => checksOf(entryOf(of), step.steps, entry, place)),
    ];
  });
}

const never = (): boolean => false;

function rootFieldOf(
  type: string,
  { edge, args }: Step,
  object: Fields,
): Pick<Check, 'root' | 'isNull'> | undefined {
  const [, first, second] = readNodeId(String(object.nodeId)) ?? [];
  const [a, b] = [JSON.stringify(first), JSON.stringify(second)];
  const more = args && `, ${args}`;
  const notFound = (code: string): boolean => code === 'NOT_FOUND';
  switch (`${type}.${edge}`) {
    case 'Calendar.event':
    case 'Calendar.events':
      return { root: `${edge}(calendarId: ${a}${more})`, isNull: never };
    case 'Calendar.access':
      return { root: `calendarAccess(calendarId: ${a})`, isNull: (code) => code === 'FORBIDDEN' };
    case 'Event.calendar':
      return { root: `calendar(calendarId: ${a})`, isNull: never };
    case 'Event.recurringEvent':
      return typeof object.recurringEventId === 'string'
        ? {
            root: `event(calendarId: ${a}, eventId: ${JSON.stringify(object.recurringEventId)})`,
            isNull: notFound,
          }
        : undefined;
    case 'Event.instances':
      return typeof object.recurringEventId === 'string'
        ? undefined
        : {
            root: `instances(calendarId: ${a}, eventId: ${b}${more})`,
            isNull: (code, reason) => code === 'BAD_USER_INPUT' && reason === 'invalid',
          };
    case 'Bucket.notifications':
      return { root: `notifications(bucket: ${a}${more})`, isNull: never };
    default:
      return { root: `bucket(bucket: ${a}${more})`, isNull: notFound };
  }
}

/** Lists the objects in the value of an edge, with their paths. */
function entriesOf(value: unknown, path: Check['path']): (readonly [Fields, Check['path']])[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => entriesOf(entry, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  const { nodes, edges: edgeEntries } = value as Fields;
  if (Array.isArray(nodes) || Array.isArray(edgeEntries)) {
    const at = (edgeEntries as { node: Fields }[] | undefined)?.map(
      ({ node }, index) => [node, [...path, 'edges', index, 'node']] as const,
    );
    return [...entriesOf(nodes, [...path, 'nodes']), ...(at ?? [])];
  }
  return [[value as Fields, path]];
}

function withoutEdgesOf({ steps }: Step): (value: unknown) => unknown {
  const keys = new Set(steps.map(({ key }) => key));
  const stripEdges = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(stripEdges);
    if (typeof value !== 'object' || value === null) return value;
    const fields = value as Fields;
    if ('pageInfo' in fields)
      return {
        ...fields,
        ...('nodes' in fields && { nodes: stripEdges(fields.nodes) }),
        ...('edges' in fields && {
          edges: (fields.edges as Fields[]).map((entry) => ({ ...entry, node: stripEdges(entry.node) })),
        }),
      };
    return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.has(key)));
  };
  return stripEdges;
}

/** A response without its request ID. */
export const normalize = ({ status, data, errors = [] }: Answer): object => ({
  status,
  data: data as unknown,
  errors: errors.map(({ message, path, extensions: { requestId: _, ...rest } }) => ({
    message,
    path,
    ...rest,
  })),
});
