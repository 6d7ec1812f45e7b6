import type { Shown } from '../../../event/event.harness.ts';
import type { Args } from '../../../random/operation.ts';
import { conferenceTypes } from './requests.ts';

/* Resources as REST shows them, worked out from the answers of GraphQL by rules that are not those of src. */

const personal = { self: false, organizer: false, resource: false, optional: false, additionalGuests: 0 };
/** Default values, which REST leaves out, by the name of their object. */
const usual: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
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
  attendees: personal,
  organizer: personal,
  creator: personal,
  calendar: { primary: false },
  billing: { requesterPays: false },
};
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without nulls, defaults and nodeIds, and without objects that have nothing else. Empty lists and maps stay. */
function bare(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => bare(entry, name) ?? {});
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([field, inner]): [string, unknown][] => {
    const shown =
      inner === null || field === 'nodeId' || usual[name]?.[field] === inner ? undefined : bare(inner, field);
    return shown === undefined ? [] : [[field, shown]];
  });
  return entries.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(entries);
}

function eventResource(event: Shown): Shown {
  const { callLink, conferenceData, ...rest } = bare(event, 'event') as Shown;
  return {
    ...rest,
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

const picked = (value: Shown, names: readonly string[]): Shown =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])));

const settings = ['kind', 'etag', 'id', 'summary', 'timeZone', 'description', 'location'] as const;
const calendarResource = (calendar: Shown): Shown => picked(bare(calendar, 'calendar'), settings);

const ofEntry = [...settings, 'backgroundColor', 'accessRole', 'primary', 'defaultReminders'];

const calendarEntry = (calendar: Shown): Shown => ({
  defaultReminders: [],
  ...picked(bare(calendar, 'calendar'), ofEntry),
  kind: 'calendar#calendarListEntry',
  selected: true,
});

function bucketResource(bucket: Shown): Shown {
  const { project: _project, managers: _managers, ...rest } = bare(bucket, 'bucket') as Shown;
  return rest;
}

const notificationResource = (notification: Shown): Shown => bare(notification, 'notification');

/** Without the etag, which GraphQL does not show. */
const rule = (email: string, role: string): Shown => ({
  kind: 'calendar#aclRule',
  id: `user:${email}`,
  scope: { type: 'user', value: email },
  role,
});

const busy = (calendars: readonly Shown[]): Shown =>
  Object.fromEntries(
    calendars.map(({ calendarId, busy: periods, error }) => [
      calendarId,
      error ? { errors: [{ domain: 'global', reason: error.reason }], busy: [] } : { busy: periods },
    ]),
  );

const isSame = (one: string, other: unknown): boolean => one.toLowerCase() === String(other).toLowerCase();

/** The body of REST for each operation; absent for none. GraphQL has no etags of lists. */
const bodies: Readonly<Record<string, (result: Shown, args: Args, calendar: Shown) => Shown>> = {
  event: eventResource,
  insertEvent: eventResource,
  patchEvent: eventResource,
  events: eventPage,
  instances: eventPage,
  calendars: (result) => ({ kind: 'calendar#calendarList', items: result.map(calendarEntry) }),
  calendar: calendarResource,
  insertCalendar: calendarResource,
  patchCalendar: calendarResource,
  calendarAccess: (result) => ({
    kind: 'calendar#acl',
    items: result.map(({ email, role }: Shown) => rule(email, role)),
  }),
  setCalendarAccess: (result, { email, role }) => {
    if (role === 'none') return undefined;
    const entry = result?.find((one: Shown) => isSame(one.email, email)) ?? { email, role };
    return rule(entry.email, entry.role);
  },
  freeBusy: (result, { timeMin, timeMax }) => ({
    kind: 'calendar#freeBusy',
    timeMin,
    timeMax,
    calendars: busy(result),
  }),
  notifications: (result) => ({ kind: 'storage#notifications', items: result.map(notificationResource) }),
  insertNotification: notificationResource,
  notification: notificationResource,
  buckets: ({ nodes, pageInfo }) => ({
    kind: 'storage#buckets',
    ...next(pageInfo),
    items: nodes.map(bucketResource),
  }),
  insertBucket: bucketResource,
  bucket: bucketResource,
  patchBucket: bucketResource,
};

const next = ({ hasNextPage, endCursor }: Shown): Shown => (hasNextPage ? { nextPageToken: endCursor } : {});

function eventPage(
  { nodes, pageInfo, nextSyncToken }: Shown,
  _args: Args,
  { summary, timeZone, accessRole, defaultReminders }: Shown,
): Shown {
  const tokens = pageInfo.hasNextPage ? next(pageInfo) : nextSyncToken === null ? {} : { nextSyncToken };
  return {
    kind: 'calendar#events',
    summary,
    timeZone,
    accessRole,
    defaultReminders: defaultReminders ?? [],
    ...tokens,
    items: nodes.map(eventResource),
  };
}

export const bodiesOf = {
  answered: (name: string, args: Args, result: Shown, calendar: Shown): Shown =>
    bodies[name]?.(result, args, calendar),
  /** The result of an operation that REST does not offer, with its events as REST shows them. */
  unoffered: (result: Shown): Shown => {
    if (result?.kind === 'calendar#event') return eventResource(result);
    if (!result?.following) return result;
    const { before, following } = result;
    return { before: before && eventResource(before), following: eventResource(following) };
  },
};

/** A body without what differs each time: tokens of pages and etags of lists. */
export function comparable(body: Shown): Shown {
  if (body?.items === undefined) {
    if (body?.kind !== 'calendar#aclRule') return body;
    const { etag: _etag, ...rest } = body;
    return rest;
  }
  const { etag: _etag, nextPageToken, nextSyncToken, items, ...rest } = body;
  return {
    ...rest,
    hasMore: nextPageToken !== undefined,
    syncs: nextSyncToken !== undefined,
    items: items.map(comparable),
  };
}
