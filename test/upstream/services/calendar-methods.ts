import { Refusal, type Answer, type Asked, type Json, type Method } from './answers.ts';
import type { Events, Kept } from './events.ts';

/** What a list goes on from, as a token. */
interface Token {
  /** Where the next page begins. */
  readonly offset?: number;
  /** Changes behind this one are told. */
  readonly since?: number;
  /** The changes there were when the first page was read. */
  readonly until?: number;
}

const tokenOf = (token: Token): string => Buffer.from(JSON.stringify(token)).toString('base64url');

function tokenIn(query: URLSearchParams, name: string): Token {
  const text = query.get(name);
  if (text === null) return {};
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Token;
  } catch {
    throw new Refusal(400, 'invalid', `Invalid ${name}`, name);
  }
}

const timeOf = (json: Json, name: 'start' | 'end'): number => {
  const { dateTime, date } = (json[name] ?? {}) as Json;
  return Date.parse(String(dateTime ?? date));
};

const flag = (query: URLSearchParams, name: string): boolean => query.get(name) === 'true';

/** The calendar methods, as their reference describes them. */
export function calendarMethods(events: Events): readonly Method[] {
  /** As the caller sees it. */
  const seen = ({ json }: Kept, caller: string): Json => ({
    ...json,
    ...(Array.isArray(json.attendees) && {
      attendees: (json.attendees as readonly Json[]).map((guest) => ({
        ...guest,
        ...(guest.email === caller && { self: true }),
      })),
    }),
  });

  function page(
    { caller, query }: Asked,
    kept: readonly Kept[],
    around: Json,
    sync: Token | undefined,
  ): Answer {
    const { offset = 0, until = events.now } = tokenIn(query, 'pageToken');
    const size = Number(query.get('maxResults') ?? 250);
    const items = kept.slice(offset, offset + size).map((one) => seen(one, caller));
    const isLast = offset + size >= kept.length;
    return {
      json: {
        kind: 'calendar#events',
        ...around,
        items,
        ...(isLast
          ? sync && { nextSyncToken: tokenOf({ since: until }) }
          : { nextPageToken: tokenOf({ offset: offset + size, until }) }),
      },
    };
  }

  function around(calendarId: string, caller: string): Json {
    return {
      etag: `"${events.now}"`,
      summary: calendarId,
      updated: new Date(0).toISOString(),
      timeZone: 'UTC',
      accessRole: events.roleOf(calendarId, caller),
      defaultReminders: [],
    };
  }

  function list(asked: Asked): Answer {
    const { query, caller } = asked;
    const { id, events: byId } = events.calendar(asked);
    const { since } = tokenIn(query, 'syncToken');
    const single = flag(query, 'singleEvents');
    if (query.get('orderBy') === 'startTime' && !single)
      throw new Refusal(
        400,
        'invalid',
        'The requested ordering is not available for the particular query.',
        'orderBy',
      );
    if (since !== undefined && since < events.forgotten)
      throw new Refusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.');
    const expanded = events
      .all(id)
      .flatMap((one) => (single && one.json.recurrence !== undefined ? events.instances(byId, one) : [one]));
    const found = [...new Map(expanded.map((one) => [one.json.id, one])).values()].filter((one) =>
      isWanted(one, query, since),
    );
    const order =
      query.get('orderBy') === 'startTime'
        ? (one: Kept): number => timeOf(one.json, 'start')
        : (one: Kept): number => one.change;
    return page(
      asked,
      found.toSorted((a, b) => order(a) - order(b)),
      around(id, caller),
      { since: since ?? 0 },
    );
  }

  function instances(asked: Asked): Answer {
    const { id, events: byId } = events.calendar(asked);
    return page(
      asked,
      events.instances(byId, events.find(asked)).filter((one) => isWanted(one, asked.query, undefined)),
      around(id, asked.caller),
      undefined,
    );
  }

  const entry = (id: string, caller: string): Json => ({
    kind: 'calendar#calendarListEntry',
    etag: '"1"',
    id,
    summary: id,
    timeZone: 'UTC',
    accessRole: events.roleOf(id, caller),
    defaultReminders: [],
    selected: true,
    ...(id === caller && { primary: true }),
  });

  const calendarList = ({ caller }: Asked): Answer => ({
    json: {
      kind: 'calendar#calendarList',
      etag: '"1"',
      items: events.names.filter((id) => events.roleOf(id, caller)).map((id) => entry(id, caller)),
    },
  });

  function freeBusy({ body, caller }: Asked): Answer {
    const { timeMin, timeMax, items } = body as {
      readonly timeMin: string;
      readonly timeMax: string;
      readonly items: readonly { readonly id: string }[];
    };
    const busy = (id: string): Json => {
      if (!events.names.includes(id) || !events.roleOf(id, caller))
        return { errors: [{ domain: 'global', reason: 'notFound' }] };
      const taken = events
        .all(id)
        .filter(
          ({ json }) =>
            json.status !== 'cancelled' &&
            json.transparency !== 'transparent' &&
            timeOf(json, 'end') > Date.parse(timeMin) &&
            timeOf(json, 'start') < Date.parse(timeMax),
        );
      return {
        busy: taken.map(({ json }) => ({
          start: (json.start as Json).dateTime,
          end: (json.end as Json).dateTime,
        })),
      };
    };
    return {
      json: {
        kind: 'calendar#freeBusy',
        timeMin,
        timeMax,
        calendars: Object.fromEntries(items.map(({ id }) => [id, busy(id === 'primary' ? caller : id)])),
      },
    };
  }

  return [
    {
      name: 'events.get',
      verb: 'GET',
      path: 'calendars/{}/events/{}',
      run: (asked) => ({ json: seen(events.find(asked), asked.caller) }),
    },
    { name: 'events.list', verb: 'GET', path: 'calendars/{}/events', run: list },
    { name: 'events.instances', verb: 'GET', path: 'calendars/{}/events/{}/instances', run: instances },
    {
      name: 'events.insert',
      verb: 'POST',
      path: 'calendars/{}/events',
      run: (asked) => events.insert(asked),
    },
    {
      name: 'events.patch',
      verb: 'PATCH',
      path: 'calendars/{}/events/{}',
      run: (asked) => events.patch(asked),
    },
    {
      name: 'events.delete',
      verb: 'DELETE',
      path: 'calendars/{}/events/{}',
      run: (asked) => events.delete(asked),
    },
    { name: 'calendarList.list', verb: 'GET', path: 'users/me/calendarList', run: calendarList },
    {
      name: 'calendarList.get',
      verb: 'GET',
      path: 'users/me/calendarList/{}',
      run: (asked) => ({ json: entry(events.calendar(asked).id, asked.caller) }),
    },
    { name: 'freebusy.query', verb: 'POST', path: 'freeBusy', run: freeBusy },
  ];
}

function isWanted({ json, change }: Kept, query: URLSearchParams, since: number | undefined): boolean {
  const [timeMin, timeMax, iCalUID, q] = ['timeMin', 'timeMax', 'iCalUID', 'q'].map((name) =>
    query.get(name),
  );
  return (
    (since === undefined ? json.status !== 'cancelled' || flag(query, 'showDeleted') : change > since) &&
    (timeMin == null || timeOf(json, 'end') > Date.parse(timeMin)) &&
    (timeMax == null || timeOf(json, 'start') < Date.parse(timeMax)) &&
    (iCalUID == null || json.iCalUID === iCalUID) &&
    (q == null || String(json.summary).includes(q))
  );
}
