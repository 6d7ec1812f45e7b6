import type { ChangeTarget } from '../../../event/event.store.ts';
import type { Row, Statement } from '../database.ts';
import type { EventIds } from './look-statements.ts';

/** A statement, and the calendar or the owner whose shard it goes to. */
export interface Ask {
  readonly at: string;
  readonly statement: Statement;
  /** What it asks for there, where the name of the statement does not tell. */
  readonly what?: string;
}

/** What a target asks for, as it is looked up. */
export interface Asked {
  readonly target: ChangeTarget;
  readonly ids: EventIds;
  readonly guests: readonly string[];
  /** The calendar's id; of an owner the address, which is that of the primary calendar as a rule. */
  readonly calendarId: string;
}

/** One event on a calendar: the calendar that keeps it, its key, and that of its series. */
export interface Standing {
  readonly home: string;
  readonly key: string;
  readonly seriesKey: string | null;
}

/** What was found on one calendar. */
export interface Looked {
  /** By the event's id there. */
  readonly places: Map<string, Standing>;
  readonly uids: Standing[];
}

/** What was found so far, on all shards. */
export interface Walked {
  /** What was asked for: nothing is a second time. */
  readonly asked: Set<string>;
  readonly looked: Map<string, Looked>;
  readonly calendars: Map<string, Row>;
  readonly zones: Map<string, Row>;
  /** Primary calendars by owner. */
  readonly primaries: Map<string, string>;
  /** By key, as all that follows. */
  readonly events: Map<string, Row>;
  /** By the key of the series. */
  readonly exceptions: Map<string, Row[]>;
  /** By the key of the series: its exception at the original start that is asked for. */
  readonly originals: Map<string, Standing>;
  readonly counts: Map<string, number>;
  /** Those that are read as they came: of the request, of mails. */
  readonly others: Row[];
}

export const emptyWalk = (): Walked => ({
  asked: new Set(),
  looked: new Map(),
  calendars: new Map(),
  zones: new Map(),
  primaries: new Map(),
  events: new Map(),
  exceptions: new Map(),
  originals: new Map(),
  counts: new Map(),
  others: [],
});

const standingOf = ({ b, c, d }: Row): Standing => ({
  home: b as string,
  key: c as string,
  seriesKey: (d ?? null) as string | null,
});

const takes: Readonly<Record<string, (walked: Walked, at: string, row: Row) => void>> = {
  calendar: ({ calendars }, at, row) => calendars.set(at, row),
  zone: ({ zones }, _at, row) => zones.set(row.a as string, row),
  primary: ({ primaries }, at, { a }) => primaries.set(at, a as string),
  place: (walked, at, row) => lookedAt(walked, at).places.set(row.a as string, standingOf(row)),
  uid: (walked, at, row) => lookedAt(walked, at).uids.push(standingOf(row)),
  event: ({ events }, _at, row) => events.set(row.a as string, row),
  exception({ exceptions }, _at, row) {
    const series = row.a as string;
    const known = exceptions.get(series) ?? [];
    exceptions.set(series, [...known.filter(({ b }) => b !== row.b), row]);
  },
  original({ events, originals }, at, row) {
    originals.set(row.b as string, { home: at, key: row.a as string, seriesKey: row.b as string });
    events.set(row.a as string, { ...row, kind: 'event' });
  },
  exceptions: ({ counts }, _at, { a, n }) => counts.set(a as string, n as number),
};

function lookedAt({ looked }: Walked, calendarId: string): Looked {
  const known = looked.get(calendarId) ?? { places: new Map(), uids: [] };
  looked.set(calendarId, known);
  return known;
}

/** Keeps the rows of a statement that went to the shard of a calendar, or of an owner. */
export function keep(walked: Walked, at: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const take = takes[row.kind as string];
    if (take) take(walked, at, row);
    else walked.others.push(row);
  }
}

/** The calendar of the target, and those of the guests, as far as they were found. */
export interface Parts {
  /** Undefined where there is no such calendar. */
  readonly calendarId: string | undefined;
  readonly looked: Looked;
  readonly guests: readonly GuestPart[];
}

export interface GuestPart {
  readonly guest: string;
  readonly calendarId: string;
  readonly looked: Looked;
}

const nothing: Looked = { places: new Map(), uids: [] };

export function partsOf(
  { target, calendarId, guests }: Asked,
  { looked, primaries, calendars }: Walked,
): Parts {
  const id = 'primaryOf' in target.calendar ? primaries.get(calendarId) : calendarId;
  const found = id !== undefined && calendars.has(id) ? id : undefined;
  return {
    calendarId: found,
    looked: (found !== undefined && looked.get(found)) || nothing,
    guests: guests.flatMap((guest) => {
      const own = primaries.get(guest);
      return own === undefined ? [] : [{ guest, calendarId: own, looked: looked.get(own) ?? nothing }];
    }),
  };
}

/** The event with the target's id on a calendar: what stands there, or the exception that its series has at the original start. */
export function holderOn(
  { places }: Looked,
  { event, named }: EventIds,
  { originals }: Walked,
): Standing | undefined {
  const series = named === undefined ? undefined : places.get(named);
  return places.get(event) ?? (series && originals.get(series.key));
}

/** The keys of all events that the target leads to, and of their series. */
export function keysIn(asked: Asked, walked: Walked): Set<string> {
  const { looked, guests } = partsOf(asked, walked);
  const holders = [looked, ...guests.map((part) => part.looked)]
    .map((one) => holderOn(one, asked.ids, walked))
    .filter((one) => one !== undefined);
  return new Set(
    [...looked.places.values(), ...looked.uids, ...holders].flatMap(({ key, seriesKey }) =>
      seriesKey === null ? [key] : [key, seriesKey],
    ),
  );
}

/** These events, and exceptions of theirs that were asked for. */
export const recordsIn = (asked: Asked, walked: Walked): Row[] =>
  [...keysIn(asked, walked)].flatMap((key) => [
    ...(walked.events.has(key) ? [walked.events.get(key) as Row] : []),
    ...(walked.exceptions.get(key) ?? []),
  ]);
