import type { EventJson } from '../../../event/event.harness.ts';
import type { Args } from '../../../random/operation.ts';
import { conferenceTypes } from './requests.ts';

/* Converts GraphQL responses to REST resources, independently of the code in src/. */

const personDefaults = {
  self: false,
  organizer: false,
  resource: false,
  optional: false,
  additionalGuests: 0,
};
/** Default values, which REST omits, by the field that holds the object. */
const omittedDefaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  event: {
    endTimeUnspecified: false,
    attendeesOmitted: false,
    anyoneCanAddSelf: false,
    guestsCanModify: false,
    locked: false,
    privateCopy: false,
    guestsCanInviteOthers: true,
    guestsCanSeeOtherGuests: true,
    transparency: 'opaque',
    visibility: 'default',
  },
  attendees: personDefaults,
  organizer: personDefaults,
  creator: personDefaults,
  calendar: { primary: false },
  billing: { requesterPays: false },
};
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes nulls, defaults, nodeIds, and objects that have nothing else. Empty lists and maps stay. */
function omitDefaults(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => omitDefaults(entry, name) ?? {});
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([field, inner]): [string, unknown][] => {
    const convertedValue =
      inner === null || field === 'nodeId' || omittedDefaults[name]?.[field] === inner
        ? undefined
        : omitDefaults(inner, field);
    return convertedValue === undefined ? [] : [[field, convertedValue]];
  });
  return entries.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(entries);
}

function toEventResource(event: EventJson): EventJson {
  const { callLink, conferenceData, ...otherFields } = omitDefaults(event, 'event') as EventJson;
  return {
    ...otherFields,
    ...(callLink !== undefined && { hangoutLink: callLink }),
    ...(event.start !== null && { eventType: 'default' }),
    ...(conferenceData !== undefined && { conferenceData: withOfficialTypes(conferenceData) }),
  };
}

function withOfficialTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOfficialTypes);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'type' ? (conferenceTypes[String(inner)] ?? inner) : withOfficialTypes(inner),
    ]),
  );
}

const pickFields = (value: EventJson, names: readonly string[]): EventJson =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])));

const calendarFields = ['kind', 'etag', 'id', 'summary', 'timeZone', 'description', 'location'] as const;
const toCalendarResource = (calendar: EventJson): EventJson =>
  pickFields(omitDefaults(calendar, 'calendar'), calendarFields);

const calendarEntryFields = [
  ...calendarFields,
  'backgroundColor',
  'accessRole',
  'primary',
  'defaultReminders',
];

const toCalendarEntry = (calendar: EventJson): EventJson => ({
  defaultReminders: [],
  ...pickFields(omitDefaults(calendar, 'calendar'), calendarEntryFields),
  kind: 'calendar#calendarListEntry',
  selected: true,
});

function toBucketResource(bucket: EventJson): EventJson {
  const {
    project: _project,
    managers: _managers,
    ...officialFields
  } = omitDefaults(bucket, 'bucket') as EventJson;
  return officialFields;
}

const toNotificationResource = (notification: EventJson): EventJson =>
  omitDefaults(notification, 'notification');

/** An ACL rule without its etag, which GraphQL does not have. */
const createAclRule = (email: string, role: string): EventJson => ({
  kind: 'calendar#aclRule',
  id: `user:${email}`,
  scope: { type: 'user', value: email },
  role,
});

const toBusyByCalendar = (calendars: readonly EventJson[]): EventJson =>
  Object.fromEntries(
    calendars.map(({ calendarId, busy: periods, error }) => [
      calendarId,
      error ? { errors: [{ domain: 'global', reason: error.reason }], busy: [] } : { busy: periods },
    ]),
  );

const equalsIgnoringCase = (a: string, b: unknown): boolean => a.toLowerCase() === String(b).toLowerCase();

/** Converters of each operation's result to a REST body; operations without a body are absent. GraphQL has no list etags. */
const bodyConverters: Readonly<
  Record<string, (result: EventJson, args: Args, calendar: EventJson) => EventJson>
> = {
  event: toEventResource,
  insertEvent: toEventResource,
  patchEvent: toEventResource,
  events: toEventPage,
  instances: toEventPage,
  calendars: (result) => ({ kind: 'calendar#calendarList', items: result.map(toCalendarEntry) }),
  calendar: toCalendarResource,
  insertCalendar: toCalendarResource,
  patchCalendar: toCalendarResource,
  calendarAccess: (result) => ({
    kind: 'calendar#acl',
    items: result.map(({ email, role }: EventJson) => createAclRule(email, role)),
  }),
  setCalendarAccess: (result, { email, role }) => {
    if (role === 'none') return undefined;
    const entry = result?.find((a: EventJson) => equalsIgnoringCase(a.email, email)) ?? { email, role };
    return createAclRule(entry.email, entry.role);
  },
  freeBusy: (result, { timeMin, timeMax }) => ({
    kind: 'calendar#freeBusy',
    timeMin,
    timeMax,
    calendars: toBusyByCalendar(result),
  }),
  notifications: (result) => ({ kind: 'storage#notifications', items: result.map(toNotificationResource) }),
  insertNotification: toNotificationResource,
  notification: toNotificationResource,
  buckets: ({ nodes, pageInfo }) => ({
    kind: 'storage#buckets',
    ...toNextPageToken(pageInfo),
    items: nodes.map(toBucketResource),
  }),
  insertBucket: toBucketResource,
  bucket: toBucketResource,
  patchBucket: toBucketResource,
};

const toNextPageToken = ({ hasNextPage, endCursor }: EventJson): EventJson =>
  hasNextPage ? { nextPageToken: endCursor } : {};

function toEventPage(
  { nodes, pageInfo, nextSyncToken }: EventJson,
  _args: Args,
  { summary, timeZone, accessRole, defaultReminders }: EventJson,
): EventJson {
  const tokens = pageInfo.hasNextPage
    ? toNextPageToken(pageInfo)
    : nextSyncToken === null
      ? {}
      : { nextSyncToken };
  return {
    kind: 'calendar#events',
    summary,
    timeZone,
    accessRole,
    defaultReminders: defaultReminders ?? [],
    ...tokens,
    items: nodes.map(toEventResource),
  };
}

/** Converts results of root fields to the bodies that REST should return. */
export const restBodies = {
  /** Converts the result of an operation that REST offers; `calendar` completes pages of events. */
  convertOffered: (name: string, args: Args, result: EventJson, calendar: EventJson): EventJson =>
    bodyConverters[name]?.(result, args, calendar),
  /** Converts the events in the result of an operation that REST does not offer. */
  convertUnoffered: (result: EventJson): EventJson => {
    if (result?.kind === 'calendar#event') return toEventResource(result);
    if (!result?.following) return result;
    const { before, following } = result;
    return { before: before && toEventResource(before), following: toEventResource(following) };
  },
};

/** Replaces what differs in every response: page tokens, sync tokens and list etags. */
export function normalizeResource(body: EventJson): EventJson {
  if (body?.items === undefined) {
    if (body?.kind !== 'calendar#aclRule') return body;
    const { etag: _etag, ...ruleFields } = body;
    return ruleFields;
  }
  const { etag: _etag, nextPageToken, nextSyncToken, items, ...pageFields } = body;
  return {
    ...pageFields,
    hasMore: nextPageToken !== undefined,
    hasSyncToken: nextSyncToken !== undefined,
    items: items.map(normalizeResource),
  };
}
