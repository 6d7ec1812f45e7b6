import type { Issue, Path, Warning } from '../core/errors.ts';
import { differs, withoutNulls } from '../core/patch.ts';
import { emailKey } from './email.ts';
import { attendeeDefaults, eventEntryKeys } from './event.rules.ts';
import type { Attendee } from './event.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The host of e-mail addresses made up for entries that have none (RFC 2606: `.invalid` never works). */
export const madeUpHost = 'no-email.invalid';

/** By what an attendee is recognised: the e-mail address without regard to case, else the profile id. */
export const attendeeKey = (entry: Entry): string | undefined => eventEntryKeys['attendees[]']?.(entry);

const ownFields = ['responseStatus', 'comment', 'additionalGuests'] as const;

/**
 * The guest list a change asks for, on the list the caller sees.
 * A listed guest without responseStatus keeps the stored one; with `onlyOwn` (attendeesOmitted: true) all others
 * stay, and of the list only the entry of the calendar's owner is applied.
 */
export function askedAttendees(
  change: readonly Entry[],
  seen: readonly Attendee[],
  owner: string,
  onlyOwn: boolean,
): { list: Entry[]; warnings: Warning[] } {
  const known = new Map(seen.map((entry) => [attendeeKey(entry), entry]));
  const list = change.map((entry) => asStored(entry, known.get(attendeeKey(entry))));
  if (!onlyOwn) return { list, warnings: [] };
  const own = list.find((entry) => attendeeKey(entry) === owner);
  const others = list.flatMap((entry, index) =>
    attendeeKey(entry) !== owner && differs(known.get(attendeeKey(entry)), entry) ? [index] : [],
  );
  const warnings = others.map((index) => otherGuestWarning(['event', 'attendees', index]));
  if (!known.has(owner)) {
    const index = own ? [list.indexOf(own)] : [];
    return { list: [...seen], warnings: [...warnings, ...index.map((i) => notListedWarning(['event', 'attendees', i]))] };
  }
  return { list: seen.map((entry) => (attendeeKey(entry) === owner ? withOwn(entry, own) : entry)), warnings };
}

/** The entry as it would be stored: defaults and made-up addresses left out, the response kept when absent. */
function asStored(entry: Entry, stored: Attendee | undefined): Entry {
  const result: Record<string, unknown> = { ...entry };
  for (const [name, value] of Object.entries(attendeeDefaults)) {
    if (result[name] === value) result[name] = null;
  }
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

/** A guest list as it is stored: without what is worked out for each calendar. */
export function storedAttendees(list: readonly Entry[]): Attendee[] {
  return list.map((entry) => {
    const { self: _self, organizer: _organizer, ...stored } = entry;
    return withoutNulls(stored) as Attendee;
  });
}

/** The whole guest list after a change by somebody who does not see all of it: the unseen guests stay. */
export function withUnseen(list: readonly Attendee[], all: readonly Attendee[], seen: readonly Attendee[]): Attendee[] {
  const shown = new Set(seen.map(attendeeKey));
  const listed = new Set(list.map(attendeeKey));
  const unseen = all.filter((entry) => !shown.has(attendeeKey(entry)) && !listed.has(attendeeKey(entry)));
  return [...list, ...unseen];
}

/** What kinds of change one guest list is to another, for those who may make only some of them. */
export function compareAttendees(before: readonly Attendee[], after: readonly Entry[], owner: string) {
  const known = new Map(before.map((entry) => [attendeeKey(entry), entry]));
  const kept = new Set(after.map(attendeeKey));
  const changed = after.filter((entry) => {
    const stored = known.get(attendeeKey(entry));
    if (!stored) return false;
    const others = attendeeKey(entry) === owner ? ownFields : [];
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

/** The rule that every address stands once on the list. */
export function duplicateIssues(list: readonly Attendee[]): Issue[] {
  const first = new Map<string, number>();
  return list.flatMap((entry, index) => {
    if (entry.email === undefined) return [];
    const key = emailKey(entry.email);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, index);
      return [];
    }
    const message = `This guest is listed at index ${earlier} already (upper and lower case are the same). List each e-mail address once.`;
    return [{ path: ['attendees', index, 'email'], reason: 'invalid' as const, message }];
  });
}

const otherGuestWarning = (path: Path): Warning => ({
  path,
  reason: 'ignored',
  message: 'With attendeesOmitted: true only your own entry is applied: this one was ignored.',
});

const notListedWarning = (path: Path): Warning => ({
  path,
  reason: 'ignored',
  message: 'This calendar is not on the guest list, so with attendeesOmitted: true there is no entry to change.',
});
