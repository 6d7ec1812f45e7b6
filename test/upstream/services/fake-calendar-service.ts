import {
  createNotFoundRefusal,
  Refusal,
  type ServiceResponse,
  type ServiceRequest,
  type Json,
  type Method,
} from './fake-api.ts';

/** An event as stored, without members that differ by caller. */
interface StoredEvent {
  readonly json: Json;
  /** The service-wide number of its last change. */
  readonly change: number;
}

/** A change that was carried out. */
interface AppliedChange {
  readonly method: string;
  readonly id: string;
  readonly body: Json;
  /** Addresses of guests who were notified by mail. */
  readonly notifiedEmails: readonly string[];
}

interface Guest extends Json {
  readonly email: string;
}

/** Fake calendar service. Each calendar's id is its owner's address, and only the owner has access. */
export class FakeCalendarService {
  readonly #calendars = new Map<string, Map<string, StoredEvent>>();
  readonly appliedChanges: AppliedChange[] = [];
  #changeCount = 0;

  readonly methods: readonly Method[] = [
    { name: 'events.get', verb: 'GET', path: 'calendars/{}/events/{}', run: (request) => this.#get(request) },
    {
      name: 'events.insert',
      verb: 'POST',
      path: 'calendars/{}/events',
      run: (request) => this.#insert(request),
    },
    {
      name: 'events.patch',
      verb: 'PATCH',
      path: 'calendars/{}/events/{}',
      run: (request) => this.#patch(request),
    },
    {
      name: 'events.delete',
      verb: 'DELETE',
      path: 'calendars/{}/events/{}',
      run: (request) => this.#delete(request),
    },
  ];

  addCalendar(address: string): void {
    this.#calendars.set(address, new Map());
  }

  listStored(calendarId: string): readonly StoredEvent[] {
    return [...(this.#calendars.get(calendarId)?.values() ?? [])];
  }

  /** Changes an event as another client of its owner does. */
  changeAsOwner(calendarId: string, id: string, body: Json): void {
    const query = new URLSearchParams();
    this.#patch({ caller: calendarId, pathParameters: [calendarId, id], query, body, ifMatch: undefined });
  }

  #findCalendar({ pathParameters: [name = ''], caller }: ServiceRequest): Map<string, StoredEvent> {
    const id = name === 'primary' ? caller : name;
    const events = this.#calendars.get(id);
    if (!events || id !== caller) throw createNotFoundRefusal();
    return events;
  }

  #findEvent(request: ServiceRequest): Json {
    const event = this.#findCalendar(request).get(request.pathParameters[1] ?? '');
    if (!event) throw createNotFoundRefusal();
    return event.json;
  }

  #get(request: ServiceRequest): ServiceResponse {
    return { json: markCaller(request.caller, this.#findEvent(request)) };
  }

  #insert(request: ServiceRequest): ServiceResponse {
    const events = this.#findCalendar(request);
    const { caller } = request;
    const { id = `made${this.#changeCount}`, ...body } = request.body;
    if (events.has(String(id)))
      throw new Refusal(409, 'duplicate', 'The requested identifier already exists.');
    const owner = { email: caller, self: true };
    const json = {
      kind: 'calendar#event',
      status: 'confirmed',
      htmlLink: `https://www.google.com/calendar/event?eid=${String(id)}`,
      created: changeTime(this.#changeCount + 1),
      creator: owner,
      organizer: owner,
      iCalUID: `${String(id)}@google.com`,
      sequence: 0,
      reminders: { useDefault: true },
      eventType: 'default',
      ...mergePatch({}, body),
      id,
    };
    return this.#store('events.insert', request, validateEvent(json));
  }

  #patch(request: ServiceRequest): ServiceResponse {
    const json = this.#findEvent(request);
    assertMatch(request, json);
    const { id: _id, etag: _etag, ...body } = request.body;
    return this.#store('events.patch', request, validateEvent(mergePatch(json, body)));
  }

  #delete(request: ServiceRequest): ServiceResponse {
    const json = this.#findEvent(request);
    if (json.status === 'cancelled') throw new Refusal(410, 'deleted', 'Resource has been deleted');
    assertMatch(request, json);
    this.#store('events.delete', request, { ...json, status: 'cancelled' });
    return { status: 204 };
  }

  #store(method: string, request: ServiceRequest, json: Json): ServiceResponse {
    const { body, query, caller } = request;
    const changeNumber = (this.#changeCount += 1);
    const storedJson = { ...json, etag: `"${changeNumber}0"`, updated: changeTime(changeNumber) };
    const id = String(json.id);
    this.#findCalendar(request).set(id, { json: storedJson, change: changeNumber });
    const guests = query.get('sendUpdates') === 'all' ? guestsOf(json).map(({ email }) => email) : [];
    this.appliedChanges.push({
      method,
      id,
      body,
      notifiedEmails: guests.filter((email) => email !== caller),
    });
    return { json: storedJson };
  }
}

function assertMatch({ ifMatch = '*' }: ServiceRequest, { etag }: Json): void {
  if (ifMatch !== '*' && ifMatch !== etag) throw new Refusal(412, 'conditionNotMet', 'Precondition Failed');
}

/** Returns the time of a change: the clock of the service advances by a second with each one. */
const changeTime = (change: number): string => new Date(Date.UTC(2026, 10, 1) + change * 1000).toISOString();

const guestsOf = ({ attendees }: Json): readonly Guest[] => (attendees as readonly Guest[] | undefined) ?? [];

/** Marks the caller's guest entry with `self`. */
function markCaller(caller: string, json: Json): Json {
  const attendees = guestsOf(json).map((guest) => ({
    ...guest,
    ...(guest.email === caller && { self: true }),
  }));
  return { ...json, ...(attendees.length > 0 && { attendees }) };
}

/** Applies patch semantics: merges objects, replaces lists, and removes null members. */
function mergePatch(before: Json, change: Json): Json {
  const entries = Object.entries(change).map(([name, value]): [string, unknown] => {
    const current = before[name];
    return [name, isObject(value) ? mergePatch(isObject(current) ? current : {}, value) : value];
  });
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(entries) }).filter(([, value]) => value !== null),
  );
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks the times of an event, and adds the default response of its guests. */
function validateEvent(json: Json): Json {
  const [start, end] = [json.start, json.end].map((time) =>
    isObject(time) ? Date.parse(String(time.dateTime ?? time.date)) : Number.NaN,
  ) as [number, number];
  if (Number.isNaN(start)) throw new Refusal(400, 'required', 'Missing start time.', 'start');
  if (Number.isNaN(end)) throw new Refusal(400, 'required', 'Missing end time.', 'end');
  if (end < start) throw new Refusal(400, 'timeRangeEmpty', 'The specified time range is empty.');
  const attendees = guestsOf(json).map((guest) => ({ responseStatus: 'needsAction', ...guest }));
  return { ...json, ...(attendees.length > 0 && { attendees }) };
}
