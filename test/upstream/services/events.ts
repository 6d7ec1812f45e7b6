import { conditionNotMet, notFound, Refusal, type Answer, type Asked, type Json } from './answers.ts';

/** An event as it is kept: without what differs by who looks. */
export interface Kept {
  readonly json: Json;
  /** The number of its last change. */
  readonly change: number;
}

/** A change that was carried out. */
export interface Done {
  readonly method: string;
  readonly id: string;
  readonly body: Json;
  /** Whom it told by mail. */
  readonly told: readonly string[];
}

interface Guest extends Json {
  readonly email: string;
}

/** The events of calendars, each named by the address of whoever has it. */
export class Events {
  readonly #calendars = new Map<string, Map<string, Kept>>();
  /** Who else may do what, by calendar and address. */
  readonly roles = new Map<string, ReadonlyMap<string, 'reader' | 'writer'>>();
  readonly done: Done[] = [];
  #changes = 0;
  /** Changes up to this one are forgotten. */
  #forgotten = 0;

  open(...addresses: readonly string[]): void {
    for (const address of addresses) this.#calendars.set(address, new Map());
  }

  get names(): readonly string[] {
    return [...this.#calendars.keys()];
  }

  all(calendarId: string): readonly Kept[] {
    return [...(this.#calendars.get(calendarId)?.values() ?? [])];
  }

  get now(): number {
    return this.#changes;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

  /** Sync tokens that were given so far have expired. */
  forget(): void {
    this.#forgotten = this.#changes += 1;
  }

  roleOf(calendarId: string, caller: string): 'owner' | 'writer' | 'reader' | undefined {
    return calendarId === caller ? 'owner' : this.roles.get(calendarId)?.get(caller);
  }

  calendar(
    { named: [name = ''], caller }: Asked,
    writes = false,
  ): { readonly id: string; readonly events: Map<string, Kept> } {
    const id = name === 'primary' ? caller : name;
    const events = this.#calendars.get(id);
    const role = this.roleOf(id, caller);
    if (!events || !role) throw notFound();
    if (writes && role === 'reader')
      throw new Refusal(403, 'requiredAccessLevel', 'You need to have writer access to this calendar.');
    return { id, events };
  }

  find(asked: Asked): Kept {
    const { events } = this.calendar(asked);
    const [, id = ''] = asked.named;
    const kept = events.get(id) ?? this.#instance(events, id);
    if (!kept) throw notFound();
    return kept;
  }

  insert(asked: Asked): Answer {
    const { id: calendarId, events } = this.calendar(asked, true);
    const { id = `made${this.#changes}`, ...body } = asked.body;
    if (events.has(String(id)))
      throw new Refusal(409, 'duplicate', 'The requested identifier already exists.');
    const at = moment(this.#changes + 1);
    const person = (email: string): Json => ({ email, ...(email === asked.caller && { self: true }) });
    const json = checked({
      kind: 'calendar#event',
      status: 'confirmed',
      htmlLink: `https://www.google.com/calendar/event?eid=${String(id)}`,
      created: at,
      creator: person(asked.caller),
      organizer: person(calendarId),
      iCalUID: `${String(id)}@google.com`,
      sequence: 0,
      reminders: { useDefault: true },
      eventType: 'default',
      ...merged({}, body),
      id,
    });
    return this.#keep('events.insert', asked, events, json);
  }

  patch(asked: Asked): Answer {
    const { events } = this.calendar(asked, true);
    const { json } = this.find(asked);
    if (asked.ifMatch !== undefined && asked.ifMatch !== '*' && asked.ifMatch !== json.etag)
      throw conditionNotMet();
    const { id: _id, etag: _etag, ...body } = asked.body;
    return this.#keep('events.patch', asked, events, checked(merged(json, body)));
  }

  /** Somebody else changes an event. */
  change(calendarId: string, id: string, body: Json): void {
    this.patch({
      caller: calendarId,
      named: [calendarId, id],
      query: new URLSearchParams(),
      body,
      ifMatch: undefined,
    });
  }

  delete(asked: Asked): Answer {
    const { events } = this.calendar(asked, true);
    const { json } = this.find(asked);
    if (json.status === 'cancelled') throw new Refusal(410, 'deleted', 'Resource has been deleted');
    if (asked.ifMatch !== undefined && asked.ifMatch !== '*' && asked.ifMatch !== json.etag)
      throw conditionNotMet();
    this.#keep('events.delete', asked, events, { ...json, status: 'cancelled' });
    return { status: 204 };
  }

  #keep(method: string, { body, query, caller }: Asked, events: Map<string, Kept>, json: Json): Answer {
    const change = (this.#changes += 1);
    const kept = { ...json, etag: `"${change}0"`, updated: moment(change) };
    const id = String(json.id);
    events.set(id, { json: kept, change });
    const tells = query.get('sendUpdates') === 'all';
    this.done.push({
      method,
      id,
      body,
      told: tells
        ? guestsOf(json)
            .map(({ email }) => email)
            .filter((email) => email !== caller)
        : [],
    });
    return { json: kept };
  }

  /** The instances of a series, each as it was changed or as the series has it. */
  instances(events: ReadonlyMap<string, Kept>, { json, change }: Kept): Kept[] {
    const count = Number(
      /^RRULE:FREQ=DAILY;COUNT=(\d+)$/.exec(
        String((json.recurrence as readonly string[] | undefined)?.[0]),
      )?.[1] ?? 0,
    );
    const { recurrence: _rules, ...rest } = json;
    const [start, end] = [json.start, json.end] as [Json, Json];
    return Array.from({ length: count }, (_, index): Kept => {
      const [from, to] = [start, end].map((time) => ({
        ...time,
        dateTime: new Date(Date.parse(String(time.dateTime)) + index * 86_400_000)
          .toISOString()
          .replace('.000', ''),
      }));
      const id = `${String(json.id)}_${String(from?.dateTime).replaceAll(/[-:]/g, '')}`;
      return (
        events.get(id) ?? {
          change,
          json: { ...rest, id, start: from, end: to, recurringEventId: json.id, originalStartTime: from },
        }
      );
    });
  }

  #instance(events: ReadonlyMap<string, Kept>, id: string): Kept | undefined {
    const series = events.get(/^(.*)_\d{8}T\d{6}Z$/.exec(id)?.[1] ?? '');
    return series && this.instances(events, series).find(({ json }) => json.id === id);
  }
}

/** Later with each change. */
const moment = (change: number): string => new Date(Date.UTC(2026, 10, 1) + change * 1000).toISOString();

const guestsOf = ({ attendees }: Json): readonly Guest[] => (attendees as readonly Guest[] | undefined) ?? [];

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
  return {
    ...json,
    ...('attendees' in json && {
      attendees: guestsOf(json).map((guest) => ({ responseStatus: 'needsAction', ...guest })),
    }),
  };
}
