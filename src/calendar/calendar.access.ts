import { type AccessRole, includes, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import { entryEtag, requireMatch } from '../core/if-match.ts';
import { type AppError, errorAt, errorOf, invalidInput, type Issue, type Path } from '../core/errors.ts';
import { addressKey, emailProblem, isEmail } from '../core/text/email.ts';
import { limits } from './calendar.fields.ts';
import type { SetCalendarAccessArgs } from './calendar.requests.ts';
import type { CalendarChange, CalendarState } from './calendar.store.ts';
import type { AccessEntry, CalendarRecord, CalendarRef } from './calendar.ts';

/** The calendar that an argument names: `primary` is the caller's own. */
export const calendarRef = (calendarId: string, viewer: Viewer): CalendarRef =>
  calendarId === 'primary' ? { primaryOf: viewer.identity } : { id: calendarId };

/** Converts a calendar id to lower case (ASCII alone), for a second look-up; undefined if that gives the same id. */
export function otherSpelling(calendarId: string): string | undefined {
  const key = addressKey(calendarId);
  return key === calendarId ? undefined : key;
}

/** A calendar, and the caller's role on it. */
export interface OpenCalendar {
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
}

/** The caller's role on the calendar that was found for a reference. */
export function roleOf(calendar: CalendarRecord | undefined, ref: CalendarRef, viewer: Viewer): AccessRole {
  const isOwn = 'id' in ref || isCaller(calendar?.owner, viewer);
  return calendar && isOwn ? roleOn(calendar, viewer) : 'none';
}

/** Opens a calendar for a caller. Throws NOT_FOUND for one whom it shows nothing, FORBIDDEN for a role below `needed`. */
export function openCalendar(
  calendar: CalendarRecord | undefined,
  ref: CalendarRef,
  viewer: Viewer,
  needed: AccessRole,
): OpenCalendar {
  const role = roleOf(calendar, ref, viewer);
  if (!calendar || role === 'none') throw noCalendar([['calendarId']]);
  if (!includes(role, needed))
    throw forbiddenCalendar('You may read this calendar, but not change its events.');
  return { calendar, role };
}

export const forbiddenCalendar = (message: string): AppError =>
  errorAt('FORBIDDEN', ['calendarId'], 'forbidden', message);

/** Issues of a caller who does not administer the calendar. */
export const ownersOnly = (calendar: CalendarRecord, viewer: Viewer): Issue[] =>
  roleOn(calendar, viewer) === 'owner'
    ? []
    : [
        {
          path: ['calendarId'],
          reason: 'forbidden',
          message: 'Only owners of this calendar may change it, and see who may use it.',
        },
      ];

/** Throws FORBIDDEN for refusals, with all other issues, and BAD_USER_INPUT for these alone. */
export function requireAllowed(refusals: readonly Issue[], issues: readonly Issue[] = []): void {
  if (refusals.length > 0) throw errorOf('FORBIDDEN', [...refusals, ...issues]);
  if (issues.length > 0) throw invalidInput(issues);
}

/** `paths`: where the request names the calendars. */
export const noCalendar = (paths: readonly Path[]): AppError =>
  errorOf(
    'NOT_FOUND',
    paths.map((path) => ({ path, reason: 'notFound', message: 'There is no such calendar.' })),
  );

/** Lists the people who may use a calendar: its owner, other owners, then the others, each by address. */
export function accessOf({ owner, acl }: CalendarRecord): AccessEntry[] {
  const own = addressKey(owner);
  // The strongest role counts for an address that an import names twice, as everywhere.
  const strongest = new Map<string, AccessEntry>([[own, { email: owner, role: 'owner' }]]);
  for (const entry of acl) {
    const known = strongest.get(addressKey(entry.email));
    if (entry.role !== 'none' && (!known || !includes(known.role, entry.role)))
      strongest.set(addressKey(entry.email), entry);
  }
  const rank = ([key, { role }]: readonly [string, AccessEntry]): number =>
    key === own ? 0 : role === 'owner' ? 1 : 2;
  return [...strongest].sort((a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : 1)).map(([, entry]) => entry);
}

/** Sets or removes (`none`) an address's role. Owners may, and whoever leaves. Null if the caller sees the calendar no more. */
export function setAccess(
  viewer: Viewer,
  ref: CalendarRef,
  { email, role, ifMatch }: SetCalendarAccessArgs,
  { calendar: found }: CalendarState,
): CalendarChange<AccessEntry[] | null> {
  const { calendar } = openCalendar(found, ref, viewer, 'freeBusyReader');
  const key = addressKey(email);
  const leaves = role === 'none' && isCaller(email, viewer);
  const entries = accessOf(calendar);
  const known = entries.find((entry) => addressKey(entry.email) === key);
  const issues = accessIssues({ email });
  const refusals = leaves ? [] : ownersOnly(calendar, viewer);
  if (refusals.length === 0) {
    requireMatch(ifMatch, () => entryEtag(known ?? { email, role: 'none' }), 'rule');
    // Others are not told who is on the list.
    if (key === addressKey(calendar.owner) && role !== 'owner') issues.push(keepsOwner);
    if (!known && role !== 'none' && entries.length >= limits.access) issues.push(tooMany(entries.length));
  }
  requireAllowed(refusals, issues);
  if ((known?.role ?? 'none') === role) return { result: entries };
  const others = entries.slice(1).filter((entry) => entry !== known);
  const acl = role === 'none' ? others : [...others, { email: known?.email ?? email, role }];
  const next: CalendarRecord = { ...calendar, acl };
  return { next, result: roleOn(next, viewer) === 'none' ? null : accessOf(next) };
}

/** Issues of the arguments by themselves. */
export const accessIssues = ({ email }: Partial<SetCalendarAccessArgs>): Issue[] =>
  email === undefined || isEmail(email)
    ? []
    : [{ path: ['email'], reason: 'invalid', message: emailProblem(email) }];

const keepsOwner: Issue = {
  path: ['role'],
  reason: 'invalid',
  message: 'Whoever made a calendar owns it: this role cannot be lowered or taken away.',
};

const tooMany = (actual: number): Issue => ({
  path: ['email'],
  reason: 'tooMany',
  message: `A calendar is shared with at most ${limits.access} addresses, its owner among them. Take one away first.`,
  params: { max: limits.access, actual },
});
