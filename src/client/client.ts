/** Dependency-free tools for front ends: keys for the cache of a GraphQL client, and the issues and warnings of responses. */
import type { ErrorCode, Issue, Reason, Warning as BaseWarning } from '../core/errors.ts';

export type { Issue } from '../core/errors.ts';

/** A value that was accepted but not applied as sent. `field`: the response key of its root field. */
export interface Warning extends BaseWarning {
  readonly field: string;
}

/** Extensions of an error in a response. */
export interface GatewayErrorExtensions {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly issues: readonly Issue[];
  /** Id of the request in the gateway's log. */
  readonly requestId?: string;
  /** Current etag, with PRECONDITION_FAILED. */
  readonly etag?: string;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
}

/** Extensions of a response. */
export interface GatewayExtensions {
  readonly warnings?: readonly Warning[];
  /** Number of notified guests by response key of the root field. */
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Types with a globally unique `nodeId`. Their `id` is not unique, since each calendar has its own copy of an event. */
const nodeTypes = ['Event', 'Calendar', 'Bucket', 'Notification'];

/** Types without an identity of their own. The `id` of a guest repeats from event to event. */
const embeddedTypes = (
  'EventTime EventAttachment EventAttendee EventCreator EventOrganizer EventExtendedProperties EventGadget EventReminders ' +
  'EventReminder EventSource EventConnection EventEdge ConferenceData ConferenceSolution ConferenceSolutionKey ' +
  'ConferenceCreateRequest ConferenceRequestStatus ConferenceParameters ConferenceAddOnParameters EntryPoint CalendarAccess ' +
  'CalendarBusy CalendarBusyError CalendarChange BusyPeriod BucketBilling BucketConnection BucketEdge MessageConnection ' +
  'MessageEdge PublishedMessage ObjectChangeResult SeriesSplit CalendarImport RefusedComponent ImportIssue Channel Viewer WriteReport Warning GuestsNotified PageInfo'
).split(' ');

/** Object of a response or of a client's cache. */
type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Incomplete guest lists and their guests. Only `keyOf` sees their event; `mergeBy` reads the mark afterwards. */
const incompleteObjects = new WeakSet<object>();

/**
 * Returns the cache key of a node, and marks an incomplete guest list in it: Apollo asks for the key before it merges the
 * fields. An object without `nodeId` is stored as part of its parent.
 */
function keyOf(
  _object: Fields,
  { storeObject }: { readonly storeObject: Fields },
): readonly string[] | false {
  const { nodeId, attendees, attendeesOmitted } = storeObject;
  if (attendeesOmitted === true && Array.isArray(attendees))
    for (const listOrGuest of [attendees, ...(attendees as unknown[])])
      if (isObject(listOrGuest)) incompleteObjects.add(listOrGuest);
  return nodeId === undefined ? false : ['nodeId'];
}

/** Merges lists by the key field of their items. Items without the key replace the existing ones. */
const mergeBy =
  (key: string) =>
  (
    existing: readonly Fields[] | null | undefined,
    incoming: readonly Fields[] | null,
  ): readonly Fields[] | null => {
    if (!existing || !incoming) return incoming;
    const existingByKey = new Map(existing.map((item) => [item[key], item]));
    const mergedItems = incoming.map((item) =>
      item[key] === undefined ? item : { ...existingByKey.get(item[key]), ...item },
    );
    if (![incoming, ...incoming].some((value) => incompleteObjects.has(value))) return mergedItems;
    const incomingKeys = new Set(incoming.map((item) => item[key]));
    return [
      ...mergedItems,
      ...existing.filter((item) => item[key] !== undefined && !incomingKeys.has(item[key])),
    ];
  };

/** Policies for `new InMemoryCache({ typePolicies })` of @apollo/client. */
export const typePolicies = {
  ...Object.fromEntries(embeddedTypes.map((name) => [name, { keyFields: false as const, merge: true }])),
  ...Object.fromEntries(nodeTypes.map((name) => [name, { keyFields: keyOf, merge: true }])),
  Event: {
    keyFields: keyOf,
    merge: true,
    fields: { attendees: { merge: mergeBy('email') }, attachments: { merge: mergeBy('fileUrl') } },
  },
};

/** Keys for `cacheExchange({ keys })` of @urql/exchange-graphcache. */
export const graphcacheKeys: Readonly<Record<string, (data: Fields) => string | null>> = {
  ...Object.fromEntries(embeddedTypes.map((name) => [name, () => null])),
  ...Object.fromEntries(
    nodeTypes.map((name) => [name, ({ nodeId }: Fields) => (nodeId as string | undefined) ?? null]),
  ),
};

/** Returns the issues in a client library's error (@apollo/client, urql, graphql-request) or in a parsed body; empty if there was no response. */
export const issuesOf = (error: unknown): readonly Issue[] =>
  findErrors(error, 0).flatMap(({ issues }) => issues ?? []);

/** Members in which clients keep the errors of a response. */
const errorMembers = 'errors graphQLErrors response bodyText error networkError source cause'.split(' ');
/** Levels of errors inside of errors that are searched. */
const maxDepth = 4;

/** Finds the extensions of errors wherever a client keeps them, up to `maxDepth`. */
function findErrors(source: unknown, depth: number): readonly Partial<GatewayErrorExtensions>[] {
  if (depth > maxDepth) return [];
  if (typeof source === 'string') return findErrors(parseJson(source), depth);
  if (Array.isArray(source)) return source.flatMap((entry) => findErrors(entry, depth + 1));
  if (!isObject(source)) return [];
  if (isObject(source.extensions) && Array.isArray(source.extensions.issues)) return [source.extensions];
  for (const member of errorMembers) {
    const errors = findErrors(source[member], depth + 1);
    if (errors.length > 0) return errors;
  }
  return [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the warnings of a result, from its `extensions`, or from a `report` in its data for clients that drop extensions. */
export function warningsOf(result: unknown): readonly Warning[] {
  if (!isObject(result)) return [];
  const { extensions, data } = result;
  const reports = [extensions, ...Object.values(isObject(data) ? data : result)];
  const report = reports.find((candidate) => isObject(candidate) && Array.isArray(candidate.warnings));
  return report ? ((report as Fields).warnings as readonly Warning[]) : [];
}
