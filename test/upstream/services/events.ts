import { notFound, Refusal, type Answer, type Asked, type Json, type Method } from './answers.ts';

/** An event as it is kept: without members that differ by viewer. */
interface Kept {
  readonly json: Json;
  /** The number of its last change. */
  readonly change: number;
}

/** A change that was carried out. */
interface Done {
  readonly method: string;
  readonly id: string;
  readonly body: Json;
  /** The guests who were told of it by mail. */
  readonly told: readonly string[];
}

interface Guest extends Json {
  readonly email: string;
}

/** The events of calendars, each named by the address of its owner, who alone reads and changes it. */
export class Events {
  readonly #calendars = new Map<string, Map<string, Kept>>();
  readonly done: Done[] = [];
  #changes = 0;

  readonly methods: readonly Method[] = [
    { name: 'events.get', verb: 'GET', path: 'calendars/{}/events/{}', run: (asked) => this.#get(asked) },
    { name: 'events.insert', verb: 'POST', path: 'calendars/{}/events', run: (asked) => this.#insert(asked) },
    {
      name: 'events.patch',
      verb: 'PATCH',
      path: 'calendars/{}/events/{}',
      run: (asked) => this.#patch(asked),
    },
    {
      name: 'events.delete',
      verb: 'DELETE',
      path: 'calendars/{}/events/{}',
      run: (asked) => this.#delete(asked),
    },
  ];

  open(address: string): void {
    this.#calendars.set(address, new Map());
  }

  all(calendarId: string): readonly Kept[] {
    return [...(this.#calendars.get(calendarId)?.values() ?? [])];
  }

  /** Changes an event as another client of its owner does. */
  change(calendarId: string, id: string, body: Json): void {
    const query = new URLSearchParams();
    this.#patch({ caller: calendarId, named: [calendarId, id], query, body, ifMatch: undefined });
  }

  #calendar({ named: [name = ''], caller }: Asked): Map<string, Kept> {
    const id = name === 'primary' ? caller : name;
    const events = this.#calendars.get(id);
    if (!events || id !== caller) throw notFound();
    return events;
  }

  #find(asked: Asked): Json {
    const kept = this.#calendar(asked).get(asked.named[1] ?? '');
    if (!kept) throw notFound();
    return kept.json;
  }

  #get(asked: Asked): Answer {
    return { json: seenBy(asked.caller, this.#find(asked)) };
  }

  #insert(asked: Asked): Answer {
    const events = this.#calendar(asked);
    const { caller } = asked;
    const { id = `made${this.#changes}`, ...body } = asked.body;
    if (events.has(String(id)))
      throw new Refusal(409, 'duplicate', 'The requested identifier already exists.');
    const owner = { email: caller, self: true };
    const json = {
      kind: 'calendar#event',
      status: 'confirmed',
      htmlLink: `https://www.google.com/calendar/event?eid=${String(id)}`,
      created: moment(this.#changes + 1),
      creator: owner,
      organizer: owner,
      iCalUID: `${String(id)}@google.com`,
      sequence: 0,
      reminders: { useDefault: true },
      eventType: 'default',
      ...merged({}, body),
      id,
    };
    return this.#keep('events.insert', asked, checked(json));
  }

  #patch(asked: Asked): Answer {
    const json = this.#find(asked);
    assertMatch(asked, json);
    const { id: _id, etag: _etag, ...body } = asked.body;
    return this.#keep('events.patch', asked, checked(merged(json, body)));
  }

  #delete(asked: Asked): Answer {
    const json = this.#find(asked);
    if (json.status === 'cancelled') throw new Refusal(410, 'deleted', 'Resource has been deleted');
    assertMatch(asked, json);
    this.#keep('events.delete', asked, { ...json, status: 'cancelled' });
    return { status: 204 };
  }

  #keep(method: string, asked: Asked, json: Json): Answer {
    const { body, query, caller } = asked;
    const change = (this.#changes += 1);
    const kept = { ...json, etag: `"${change}0"`, updated: moment(change) };
    const id = String(json.id);
    this.#calendar(asked).set(id, { json: kept, change });
    const guests = query.get('sendUpdates') === 'all' ? guestsOf(json).map(({ email }) => email) : [];
    this.done.push({ method, id, body, told: guests.filter((email) => email !== caller) });
    return { json: kept };
  }
}

function assertMatch({ ifMatch = '*' }: Asked, { etag }: Json): void {
  if (ifMatch !== '*' && ifMatch !== etag) throw new Refusal(412, 'conditionNotMet', 'Precondition Failed');
}

/** Later with each change. */
const moment = (change: number): string => new Date(Date.UTC(2026, 10, 1) + change * 1000).toISOString();

const guestsOf = ({ attendees }: Json): readonly Guest[] => (attendees as readonly Guest[] | undefined) ?? [];

/** Marks the caller among the guests. */
function seenBy(caller: string, json: Json): Json {
  const attendees = guestsOf(json).map((guest) => ({
    ...guest,
    ...(guest.email === caller && { self: true }),
  }));
  return { ...json, ...(attendees.length > 0 && { attendees }) };
}

/** Patch semantics: objects are merged, lists replaced, and null takes away. */
function merged(before: Json, change: Json): Json {
  const entries = Object.entries(change).map(([name, value]): [string, unknown] => {
    const old = before[name];
    return [name, isObject(value) ? merged(isObject(old) ? old : {}, value) : value];
  });
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(entries) }).filter(([, value]) => value !== null),
  );
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checked(json: Json): Json {
  const [start, end] = [json.start, json.end].map((time) =>
    isObject(time) ? Date.parse(String(time.dateTime ?? time.date)) : Number.NaN,
  ) as [number, number];
  if (Number.isNaN(start)) throw new Refusal(400, 'required', 'Missing start time.', 'start');
  if (Number.isNaN(end)) throw new Refusal(400, 'required', 'Missing end time.', 'end');
  if (end < start) throw new Refusal(400, 'timeRangeEmpty', 'The specified time range is empty.');
  const attendees = guestsOf(json).map((guest) => ({ responseStatus: 'needsAction', ...guest }));
  return { ...json, ...(attendees.length > 0 && { attendees }) };
}
