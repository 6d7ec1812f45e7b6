import type { Starts } from './bodies.ts';
import type { CalendarReference, Place } from './references.ts';
import type { Random } from './seed.ts';

export type Args = Readonly<Record<string, unknown>>;

/** A root field with its arguments, sent by somebody; in the arguments references stand for what was answered earlier. */
export interface Request {
  readonly name: string;
  readonly as: string;
  readonly args: Args;
  /** The event that it makes if it is applied. */
  readonly makes?: Made;
}

/** A request with its number in its sequence. */
export interface Operation extends Request {
  readonly step: number;
}

/** An event as it was made; its guest list may be another by now. */
export interface Made {
  readonly owner: string;
  readonly guests: readonly string[];
  /** The calendar on which it was made; absent for its owner's primary one. */
  readonly home?: CalendarReference;
  /** Absent for a single event. */
  readonly series?: Starts;
}

/** What is known of a sequence to whoever makes up its next requests: no answers, so that a seed always gives the same. */
export interface Known {
  /** The number of the next request. */
  readonly step: number;
  readonly events: readonly (Made & { readonly step: number })[];
  readonly earlier: readonly Operation[];
}

/** Makes up a request, or some that follow each other. */
export type Make = (random: Random, known: Known) => readonly Request[];

/** Who asks on which calendar, which may be one that was made. */
export interface AskedSeat {
  readonly as: string;
  readonly calendarId: Place;
}

/** Its owner on the calendar on which an event was made. */
export const organizerOf = ({ owner, home }: Made): AskedSeat => ({
  as: owner,
  calendarId: home ?? 'primary',
});

export const requestBy = ({ as, calendarId }: AskedSeat, name: string, args: Args): Request => ({
  name,
  as,
  args: { calendarId, ...args },
});

/** The moment of a step: a second after the one before. */
export const timeOf = (step: number): number => Date.UTC(2026, 10, 20) + step * 1000;

/** The same, but for some steps the clock stands still: what follows each other then is changed in one millisecond. */
export const haltingTimeOf = (step: number): number => timeOf(step - (step % 4));

/** An operation as a failure tells it. */
export const printOperation = ({ step, name, as, args }: Operation): string =>
  `step ${step}, ${name} of ${as}: ${JSON.stringify(args)}`;
