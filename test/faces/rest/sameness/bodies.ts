import type { Shown } from '../../../event/event.harness.ts';
import type { Args } from '../../../random/operation.ts';
import {
  bucketResource,
  busy,
  calendarEntry,
  calendarResource,
  eventResource,
  notificationResource,
  rule,
} from './official.ts';

const isSame = (one: string, other: unknown): boolean => one.toLowerCase() === String(other).toLowerCase();

/** What REST answers to each operation; absent: nothing. Tokens of pages differ each time, and etags of lists are REST's own. */
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
  /** Of an operation that REST does not offer: its events as REST shows them. */
  unoffered: (result: Shown): Shown => {
    if (result?.kind === 'calendar#event') return eventResource(result);
    if (result?.following)
      return {
        before: result.before && eventResource(result.before),
        following: eventResource(result.following),
      };
    return result;
  },
};

/** What both faces have in common of a body. */
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
