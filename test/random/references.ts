import type { Args } from './operation.ts';
import { withoutNulls, type Shown } from '../event/event.harness.ts';

/** The event that a step made; with `at`, its instance of that original start. */
export interface EventReference {
  readonly $event: number;
  readonly at?: string;
}

/** The calendar that a step made. */
export interface CalendarReference {
  readonly $calendar: number;
}

/** A calendar's id, `primary`, or one that was made. */
export type Place = string | CalendarReference;

/**
 * What an operation names without knowing it: the answers of each world fill it in. What was shown of an event is what
 * the same caller was shown last of it on the same calendar.
 */
export type Reference =
  | EventReference
  | { readonly $uidOf: number }
  | { readonly $etagOf: EventReference }
  | { readonly $shown: EventReference; readonly nulls: boolean; readonly but: object }
  | {
      readonly $guestsOf: EventReference;
      readonly as: 'reversed' | 'without' | 'with';
      readonly entry: { readonly email: string };
    }
  | { readonly $endCursor: number }
  | { readonly $syncToken: number }
  | CalendarReference
  /** Of a calendar, or of a bucket by its name. */
  | { readonly $etagAt: Place }
  /** A calendar as it was shown last to anybody. */
  | { readonly $settingsAt: Place; readonly but: object }
  | { readonly $notification: number };

/** Who asks on which calendar. */
export interface Seat {
  readonly as: string;
  readonly calendarId: string;
}

/** Thrown for a reference to what this world never answered. */
class Unknown extends Error {}

const known = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Unknown('Nothing was answered that this refers to.');
  return value;
};

/** What one world answered so far, as far as later operations refer to it. */
export class Answered {
  readonly #made = new Map<number, Shown>();
  readonly #pages = new Map<number, Shown>();
  readonly #shown = new Map<string, Shown>();
  /** Calendars by id, and buckets by name. */
  readonly #containers = new Map<string, Shown>();

  /** Keeps the result of a step. */
  keep(step: number, { as, calendarId }: Seat, result: Shown): void {
    if (typeof result !== 'object' || result === null) return;
    if (result.pageInfo) this.#pages.set(step, result);
    for (const one of Array.isArray(result) ? result : [result])
      if (/^(calendar#calendar|storage#bucket)$/.test(one.kind)) this.#containers.set(one.id, one);
    const made = result.following ?? result;
    for (const event of result.nodes ?? [made, result.before]) {
      if (typeof event?.id === 'string') this.#shown.set(placeOf({ as, calendarId }, event.id), event);
    }
    if (typeof made.id === 'string') this.#made.set(step, made);
  }

  /** Arguments with all references in them filled in; undefined where one cannot be. */
  resolve(args: Args, seat: Seat): Args | undefined {
    try {
      return this.#resolved(args, seat) as Args;
    } catch (error) {
      if (error instanceof Unknown) return undefined;
      throw error;
    }
  }

  #resolved(value: unknown, seat: Seat): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.#resolved(inner, seat));
    if (Object.keys(value)[0]?.startsWith('$')) return this.#fill(value as Reference, seat);
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, this.#resolved(inner, seat)]),
    );
  }

  #fill(reference: Reference, seat: Seat): unknown {
    if ('$event' in reference) return this.#idOf(reference);
    if ('$uidOf' in reference) return known(this.#made.get(reference.$uidOf)?.iCalUID);
    if ('$etagOf' in reference) return this.#shownOf(reference.$etagOf, seat).etag;
    if ('$shown' in reference) {
      const shown = this.#shownOf(reference.$shown, seat);
      return { ...(reference.nulls ? shown : withoutNulls(shown)), ...reference.but };
    }
    if ('$guestsOf' in reference) {
      const guests: Shown[] = known(this.#shownOf(reference.$guestsOf, seat).attendees);
      if (reference.as === 'with') return [...guests, reference.entry];
      return reference.as === 'reversed'
        ? [...guests].reverse()
        : guests.filter(({ email }) => email !== reference.entry.email);
    }
    if ('$endCursor' in reference) {
      const { pageInfo } = known(this.#pages.get(reference.$endCursor));
      return known(pageInfo.hasNextPage ? pageInfo.endCursor : undefined);
    }
    if ('$calendar' in reference) return known(this.#made.get(reference.$calendar)?.id);
    if ('$etagAt' in reference) return this.#containerAt(reference.$etagAt, seat).etag;
    if ('$settingsAt' in reference)
      return {
        ...(withoutNulls(this.#containerAt(reference.$settingsAt, seat)) as object),
        ...reference.but,
      };
    if ('$syncToken' in reference) return known(this.#pages.get(reference.$syncToken)?.nextSyncToken);
    return known(this.#made.get(reference.$notification)?.id);
  }

  #idOf({ $event, at }: EventReference): string {
    const id: string = known(this.#made.get($event)?.id);
    return at === undefined ? id : `${id}_${at}`;
  }

  #containerAt(place: Place, seat: Seat): Shown {
    return known(this.#containers.get(this.#resolved(place, seat) as string));
  }

  #shownOf(reference: EventReference, seat: Seat): Shown {
    return known(this.#shown.get(placeOf(seat, this.#idOf(reference))));
  }
}

const placeOf = ({ as, calendarId }: Seat, eventId: string): string =>
  JSON.stringify([as, calendarId === 'primary' ? as : calendarId, eventId]);
