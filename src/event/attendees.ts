import type { Issue, Path, Warning } from '../core/errors.ts';
import { differs, withoutNulls } from '../core/patch.ts';
import { emailKey } from '../core/email.ts';
import { attendeeDefaults, eventEntryKeys } from './event.rules.ts';
import { maxAttendees, type Attendee } from './event.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The host of e-mail addresses made up for entries that have none (RFC 2606: `.invalid` never works). */
export const madeUpHost = 'no-email.invalid';

/** By what an attendee is recognised: the e-mail address without regard to case, else the profile id. */
export const attendeeKey = (entry: Entry): string | undefined => eventEntryKeys['attendees[]']?.(entry);

const ownFields = ['responseStatus', 'comment', 'additionalGuests'] as const;

/** A guest list a change asks for. */
export interface AskedAttendees {
  readonly list: readonly Entry[];
  /** At which index of the change each entry stood; -1 for one that is only kept. */
  readonly places: readonly number[];
  readonly warnings: readonly Warning[];
}

/** What a change to a guest list is judged by. */
export interface AttendeeFacts {
  /** The list as the caller sees it. */
  readonly seen: readonly Attendee[];
  /** The key of the calendar's owner. */
  readonly owner: string;
  readonly organizer: string | undefined;
  /** The change has `attendeesOmitted: true`. */
  readonly onlyOwn: boolean;
}

const listPath: Path = ['event', 'attendees'];

/**
 * The guest list a change asks for, on the list the caller sees.
 * A listed guest without responseStatus keeps the stored one; with `onlyOwn` all others stay, and of the list only
 * the entry of the calendar's owner is applied.
 */
export function askedAttendees(change: readonly Entry[] | null, facts: AttendeeFacts): AskedAttendees {
  const { seen, owner, onlyOwn } = facts;
  const known = new Map(seen.map((entry) => [attendeeKey(entry), entry]));
  const list = (change ?? []).map((entry) => asStored(entry, known.get(attendeeKey(entry)), facts));
  if (!onlyOwn) return { list, places: list.map((_entry, index) => index), warnings: [] };
  const ownPlace = list.findIndex((entry) => attendeeKey(entry) === owner);
  const own = list[ownPlace];
  const stored = known.get(owner);
  const warnings = list.flatMap((entry, index) =>
    index !== ownPlace && (!known.has(attendeeKey(entry)) || differs(known.get(attendeeKey(entry)), entry)) ? [ignored([index], otherGuest)] : [],
  );
  if (change === null) warnings.push(ignored([], nobodyRemoved));
  if (own && !stored) warnings.push(ignored([ownPlace], notListed));
  if (own && stored) warnings.push(...notOwn(own, stored).map((name) => ignored([ownPlace, name], notOwnField)));
  return {
    list: seen.map((entry) => (entry === stored ? withOwn(entry, own) : entry)),
    places: seen.map((entry) => (entry === stored ? ownPlace : -1)),
    warnings,
  };
}

/** The entry as it would be stored: defaults and made-up addresses left out, the response kept when absent. */
function asStored(entry: Entry, stored: Attendee | undefined, { owner, organizer }: AttendeeFacts): Entry {
  const result: Record<string, unknown> = { ...entry };
  const key = attendeeKey(entry);
  for (const [name, value] of Object.entries(attendeeDefaults)) {
    if (result[name] === value) result[name] = null;
  }
  // A new entry may say of itself what will be true of it.
  if (!stored && key === owner && entry.self === true) delete result.self;
  if (!stored && key !== undefined && key === organizer && entry.organizer === true) delete result.organizer;
  if (typeof result.email === 'string' && result.email.endsWith(`@${madeUpHost}`)) delete result.email;
  if (entry.responseStatus === undefined && stored?.responseStatus) result.responseStatus = stored.responseStatus;
  return result;
}

function withOwn(entry: Attendee, own: Entry | undefined): Entry {
  const result: Record<string, unknown> = { ...entry };
  for (const name of ownFields) {
    if (own?.[name] !== undefined) result[name] = own[name];
  }
  return result;
}

/** The fields of an own entry that are not the guest's to change and would change. */
function notOwn(own: Entry, stored: Attendee): string[] {
  const fixed: readonly string[] = [...ownFields, 'email'];
  return Object.keys(own).filter((name) => !fixed.includes(name) && differs(stored[name as keyof Attendee], own[name]));
}

/** A guest list as it is stored: without defaults, and without what is worked out for each calendar. */
export function storedAttendees(list: readonly Entry[]): Attendee[] {
  return list.map((entry) => {
    const { self: _self, organizer: _organizer, ...stored } = entry;
    const told = Object.entries(stored).filter(([name, value]) => value !== (attendeeDefaults as Entry)[name]);
    return withoutNulls(Object.fromEntries(told)) as Attendee;
  });
}

/** The whole guest list after a change by somebody who does not see all of it: the unseen guests stay. */
export function withUnseen(list: readonly Attendee[], all: readonly Attendee[], seen: readonly Attendee[]): Attendee[] {
  const shown = new Set(seen.map(attendeeKey));
  const listed = new Set(list.map(attendeeKey));
  const hidden = all.filter((entry) => !shown.has(attendeeKey(entry)));
  const stored = new Map(hidden.map((entry) => [attendeeKey(entry), entry]));
  // Who is invited again by somebody who could not know of it keeps the entry, and nobody learns of that.
  const kept = list.map((entry) => stored.get(attendeeKey(entry)) ?? entry);
  return [...kept, ...hidden.filter((entry) => !listed.has(attendeeKey(entry)))];
}

/** What kinds of change one guest list is to another, for those who may make only some of them. */
export function compareAttendees(before: readonly Attendee[], after: readonly Entry[], owner: string) {
  const known = new Map(before.map((entry) => [attendeeKey(entry), entry]));
  const kept = new Set(after.map(attendeeKey));
  const changed = after.filter((entry) => {
    const stored = known.get(attendeeKey(entry));
    if (!stored) return false;
    // One's own address may be spelled in another case; respelling another guest's could send mail astray.
    const others = attendeeKey(entry) === owner ? [...ownFields, 'email'] : [];
    return differs(without(stored, others), without(entry, others));
  });
  return {
    adds: after.some((entry) => !known.has(attendeeKey(entry))),
    removes: before.some((entry) => !kept.has(attendeeKey(entry))),
    changesOthers: changed.length > 0 || dropsField(known, after, owner),
  };
}

/** A replaced entry loses what it does not repeat, which a merge of the two would not show. */
function dropsField(known: ReadonlyMap<string | undefined, Attendee>, after: readonly Entry[], owner: string): boolean {
  return after.some((entry) => {
    const stored = known.get(attendeeKey(entry));
    if (!stored) return false;
    const own: readonly string[] = attendeeKey(entry) === owner ? ownFields : [];
    return Object.keys(stored).some((name) => !own.includes(name) && (entry[name] ?? undefined) === undefined);
  });
}

function without(entry: Entry, names: readonly string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

/** The rule that every address stands once on the list; one that stood there twice before may go on doing so. */
export function duplicateIssues(list: readonly Attendee[], before: readonly Attendee[]): Issue[] {
  const left = new Map<string | undefined, number>();
  for (const key of before.map(attendeeKey)) left.set(key, (left.get(key) ?? 0) + 1);
  const first = new Map<string, number>();
  return list.slice(0, maxAttendees + 1).flatMap((entry, index) => {
    if (entry.email === undefined) return [];
    const key = emailKey(entry.email);
    const rest = (left.get(key) ?? 1) - 1;
    left.set(key, rest);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    if (earlier === undefined || rest >= 0) return [];
    const message = `This guest is listed at index ${earlier} already (upper and lower case are the same). List each e-mail address once.`;
    return [{ path: ['attendees', index, 'email'], reason: 'invalid' as const, message }];
  });
}

const ignored = (steps: Path, message: string): Warning => ({ path: [...listPath, ...steps], reason: 'ignored', message });

const otherGuest = 'With attendeesOmitted: true only your own entry is applied: this one was ignored.';
const nobodyRemoved = 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.';
const notListed = 'This calendar is not on the guest list, so with attendeesOmitted: true there is no entry to change.';
const notOwnField =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
