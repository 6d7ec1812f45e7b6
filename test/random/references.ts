import type { Args } from './operation.ts';
import { withoutNulls, type EventJson } from '../event/event.harness.ts';

/** The event created by a step, or with `at` its instance of that original start. */
export interface EventReference {
  readonly $event: number;
  readonly at?: string;
}

/** The calendar created by a step. */
export interface CalendarReference {
  readonly $calendar: number;
}

/** A calendar ID, `primary`, or a created calendar. */
export type CalendarTarget = string | CalendarReference;

/**
 * A placeholder in arguments, resolved from the results of each world. `$etagOf`, `$shown` and `$guestsOf` refer to an
 * event as the caller last saw it on the calendar.
 */
export type Reference =
  | EventReference
  /** The iCalUID of the event created by a step. */
  | { readonly $uidOf: number }
  | { readonly $etagOf: EventReference }
  /** An event as last shown, with its null fields if `nulls`; `but` replaces fields. */
  | { readonly $shown: EventReference; readonly nulls: boolean; readonly but: object }
  /** The guests of an event: in reverse order, without the entry's address, or with the entry at the end. */
  | {
      readonly $guestsOf: EventReference;
      readonly as: 'reversed' | 'without' | 'with';
      readonly entry: { readonly email: string };
    }
  /** The end cursor of a page that is not the last, or the sync token of a list, by the step that read it. */
  | { readonly $endCursor: number }
  | { readonly $syncToken: number }
  | CalendarReference
  /** Etag of a calendar, or of a bucket by its name. */
  | { readonly $etagAt: CalendarTarget }
  /** A calendar as last shown to any caller; `but` replaces fields. */
  | { readonly $settingsAt: CalendarTarget; readonly but: object }
  /** The id of the notification created by a step. */
  | { readonly $notification: number };

/** A caller on a calendar. */
export interface Caller {
  readonly as: string;
  readonly calendarId: string;
}

/** Thrown for a reference to a result that does not exist. */
class UnresolvedReferenceError extends Error {}

const requireValue = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined)
    throw new UnresolvedReferenceError('There is no result for this reference.');
  return value;
};

/** Results of one world, to which later operations refer. */
export class ResultLog {
  readonly #created = new Map<number, EventJson>();
  readonly #pages = new Map<number, EventJson>();
  readonly #shown = new Map<string, EventJson>();
  /** Calendars by ID, and buckets by name. */
  readonly #containers = new Map<string, EventJson>();

  /** Records the result of a step. */
  record(step: number, { as, calendarId }: Caller, result: EventJson): void {
    if (typeof result !== 'object' || result === null) return;
    if (result.pageInfo) this.#pages.set(step, result);
    for (const item of Array.isArray(result) ? result : [result])
      if (/^(calendar#calendar|storage#bucket)$/.test(item.kind)) this.#containers.set(item.id, item);
    const createdObject = result.following ?? result;
    for (const event of result.nodes ?? [createdObject, result.before]) {
      if (typeof event?.id === 'string') this.#shown.set(eventKey({ as, calendarId }, event.id), event);
    }
    if (typeof createdObject.id === 'string') this.#created.set(step, createdObject);
  }

  /** Resolves the references in arguments; undefined if one cannot be resolved. */
  resolve(args: Args, caller: Caller): Args | undefined {
    try {
      return this.#resolveIn(args, caller) as Args;
    } catch (error) {
      if (error instanceof UnresolvedReferenceError) return undefined;
      throw error;
    }
  }

  #resolveIn(value: unknown, caller: Caller): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.#resolveIn(inner, caller));
    if (Object.keys(value)[0]?.startsWith('$')) return this.#resolveReference(value as Reference, caller);
    const entries = Object.entries(value).map(([name, inner]) => [name, this.#resolveIn(inner, caller)]);
    return Object.fromEntries(entries);
  }

  #resolveReference(reference: Reference, caller: Caller): unknown {
    if ('$event' in reference) return this.#idOf(reference);
    if ('$uidOf' in reference) return requireValue(this.#created.get(reference.$uidOf)?.iCalUID);
    if ('$etagOf' in reference) return this.#lastShown(reference.$etagOf, caller).etag;
    if ('$shown' in reference) {
      const event = this.#lastShown(reference.$shown, caller);
      return { ...(reference.nulls ? event : withoutNulls(event)), ...reference.but };
    }
    if ('$guestsOf' in reference) {
      const guests: EventJson[] = requireValue(this.#lastShown(reference.$guestsOf, caller).attendees);
      if (reference.as === 'with') return [...guests, reference.entry];
      return reference.as === 'reversed'
        ? [...guests].reverse()
        : guests.filter(({ email }) => email !== reference.entry.email);
    }
    if ('$endCursor' in reference) {
      const { pageInfo } = requireValue(this.#pages.get(reference.$endCursor));
      return requireValue(pageInfo.hasNextPage ? pageInfo.endCursor : undefined);
    }
    if ('$calendar' in reference) return requireValue(this.#created.get(reference.$calendar)?.id);
    if ('$etagAt' in reference) return this.#containerAt(reference.$etagAt, caller).etag;
    if ('$settingsAt' in reference) {
      const settings = withoutNulls(this.#containerAt(reference.$settingsAt, caller)) as object;
      return { ...settings, ...reference.but };
    }
    if ('$syncToken' in reference) return requireValue(this.#pages.get(reference.$syncToken)?.nextSyncToken);
    return requireValue(this.#created.get(reference.$notification)?.id);
  }

  #idOf({ $event, at }: EventReference): string {
    const id: string = requireValue(this.#created.get($event)?.id);
    return at === undefined ? id : `${id}_${at}`;
  }

  #containerAt(target: CalendarTarget, caller: Caller): EventJson {
    return requireValue(this.#containers.get(this.#resolveIn(target, caller) as string));
  }

  #lastShown(reference: EventReference, caller: Caller): EventJson {
    return requireValue(this.#shown.get(eventKey(caller, this.#idOf(reference))));
  }
}

const eventKey = ({ as, calendarId }: Caller, eventId: string): string =>
  JSON.stringify([as, calendarId === 'primary' ? as : calendarId, eventId]);
