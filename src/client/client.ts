/** Tools of a front end beside its GraphQL client: keys for its cache, issues and warnings of answers. They have no dependencies. */
import type { ErrorCode, Issue, Reason, Warning as OwnWarning } from '../core/errors.ts';

export type { Issue } from '../core/errors.ts';

/** Something that was accepted, and not applied as it was sent. `field`: the response key of the root field that it belongs to. */
export interface Warning extends OwnWarning {
  readonly field: string;
}

/** `extensions` of an error. */
export interface GatewayErrorExtensions {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly issues: readonly Issue[];
  /** The id under which the log has the request. */
  readonly requestId?: string;
  /** The present version, with PRECONDITION_FAILED. */
  readonly etag?: string;
  /** Seconds after which to try again. */
  readonly retryAfter?: number;
}

/** `extensions` of a response. */
export interface GatewayExtensions {
  readonly warnings?: readonly Warning[];
  /** The number of guests who are told, by response key of the root field. */
  readonly guestsNotified?: Readonly<Record<string, number>>;
}

/** Types with a `nodeId`, which is unique among all of them. Their `id` is not: each calendar has its own copy of an event. */
const nodes = ['Event', 'Calendar', 'Bucket', 'Notification'];

/** Types that are a part of the object they stand in. The `id` of a guest repeats from event to event. */
const embedded = (
  'EventTime EventAttachment EventAttendee EventCreator EventOrganizer EventExtendedProperties EventGadget EventReminders ' +
  'EventReminder EventSource EventConnection EventEdge ConferenceData ConferenceSolution ConferenceSolutionKey ' +
  'ConferenceCreateRequest ConferenceRequestStatus ConferenceParameters ConferenceAddOnParameters EntryPoint CalendarAccess ' +
  'CalendarBusy CalendarBusyError CalendarChange BusyPeriod BucketBilling BucketConnection BucketEdge MessageConnection ' +
  'MessageEdge PublishedMessage ObjectChangeResult SeriesSplit Viewer WriteReport Warning GuestsNotified PageInfo'
).split(' ');

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Guest lists without all guests, and their guests, as the cache is about to write them. */
const partial = new WeakSet<object>();

/** The key of a node; an object that was read without its `nodeId` is a part of its parent. */
function keyOf(
  _object: Fields,
  { storeObject }: { readonly storeObject: Fields },
): readonly string[] | false {
  const { nodeId, attendees, attendeesOmitted } = storeObject;
  if (attendeesOmitted === true && Array.isArray(attendees))
    for (const one of [attendees, ...(attendees as unknown[])]) if (isObject(one)) partial.add(one);
  return nodeId === undefined ? false : ['nodeId'];
}

/** Merges lists whose items are known by a field. What was read without it is replaced. */
const mergeBy =
  (key: string) =>
  (
    existing: readonly Fields[] | null | undefined,
    incoming: readonly Fields[] | null,
  ): readonly Fields[] | null => {
    if (!existing || !incoming) return incoming;
    const known = new Map(existing.map((item) => [item[key], item]));
    const merged = incoming.map((item) =>
      item[key] === undefined ? item : { ...known.get(item[key]), ...item },
    );
    if (![incoming, ...incoming].some((one) => partial.has(one))) return merged;
    const there = new Set(incoming.map((item) => item[key]));
    return [...merged, ...existing.filter((item) => item[key] !== undefined && !there.has(item[key]))];
  };

/** Policies for `new InMemoryCache({ typePolicies })` of @apollo/client. */
export const typePolicies = {
  ...Object.fromEntries(embedded.map((name) => [name, { keyFields: false as const, merge: true }])),
  ...Object.fromEntries(nodes.map((name) => [name, { keyFields: keyOf, merge: true }])),
  Event: {
    keyFields: keyOf,
    merge: true,
    fields: { attendees: { merge: mergeBy('email') }, attachments: { merge: mergeBy('fileUrl') } },
  },
};

/** Keys for `cacheExchange({ keys })` of @urql/exchange-graphcache. */
export const graphcacheKeys: Readonly<Record<string, (data: Fields) => string | null>> = {
  ...Object.fromEntries(embedded.map((name) => [name, () => null])),
  ...Object.fromEntries(
    nodes.map((name) => [name, ({ nodeId }: Fields) => (nodeId as string | undefined) ?? null]),
  ),
};

/**
 * The issues in what a request failed with: the error of @apollo/client, urql or graphql-request, or the parsed body that fetch
 * got. None where the gateway did not answer, or refused the request as a whole.
 */
export const issuesOf = (error: unknown): readonly Issue[] =>
  errorsIn(error, 0).flatMap(({ issues }) => issues ?? []);

/** Members in which clients keep the errors of an answer. */
const holders = [
  'errors',
  'graphQLErrors',
  'response',
  'bodyText',
  'error',
  'networkError',
  'source',
  'cause',
];
const maxDepth = 4;

function errorsIn(source: unknown, depth: number): readonly Partial<GatewayErrorExtensions>[] {
  if (depth > maxDepth) return [];
  if (typeof source === 'string') return errorsIn(parsed(source), depth);
  if (Array.isArray(source)) return source.flatMap((one) => errorsIn(one, depth + 1));
  if (!isObject(source)) return [];
  if (isObject(source.extensions) && Array.isArray(source.extensions.issues)) return [source.extensions];
  for (const holder of holders) {
    const found = errorsIn(source[holder], depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The warnings of a result: in its `extensions`, or in a `report` among its data, where a client gives these alone. */
export function warningsOf(result: unknown): readonly Warning[] {
  if (!isObject(result)) return [];
  const { extensions, data } = result;
  const reports = [extensions, ...Object.values(isObject(data) ? data : result)];
  const report = reports.find((one) => isObject(one) && Array.isArray(one.warnings));
  return report ? ((report as Fields).warnings as readonly Warning[]) : [];
}
