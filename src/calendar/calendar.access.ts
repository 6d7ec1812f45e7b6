import { type AccessRole, includesRole, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import { etagOfAccessEntry, requireMatch } from '../core/if-match.ts';
import { type AppError, errorAt, errorOf, requireValid, type Issue, type Path } from '../core/errors.ts';
import { addressKey, emailProblem, isEmail } from '../core/text/email.ts';
import { limits, type SetCalendarAccessArgs } from './calendar.fields.ts';
import type { AccessEntry, CalendarDecision, CalendarRecord, CalendarRef } from './calendar.store.ts';

/** Resolves a `calendarId` argument: `primary` is the caller's own calendar. */
export const resolveCalendarRef = (calendarId: string, viewer: Viewer): CalendarRef =>
  calendarId === 'primary' ? { primaryOf: viewer.identity } : { id: calendarId };

/** Returns a calendar id in lower case (ASCII only) for a second look-up; undefined if nothing changes. */
export function lowerCaseIdOf(calendarId: string): string | undefined {
  const key = addressKey(calendarId);
  return key === calendarId ? undefined : key;
}

/** Calendar, with the role of the caller on it. */
export interface OpenCalendar {
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
}

/** Role of a caller on a calendar. `primary` refers to the caller's own calendars only. */
export function roleForRef(
  calendar: CalendarRecord | undefined,
  ref: CalendarRef,
  viewer: Viewer,
): AccessRole {
  const isAddressable = 'id' in ref || isCaller(calendar?.owner, viewer);
  return calendar && isAddressable ? roleOn(calendar, viewer) : 'none';
}

/** Opens a calendar for a caller. Throws NOT_FOUND without any role, FORBIDDEN for a role below `requiredRole`. */
export function openCalendar(
  calendar: CalendarRecord | undefined,
  ref: CalendarRef,
  viewer: Viewer,
  requiredRole: AccessRole,
): OpenCalendar {
  const role = roleForRef(calendar, ref, viewer);
  if (!calendar || role === 'none') throw calendarNotFound([['calendarId']]);
  if (!includesRole(role, requiredRole)) throw forbiddenCalendar(roleTooLowMessage);
  return { calendar, role };
}

export const roleTooLowMessage = 'Your role on this calendar does not let you change its events.';

/** Error for a caller whose role on a visible calendar is too low. */
export const forbiddenCalendar = (message: string): AppError =>
  errorAt('FORBIDDEN', ['calendarId'], 'forbidden', message);

/** Refuses callers who are no owners; empty for an owner. */
export const nonOwnerIssues = (calendar: CalendarRecord, viewer: Viewer): Issue[] =>
  roleOn(calendar, viewer) === 'owner'
    ? []
    : [
        {
          path: ['calendarId'],
          reason: 'forbidden',
          message: 'Only owners of this calendar may change it and read its access list.',
        },
      ];

/** Throws FORBIDDEN if there are refusals (the error includes all issues), BAD_USER_INPUT if there are only issues. */
export function requireAllowed(refusals: readonly Issue[], issues: readonly Issue[] = []): void {
  if (refusals.length > 0) throw errorOf('FORBIDDEN', [...refusals, ...issues]);
  requireValid(issues);
}

/** Creates the error for missing calendars. `paths`: arguments that name them. */
export const calendarNotFound = (paths: readonly Path[]): AppError =>
  errorOf(
    'NOT_FOUND',
    paths.map((path) => ({ path, reason: 'notFound', message: 'There is no such calendar.' })),
  );

/** Lists the access entries of a calendar: its owner, other owners, then the rest, sorted by address. */
export function listAccessEntries({ owner, acl }: CalendarRecord): AccessEntry[] {
  const ownerKey = addressKey(owner);
  // An import may name an address twice: the strongest role counts.
  const strongestEntryByKey = new Map<string, AccessEntry>([[ownerKey, { email: owner, role: 'owner' }]]);
  for (const entry of acl) {
    const earlierEntry = strongestEntryByKey.get(addressKey(entry.email));
    if (entry.role !== 'none' && (!earlierEntry || !includesRole(earlierEntry.role, entry.role)))
      strongestEntryByKey.set(addressKey(entry.email), entry);
  }
  const rankOf = ([key, { role }]: readonly [string, AccessEntry]): number =>
    key === ownerKey ? 0 : role === 'owner' ? 1 : 2;
  return [...strongestEntryByKey]
    .sort((a, b) => rankOf(a) - rankOf(b) || (a[0] < b[0] ? -1 : 1))
    .map(([, entry]) => entry);
}

/** Sets or removes (`none`) a role. Callers may remove themselves. The result is null if the caller loses access. */
export function decideAccess(
  viewer: Viewer,
  calendar: CalendarRecord,
  { email, role, ifMatch }: SetCalendarAccessArgs,
): CalendarDecision<AccessEntry[] | null> {
  const key = addressKey(email);
  const isLeaving = role === 'none' && isCaller(email, viewer);
  const entries = listAccessEntries(calendar);
  const existingEntry = entries.find((entry) => addressKey(entry.email) === key);
  const issues = accessIssues({ email });
  const refusals = isLeaving ? [] : nonOwnerIssues(calendar, viewer);
  if (refusals.length === 0) {
    requireMatch(ifMatch, () => etagOfAccessEntry(existingEntry ?? { email, role: 'none' }), 'rule');
    // Only owners get these issues: they disclose who is on the list.
    if (key === addressKey(calendar.owner) && role !== 'owner') issues.push(ownerRoleIssue);
    if (!existingEntry && role !== 'none' && entries.length >= limits.maxAccessEntries)
      issues.push(tooManyEntriesIssue(entries.length));
  }
  requireAllowed(refusals, issues);
  if ((existingEntry?.role ?? 'none') === role) return { result: entries };
  const otherEntries = entries.slice(1).filter((entry) => entry !== existingEntry);
  const acl =
    role === 'none' ? otherEntries : [...otherEntries, { email: existingEntry?.email ?? email, role }];
  const nextCalendar: CalendarRecord = { ...calendar, acl };
  return {
    next: nextCalendar,
    result: roleOn(nextCalendar, viewer) === 'none' ? null : listAccessEntries(nextCalendar),
  };
}

/** Issues of the arguments of `setCalendarAccess`. */
export const accessIssues = ({ email }: Partial<SetCalendarAccessArgs>): Issue[] =>
  email === undefined || isEmail(email)
    ? []
    : [{ path: ['email'], reason: 'invalid', message: emailProblem(email) }];

const ownerRoleIssue: Issue = {
  path: ['role'],
  reason: 'invalid',
  message: 'The creator of a calendar stays its owner: this role cannot be lowered or removed.',
};

const tooManyEntriesIssue = (actual: number): Issue => ({
  path: ['email'],
  reason: 'tooMany',
  message: `A calendar is shared with at most ${limits.maxAccessEntries} addresses, including its owner. Remove one first.`,
  params: { max: limits.maxAccessEntries, actual },
});
