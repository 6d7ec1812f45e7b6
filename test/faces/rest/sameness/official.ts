import type { Shown } from '../../../event/event.harness.ts';

/** What resources look like over REST, worked out from what GraphQL answers, by rules of its own. */

const personal = { self: false, organizer: false, resource: false, optional: false, additionalGuests: 0 };
/** Values that are left out, by the object they stand in. */
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
const types: Readonly<Record<string, string>> = {
  hostedCall: 'hangoutsMeet',
  eventCall: 'eventHangout',
  eventNamedCall: 'eventNamedHangout',
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

export function eventResource(event: Shown): Shown {
  const { callLink, ...rest } = bare(event, 'event') as Shown;
  const link = callLink === undefined ? {} : { hangoutLink: callLink };
  const type = event.start === null ? {} : { eventType: 'default' };
  return {
    ...rest,
    ...link,
    ...type,
    ...(rest.conferenceData && { conferenceData: conference(rest.conferenceData) }),
  };
}

function conference({ conferenceSolution: solution, createRequest: request, ...rest }: Shown): Shown {
  const named = (key: Shown): Shown => ({
    ...key,
    ...(key.type !== undefined && { type: types[key.type] ?? key.type }),
  });
  return {
    ...rest,
    ...(solution && {
      conferenceSolution: { ...solution, ...(solution.key && { key: named(solution.key) }) },
    }),
    ...(request && {
      createRequest: {
        ...request,
        ...(request.conferenceSolutionKey && { conferenceSolutionKey: named(request.conferenceSolutionKey) }),
      },
    }),
  };
}

const picked = (value: Shown, names: readonly string[]): Shown =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])));

const settings = ['kind', 'etag', 'id', 'summary', 'timeZone', 'description', 'location'] as const;
export const calendarResource = (calendar: Shown): Shown => picked(bare(calendar, 'calendar'), settings);

export const calendarEntry = (calendar: Shown): Shown => ({
  defaultReminders: [],
  ...picked(bare(calendar, 'calendar'), [
    ...settings,
    'backgroundColor',
    'accessRole',
    'primary',
    'defaultReminders',
  ]),
  kind: 'calendar#calendarListEntry',
  selected: true,
});

export function bucketResource(bucket: Shown): Shown {
  const { project: _project, managers: _managers, ...rest } = bare(bucket, 'bucket') as Shown;
  return rest;
}

export const notificationResource = (notification: Shown): Shown => bare(notification, 'notification');

/** Their etags are told by no other face. */
export const rule = (email: string, role: string): Shown => ({
  kind: 'calendar#aclRule',
  id: `user:${email}`,
  scope: { type: 'user', value: email },
  role,
});

export const busy = (calendars: readonly Shown[]): Shown =>
  Object.fromEntries(
    calendars.map(({ calendarId, busy: periods, error }) => [
      calendarId,
      error ? { errors: [{ domain: 'global', reason: error.reason }], busy: [] } : { busy: periods },
    ]),
  );
