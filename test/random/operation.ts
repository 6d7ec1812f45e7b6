import type { SeriesStart } from './bodies.ts';
import type { CalendarReference, CalendarTarget } from './references.ts';
import type { Random } from './seed.ts';

/** Arguments of a root field. */
export type Args = Readonly<Record<string, unknown>>;

/** A root field with its caller and arguments, which may refer to earlier results. */
export interface Request {
  readonly name: string;
  readonly as: string;
  readonly args: Args;
  /** The event that the request creates if it succeeds. */
  readonly creates?: CreatedEvent;
}

/** A request with its number in its sequence. */
export interface Operation extends Request {
  readonly step: number;
}

/** An event as created; its guests may have changed since. */
export interface CreatedEvent {
  readonly owner: string;
  readonly guests: readonly string[];
  /** Calendar of the event; absent for the owner's primary calendar. */
  readonly home?: CalendarReference;
  /** The event was imported, and its organizer has no calendar here. */
  readonly isForeign?: boolean;
  /** Start of the series; absent for a single event. */
  readonly series?: SeriesStart;
}

/** Earlier requests, for generators of the next ones. Responses are left out, so that a seed always gives the same sequence. */
export interface History {
  /** The number of the next request. */
  readonly step: number;
  readonly events: readonly (CreatedEvent & { readonly step: number })[];
  readonly earlier: readonly Operation[];
}

/** Generates a request, or several in sequence. */
export type MakeRequest = (random: Random, history: History) => readonly Request[];

/** A caller on a calendar, possibly a created one. */
export interface CallerRef {
  readonly as: string;
  readonly calendarId: CalendarTarget;
}

/** Returns the owner of an event as a caller, on the calendar where the event was created. */
export const organizerOf = ({ owner, home }: CreatedEvent): CallerRef => ({
  as: owner,
  calendarId: home ?? 'primary',
});

export const makeRequest = ({ as, calendarId }: CallerRef, name: string, args: Args): Request => ({
  name,
  as,
  args: { calendarId, ...args },
});

/** Clock time of a step: one second after the previous one. */
export const timeOfStep = (step: number): number => Date.UTC(2026, 10, 20) + step * 1000;

/** Clock time of a step, equal for four consecutive steps, whose changes so happen in one millisecond. */
export const repeatingTimeOfStep = (step: number): number => timeOfStep(step - (step % 4));

/** Formats an operation for error messages. */
export const printOperation = ({ step, name, as, args }: Operation): string =>
  `step ${step}, ${name} of ${as}: ${JSON.stringify(args)}`;
